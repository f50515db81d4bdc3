import { migrate } from "realmc/migrations";
import type { From0004 as From, To0004 as To } from "./$types.ts";

export default migrate<From, To>({ forward: () => ({ first: "", last: "" }) });
