import { migrate } from "realmc/migrations";
import { seen } from "../../../_shared/seen.ts";
import { gone } from "./gone.ts";
import { outside } from "../../../../other.ts";
import type { From0001 as From, To0001 as To } from "./$types.ts";

export default migrate<From, To>({
  forward: ({ name }) => ({ first: `${gone}${outside}`, last: String(seen(name)) }),
});
