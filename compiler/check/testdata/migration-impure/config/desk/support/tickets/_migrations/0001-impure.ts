import { createHash, randomUUID as uuid } from "node:crypto";
import * as all from "node:crypto";
import { migrate } from "realmc/migrations";
import { seen } from "../../../_shared/seen.ts";
import type { From0001 as From, To0001 as To } from "./$types.ts";

let count = 0;
const Clock = Date;
const { random } = Math;

export default migrate<From, To>({
  forward: ({ name }) => {
    count += 1;
    const times = [new Date(), new Clock(), Date(), Date.now(), Date["now"](), performance.now()];
    const known = new Date(name).toISOString() + createHash("sha256").update(name).digest("hex");
    const local = [new Date(2026, 1, 1), new Date(name).getHours(), new Date(name).toLocaleString()];
    const utc = [new Date(name).getUTCHours(), new Date(name).getTime(), new Date(name).toJSON(), local];
    const chance = [Math.random(), random(), uuid(), all.randomBytes(3), crypto.randomUUID()];
    setTimeout(() => console.log(name), 1);
    queueMicrotask(() => undefined);
    fetch("https://example.com").catch(() => process.exit());
    const { Date: date } = { Date: { now: () => 1 } };
    return { first: `${times}${chance}${known}${date.now()}`, last: String(seen(name)) + utc };
  },
});
