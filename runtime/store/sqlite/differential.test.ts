import { describeDifferential } from "../suite/differential.ts";
import { describeEveryPair } from "../suite/every-pair.ts";
import { now } from "../suite/random.ts";
import { testStore } from "../testing.ts";

const open = () => testStore({ clock: { now: () => now } });
describeDifferential(open);
describeEveryPair(open);
