import { existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { setFlagsFromString } from "node:v8";
import type { EmittedFile } from "../../templates/print/code.ts";
import { counted } from "../diagnostics/render.ts";
import { hasErrors, sorted, withoutHints } from "../diagnostics/sort.ts";
import { type Unmigrated, unmigrated } from "../diff/unmigrated.ts";
import { recordedFiles } from "../output/configuration.ts";
import type { Plan } from "../output/plan.ts";
import { type Output, readOutput } from "../output/read.ts";
import { applyDifference, compareOutput, type Difference, writeWhole } from "../output/write.ts";
import { compilerVersion } from "../package/package.ts";
import { type AnalysedRealm, analyse, emitOutput, emitRealm } from "../pipeline.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { onDisk, requireBundle, requireFolder, requireOutput, requireRealm } from "./folders.ts";
import { HandlersMoved, keptHandlers } from "./kept-handlers.ts";
import { reportDiagnostics } from "./report.ts";
import type { Terminal } from "./terminal.ts";

export interface BuildOptions {
  /** Folder of the emitted code. */
  readonly out: string;
  /** Folder of the bundle, where one is wanted. */
  readonly bundle?: string;
  readonly realm?: string;
  readonly check?: true;
  readonly standaloneClient?: true;
}

/**
 * `realmc build`: all stages, compared with what the output folder was built from. Nothing is written unless everything could
 * be made.
 * @throws UsageError
 */
export async function build(config: string, options: BuildOptions, terminal: Terminal): Promise<ExitCode> {
  const { out, bundle, realm, check } = options;
  if (check && bundle !== undefined) throw new UsageError("--check writes nothing, so it cannot --bundle");
  requireFolder(config);
  requireOutput("--out", out, config);
  if (bundle !== undefined) requireBundle(bundle, out, config);
  const started = performance.now();
  if (realm !== undefined) requireRealm(config, realm);
  const previous = await onDisk(out, () => readOutput(out));
  terminal.step(`reading ${config}`);
  const { realms, diagnostics: ofFiles } = await analyse(config, {
    only: realm,
    recorded: recordedFiles(previous?.configuration),
    step: terminal.step,
  });
  const behind = unmigrated(previous?.configuration, realms);
  const diagnostics = withoutHints(sorted([...ofFiles, ...behind.diagnostics]));
  reportDiagnostics(config, diagnostics, { ...terminal.errLook, line: terminal.err });
  if (hasErrors(diagnostics)) return exit.diagnostics;
  try {
    return await onDisk(out, () => written({ config, realms, previous, options, behind }, terminal, started));
  } catch (error) {
    if (!(error instanceof HandlersMoved)) throw error;
    terminal.fail(error.message);
    return exit.diagnostics;
  }
}

/** What is to be written. */
interface Built {
  readonly config: string;
  readonly realms: readonly AnalysedRealm[];
  /** What the output folder was built from. */
  readonly previous: Output | undefined;
  readonly options: BuildOptions;
  readonly behind: Unmigrated;
}

/** @throws HandlersMoved */
async function written(built: Built, terminal: Terminal, started: number): Promise<ExitCode> {
  const { config, realms, options } = built;
  const { out, bundle, realm, check } = options;
  const plan = await emit(built, terminal);
  const difference = await compareOutput(out, plan);
  nameForeign(out, difference, terminal);
  if (check) return reportStale(out, difference, terminal);
  const bundled =
    bundle === undefined ? [] : await makeBundle(config, bundle, plan, realms, options, terminal);
  await applyDifference(out, difference);
  if (bundle !== undefined) await writeBundle(bundle, bundled, realm);
  terminal.out(summary(plan, difference, options, performance.now() - started));
  return exit.ok;
}

/** Collections beyond which garbage, which may be four times what is in use, is worth collecting earlier. */
const MANY = 100;

async function emit({ realms, previous, options, behind }: Built, terminal: Terminal): Promise<Plan> {
  const { realm, standaloneClient } = options;
  const emitted = [];
  const collections = realms
    .flatMap(({ realm }) => realm.databases)
    .flatMap((database) => database.collections);
  if (collections.length > MANY) setFlagsFromString("--heap-growing-percent=50");
  for (const each of realms) {
    terminal.step(`emitting ${each.realm.name}`);
    emitted.push(await emitRealm(each, { standalone: standaloneClient }));
  }
  return emitOutput(emitted, {
    compiler: compilerVersion(),
    previous,
    partial: realm !== undefined,
    unmigrated: behind.schemas,
  });
}

/** @throws HandlersMoved */
async function makeBundle(
  config: string,
  bundle: string,
  plan: Plan,
  realms: readonly AnalysedRealm[],
  { out, realm }: BuildOptions,
  terminal: Terminal,
): Promise<readonly EmittedFile[]> {
  terminal.step("bundling");
  const built = realms.flatMap((each) => each.handlers ?? []);
  const handlers =
    realm === undefined ? built : [...built, ...(await keptHandlers(config, bundle, plan, realm))];
  const { bundleServer, explainedFiles } = await import("../bundle/bundle.ts");
  return [...(await bundleServer(out, plan)), ...(await explainedFiles(realms)), ...handlers];
}

/** @param only the one realm that was built: of others it stays */
async function writeBundle(folder: string, files: readonly EmittedFile[], only?: string): Promise<void> {
  for (const file of files) await writeWhole(folder, file);
  const wanted = new Set(files.map(({ path }) => path));
  for (const path of await handlersIn(folder, only)) if (!wanted.has(path)) await rm(join(folder, path));
  for (const name of await readdir(folder)) {
    if (/\.openapi(?:-3\.2)?\.json$/.test(name) && !wanted.has(name)) await rm(join(folder, name));
  }
}

/** Modules of handlers that lie in a bundle, by their paths in it. */
async function handlersIn(folder: string, only: string | undefined): Promise<readonly string[]> {
  const below = ["functions", ...(only === undefined ? [] : [only])].join("/");
  if (!existsSync(join(folder, below))) return [];
  const entries = await readdir(join(folder, below), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join("/"));
}

/** Files of others that are named one by one. */
const mostNamed = 20;

function nameForeign(out: string, { foreign }: Difference, terminal: Terminal): void {
  for (const path of foreign.slice(0, mostNamed))
    terminal.err(`${join(out, path)} is not of this output, and stays`);
  if (foreign.length > mostNamed) terminal.err(`${foreign.length - mostNamed} more are not of this output`);
}

function reportStale(out: string, { changed, stale }: Difference, terminal: Terminal): ExitCode {
  const lines = [
    ...changed
      .map(({ path }) => join(out, path))
      .map((path) => `${path} ${existsSync(path) ? "differs" : "is missing"}`),
    ...stale.map((path) => `${join(out, path)} is no longer emitted`),
  ];
  for (const line of lines) terminal.err(line);
  if (lines.length === 0) {
    terminal.out(`${out} is up to date`);
    return exit.ok;
  }
  terminal.fail(`${out} is stale (run realmc build and commit the result)`);
  return exit.diagnostics;
}

function summary(plan: Plan, { changed, stale }: Difference, options: BuildOptions, elapsed: number): string {
  const realms = Object.keys(plan.manifest.realms).length;
  const changes = [`${changed.length} written`, ...(stale.length === 0 ? [] : [`${stale.length} removed`])];
  const places = [options.out, ...(options.bundle === undefined ? [] : [options.bundle])].join(" and ");
  const time = `${(elapsed / 1000).toFixed(1)} s`;
  return `${counted(realms, "realm")} in ${places}: ${plan.files.length} files, ${changes.join(", ")} (${time})`;
}
