/** `npm pack` and `npm publish` run this first: `lib/` is what the published package has in place of the sources. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { docsFiles } from "../../compiler/bundle/docs.ts";
import { bundled } from "../../compiler/cli/compiled.mjs";
import { writeWhole } from "../../compiler/output/write.ts";
import { publishedSources } from "../../templates/client/sources.ts";
import { clientSources } from "../../templates/client/standalone.ts";
import { root } from "../workspace.ts";

/** By its place: other versions may be installed beside it, for tests. */
const tsc = join(root, "node_modules/typescript/bin/tsc");
const library = join(root, "lib");
// Two may be packing at once: each makes its own, and puts it in place file by file, with the same bytes as the other.
const kept = join(root, "node_modules/.realmc");
mkdirSync(kept, { recursive: true });
const draft = mkdtempSync(join(kept, "lib-"));
try {
  await compileCommandLine(join(draft, "cli"));
  compileRuntime(draft);
  // `runtime/http/docs/files.ts` finds them there.
  for (const file of await docsFiles()) await writeWhole(draft, file);
  for (const [path, text] of clientSources())
    await writeWhole(join(draft, relative("lib", publishedSources)), { path, text });
  replace(library, draft);
} finally {
  rmSync(draft, { recursive: true });
}

/** One module for what every command needs, and one for each stage that only some do: it starts faster than the many sources. */
async function compileCommandLine(folder: string): Promise<void> {
  const { outputFiles } = await bundled({ root, entry: "compiler/cli/main.ts", folder, names: "[name]" });
  mkdirSync(folder);
  for (const { path, contents } of outputFiles) writeFileSync(path, contents);
}

/** Module by module, so that a bundle of emitted code takes only what it uses, with the declarations that emitted code meets. */
function compileRuntime(folder: string): void {
  run(["-p", join(root, "scripts/package"), "--outDir", folder]);
  const entries = [
    "runtime/index",
    "runtime/client/index",
    "runtime/functions/handler",
    "runtime/realm/migrate",
    "runtime/trials/index",
    "runtime/trials/register",
  ].map((path) => join(folder, `${path}.d.ts`));
  const words = ["--ignoreConfig", "--listFilesOnly", "--module", "nodenext", "--types", "node", ...entries];
  const declarations = new Set(run(words).split("\n"));
  for (const path of filesOf(join(folder, "runtime"))) {
    if (path.endsWith(".d.ts") && !declarations.has(path)) rmSync(path);
  }
}

function replace(folder: string, draft: string): void {
  const paths = new Set(filesOf(draft).map((path) => relative(draft, path)));
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    renameSync(join(draft, path), join(folder, path));
  }
  for (const path of filesOf(folder)) if (!paths.has(relative(folder, path))) rmSync(path, { force: true });
}

function filesOf(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function run(words: readonly string[]): string {
  return execFileSync(process.execPath, [tsc, ...words], {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
}
