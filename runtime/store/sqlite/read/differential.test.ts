import { testStore } from "../../testing/stores.ts";
import { describeDifferential } from "../../testing/suite/differential.ts";
import { describeEveryPair } from "../../testing/suite/every-pair.ts";
import { now } from "../../testing/suite/random.ts";

const open = () => testStore({ clock: { now: () => now } });
describeDifferential(open);
describeEveryPair(open);
