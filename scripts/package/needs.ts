/** What the published package needs, by what it is made of. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, posix } from "node:path";
import { build } from "esbuild";
import { root } from "../workspace.ts";

/** The packages that the modules of `lib/` import, and those whose names they have as texts: they are loaded late. */
export async function packagesNeeded(dependencies: readonly string[]): Promise<readonly string[]> {
  const modules = filesIn("lib").filter(
    (path) => /\.m?js$/.test(path) && !/^lib\/(?:sources|docs)\//.test(path),
  );
  const { metafile } = await build({
    ...{ entryPoints: modules, absWorkingDir: root, bundle: true, packages: "external", metafile: true },
    ...{ write: false, outdir: "none", format: "esm", platform: "node", logLevel: "silent" },
  });
  const imported = Object.values(metafile.outputs)
    .flatMap(({ imports }) => imports)
    .filter(({ external, path }) => external === true && !path.startsWith("node:"))
    .map(({ path }) => path.split("/", path.startsWith("@") ? 2 : 1).join("/"))
    .filter((name) => !builtinModules.includes(name));
  const texts = modules.map((path) => readFileSync(join(root, path), "utf8"));
  const named = dependencies.filter((name) => texts.some((text) => text.includes(JSON.stringify(name))));
  return [...new Set([...imported, ...named])].sort();
}

/** The files and folders that the compiler reads from its package while it runs: `join(packageRoot, "…")` in its sources. */
export function readWhileRunning(): readonly string[] {
  const sources = ["compiler", "templates"]
    .flatMap(filesIn)
    .filter((path) => path.endsWith(".ts") && !/\.test\.ts$|\/testing\/|\/testdata\//.test(path));
  const named = sources.flatMap((path) =>
    [...readFileSync(join(root, path), "utf8").matchAll(/join\(packageRoot, "([^"]+)"\)/g)].map(
      ([, to = ""]) => to,
    ),
  );
  return [...new Set(named)].filter((path) => existsSync(join(root, path))).sort();
}

/** What README.md links to, and what is linked to there, by paths in the checkout. */
export function linkedFromReadme(): ReadonlySet<string> {
  const found = new Set(["README.md"]);
  for (const path of found) {
    if (!path.endsWith(".md")) continue;
    const text = readFileSync(join(root, path), "utf8");
    for (const [, target = ""] of text.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
      const linked = posix.join(dirname(path), target);
      if (!/^[a-z]+:/.test(target) && existsSync(join(root, linked))) found.add(linked.replace(/\/$/, ""));
    }
  }
  return found;
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length).replace(/^\//, ""));
}
