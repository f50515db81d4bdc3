import { createHash } from "node:crypto";
import { migrate } from "realmc/migrations";
import { parts } from "../../../_shared/parts.ts";
import type { From0002 as From, To0002 as To } from "./$types.ts";

const hashes = createHash("sha256").update("x").digest("hex").length;

export default migrate<From, To>({
  forward: ({ name }, { id }) => {
    const [first = id, ...last] = parts(name);
    return { first, last: last.join(" ") || String(hashes) };
  },
  back: ({ first, last }) => ({ name: `${first} ${last}` }),
});
