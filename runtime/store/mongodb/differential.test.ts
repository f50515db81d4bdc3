import { describeDifferential } from "../suite/differential.ts";
import { describeEveryPair } from "../suite/every-pair.ts";
import { hostileNames, now } from "../suite/random.ts";
import { testStore } from "../testing.ts";
import { canIndex, isStorable } from "./testing/divergences.ts";
import { describeMongo } from "./testing/server.ts";

describeMongo("MongoDB", () => {
  const open = () => testStore({ clock: { now: () => now } });
  describeDifferential(open, { names: hostileNames.filter(isStorable), canIndex });
  describeEveryPair(open);
});
