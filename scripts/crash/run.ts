// npm run crash [-- kills]: builds the examples, then kills the server under load many times.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { crash } from "./crash.ts";

const kills = Number(process.argv[2] ?? 50);
const root = fileURLToPath(new URL("../..", import.meta.url));
const work = mkdtempSync(join(tmpdir(), "realmc-crash-"));
try {
  const bundle = join(work, "dist");
  execFileSync(
    process.execPath,
    [
      join(root, "compiler/cli/realmc.mjs"),
      "build",
      join(root, "examples"),
      "--out",
      join(work, "generated"),
      "--bundle",
      bundle,
    ],
    { stdio: "inherit" },
  );
  const { acknowledged, verified } = await crash(join(bundle, "server.mjs"), join(work, "data"), kills);
  console.log(
    `${kills} kills, ${acknowledged} acknowledged writes, ${verified} documents verified: nothing lost.`,
  );
} finally {
  rmSync(work, { recursive: true, force: true });
}
