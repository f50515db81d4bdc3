import { migrate } from "realmc/migrations";
import type { From0001 as From, To0001 as To } from "./$types.ts";

export default migrate<From, To>({
  forward: ({ nam }) => ({ first: nam, last: 3 }),
});
