import type { Handler } from "./$types.ts";
import { readFileSync } from "node:fs";
import x from "https://example.com/x.js";
import { y } from "../../../../other.ts";
const f: Handler = async ({ k }, ctx) => {
  console.log("hello", k);
  await ctx.db.d.c.create({ n: "x" });
  process.exit(1);
  return { readFileSync, x, y } as never;
};
export default f;
