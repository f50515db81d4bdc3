// npm run crash [-- kills]: builds the examples, then kills the server under load many times.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { realmc, root, withWorkspace } from "../workspace.ts";
import { crash } from "./crash.ts";

const kills = Number(process.argv[2] ?? 50);
if (!Number.isInteger(kills) || kills < 1) {
  console.error("usage: npm run crash [-- <kills>], a number of 1 or more; 50 by default");
  process.exit(2);
}
await withWorkspace(async (work) => {
  const bundle = join(work, "dist");
  const output = ["--out", join(work, "generated"), "--bundle", bundle];
  execFileSync(process.execPath, [realmc, "build", join(root, "examples"), ...output], { stdio: "inherit" });
  const { acknowledged, verified } = await crash(join(bundle, "server.mjs"), join(work, "data"), kills);
  console.log(
    `${kills} kills, ${acknowledged} acknowledged writes, ${verified} documents verified: nothing lost.`,
  );
});
