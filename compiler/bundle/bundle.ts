/** The bundle stage: emitted files to what is deployed. */
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";
import { objectIn } from "../../runtime/json.ts";
import type { EmittedFile } from "../../templates/print/code.ts";
import { jsonText } from "../../templates/print/format.ts";
import { explainedModule } from "../explain/clauses.ts";
import type { Plan } from "../output/plan.ts";
import { packageRoot, workerModule } from "../package/package.ts";
import type { AnalysedRealm } from "../pipeline.ts";
import { docsFiles } from "./docs.ts";
import { emittedModules, runtimeOfThisPackage } from "./plugins.ts";
import { productionFiles } from "./production.ts";
import { documentWithItems } from "./streams.ts";

/**
 * Packages that stay out of the bundle, and what of a server's text needs them: those with native code, and clients that few
 * servers need. `npm ci` in the bundle's folder brings them.
 */
const external: Readonly<Record<string, RegExp>> = {
  "@aws-sdk/client-s3": /\bdriver: \{\s*kind: "s3"/,
  "@aws-sdk/s3-request-presigner": /\bdriver: \{\s*kind: "s3"/,
  "@node-rs/argon2": /"@node-rs\/argon2"/,
  // Required by name only where Node lacks what it brings.
  "@photostructure/sqlite": /"@photostructure\/sqlite"/,
  sharp: /\bdriver: \{\s*kind: "(?:local|s3)"/,
};
export const externalPackages: readonly string[] = Object.keys(external);

/** Which of them a server needs, by its text: storage is imported late, and so is part of all. */
export function neededPackages(server: string): readonly string[] {
  return externalPackages.filter((name) => external[name]?.test(server));
}

/** CommonJS packages in the bundle load Node's own modules and the native packages by `require`. */
const commonJs = [
  'import { createRequire as __createRequire } from "node:module";',
  'import { dirname as __dirnameOf } from "node:path";',
  'import { fileURLToPath as __fileURLToPath } from "node:url";',
  "const require = __createRequire(import.meta.url);",
  "const __filename = __fileURLToPath(import.meta.url);",
  "const __dirname = __dirnameOf(__filename);",
].join("\n");

/** How modules of the server are made of the runtime and what is emitted. */
export const serverOptions = {
  absWorkingDir: packageRoot,
  bundle: true,
  write: false,
  platform: "node",
  format: "esm",
  target: "node20",
  external: [...externalPackages],
  banner: { js: commonJs },
  tsconfigRaw: {},
  logLevel: "silent",
} satisfies BuildOptions;

/**
 * The files of a bundle: `server.mjs`, what npm reads of it, each realm's OpenAPI documents and, where a realm shows one, what
 * the page on it consists of. Emitted files need not be in the output folder `out` yet; what the plan leaves as it is, is
 * read from there.
 */
export async function bundleServer(out: string, plan: Plan): Promise<readonly EmittedFile[]> {
  const { outputFiles } = await build({
    ...serverOptions,
    entryPoints: ["server.ts"],
    outfile: "server.mjs",
    plugins: [runtimeOfThisPackage(), emittedModules(out, () => plan.files)],
  });
  const [server = ""] = outputFiles.map(({ text }) => text);
  return [
    { path: "server.mjs", text: server },
    ...productionFiles(neededPackages(server)),
    ...(
      await Promise.all(Object.keys(plan.manifest.realms).map((realm) => descriptionsOf(realm, out, plan)))
    ).flat(),
    ...(hasFunctions(plan) ? await functionWorker() : []),
    // Bundled only where a realm has the route.
    ...(server.includes("swagger-ui-bundle.js") ? await docsFiles() : []),
  ];
}

/**
 * `explain/<realm>.mjs`: the realm's rules taken apart, for servers with `SVC_EXPLAIN=on`. Each is complete in itself; the
 * server does not import it.
 */
export async function explainedFiles(
  realms: readonly Pick<AnalysedRealm, "realm" | "rules">[],
): Promise<readonly EmittedFile[]> {
  const withRules = realms.filter(({ realm }) => realm.auth);
  return Promise.all(
    withRules.map(async ({ realm, rules }) => {
      const file = explainedModule(realm, rules);
      const { outputFiles } = await build({
        ...serverOptions,
        banner: {},
        entryPoints: [file.path],
        outfile: file.path,
        plugins: [runtimeOfThisPackage(), emittedModules("", () => [file])],
      });
      return { path: file.path, text: outputFiles.map(({ text }) => text).join("") };
    }),
  );
}

export function hasFunctions({ manifest }: Plan): boolean {
  const outputs = Object.values(manifest.realms).flatMap((realm) => Object.keys(realm.outputs));
  return outputs.some((path) => /^[^/]+\/[^/]+\/_func\//.test(path));
}

/** `function-worker.mjs`: what the threads of functions begin with. */
export async function functionWorker(): Promise<readonly EmittedFile[]> {
  if (!existsSync(workerModule)) return [];
  const { outputFiles } = await build({
    ...serverOptions,
    entryPoints: [workerModule],
    outfile: "function-worker.mjs",
  });
  return outputFiles.map(({ text }) => ({ path: "function-worker.mjs", text }));
}

/** A realm's OpenAPI document, and by 3.2 where streams have more to say by it. */
async function descriptionsOf(realm: string, out: string, plan: Plan): Promise<readonly EmittedFile[]> {
  const emitted = plan.files.find(({ path }) => path === `${realm}/openapi.json`);
  const text = emitted?.text ?? (await readFile(join(out, realm, "openapi.json"), "utf8"));
  const items = documentWithItems(objectIn(text) ?? {});
  return [
    { path: `${realm}.openapi.json`, text },
    ...(items === undefined ? [] : [{ path: `${realm}.openapi-3.2.json`, text: jsonText(items) }]),
  ];
}
