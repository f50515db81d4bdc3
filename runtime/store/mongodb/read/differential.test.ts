import { testStore } from "../../testing/stores.ts";
import { describeDifferential } from "../../testing/suite/differential.ts";
import { describeEveryPair } from "../../testing/suite/every-pair.ts";
import { hostileNames, now } from "../../testing/suite/random.ts";
import { canIndex, isStorable } from "../testing/divergences.ts";
import { describeMongo } from "../testing/server.ts";

describeMongo("MongoDB", () => {
  const open = () => testStore({ clock: { now: () => now } });
  describeDifferential(open, { names: hostileNames.filter(isStorable), canIndex });
  describeEveryPair(open);
});
