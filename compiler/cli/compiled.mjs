// Compiles TypeScript once and keeps the outcome until a source changes: starting from it takes a third of the time.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/** What was compiled from what; in the folder of the outcome. */
const recordName = "compiled.json";

/** Outcomes before the last stay this long, for processes that still run from them; in milliseconds. */
const grace = 3_600_000;

/**
 * The URL of the module that `entry`, a path below `root`, is compiled to; undefined where nothing can be kept in `folder`.
 * @throws where a source does not compile.
 */
export async function compiled({ root, entry, folder }) {
  return knownOutcome(root, entry, folder) ?? (await compile(root, entry, folder));
}

function knownOutcome(root, entry, folder) {
  try {
    const { output, sources } = JSON.parse(readFileSync(join(folder, recordName), "utf8"))[entry];
    const current = Object.entries(sources).every(([path, stamp]) => stampOf(join(root, path)) === stamp);
    return current && existsSync(join(folder, output)) ? pathToFileURL(join(folder, output)).href : undefined;
  } catch {
    // Never compiled, or a source is gone.
    return undefined;
  }
}

async function compile(root, entry, folder) {
  const begun = Date.now();
  const { outputFiles, metafile } = await bundled({ root, entry, folder, names: "[name]-[hash]" });
  const inputs = Object.keys(metafile.inputs).filter((path) => existsSync(join(root, path)));
  // Of a source that changed meanwhile nobody knows which text was compiled: next time, all are compiled again.
  const sources = Object.fromEntries(
    inputs.map((path) => [path, statSync(join(root, path)).mtimeMs < begun ? stampOf(join(root, path)) : ""]),
  );
  const names = outputFiles.map(({ path }) => path.slice(folder.length + 1));
  const output = names.find((name) => name.startsWith(`${entry.replace(/^.*\/|\.ts$/g, "")}-`));
  try {
    mkdirSync(folder, { recursive: true });
    for (const { path, contents } of outputFiles) writeWhole(path, contents);
    writeWhole(join(folder, recordName), JSON.stringify({ [entry]: { output, sources } }));
    removeOld(folder, new Set([...names, recordName]));
  } catch {
    // A folder that others own, or a full disk.
    return undefined;
  }
  return pathToFileURL(join(folder, output)).href;
}

/** What esbuild makes of `entry` and the sources that it imports, for `folder`; packages stay as they are. */
export async function bundled({ root, entry, folder, names }) {
  const { build } = await import("esbuild");
  return build({
    entryPoints: [entry],
    absWorkingDir: root,
    outdir: folder,
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    packages: "external",
    platform: "node",
    format: "esm",
    target: "node20",
    entryNames: names,
    chunkNames: "[name]-[hash]",
    outExtension: { ".js": ".mjs" },
    keepNames: true,
    legalComments: "none",
    tsconfigRaw: {},
    logLevel: "silent",
    plugins: [requiredPackages],
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
  });
}

const large = /^(?:ts-morph|@ts-morph\/common|json-schema-to-typescript|snowball-stemmers)$/;

/** Large CommonJS packages, TypeScript with its 12 MB: `import` would read them twice, first for the names that they export. */
const requiredPackages = {
  name: "required-packages",
  setup(build) {
    build.onResolve({ filter: large }, ({ path, kind }) =>
      kind === "require-call" ? { path, external: true } : { path, namespace: "required" },
    );
    build.onLoad({ filter: /./, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
  },
};

function stampOf(path) {
  const { mtimeMs, size } = statSync(path);
  return `${mtimeMs} ${size}`;
}

/** Other processes may be doing the same. */
function writeWhole(path, contents) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, contents);
  renameSync(draft, path);
}

function removeOld(folder, current) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() && !current.has(name) && Date.now() - stats.mtimeMs > grace)
      rmSync(path, { force: true });
  }
}
