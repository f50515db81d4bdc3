import { join, relative, resolve, sep } from "node:path";
import { catalogue } from "../check/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { renderGithub } from "../diagnostics/github.ts";
import { rebased } from "../diagnostics/rebased.ts";
import { counted, renderJson } from "../diagnostics/render.ts";
import { renderSarif } from "../diagnostics/sarif.ts";
import { hasErrors, sorted, withoutHints } from "../diagnostics/sort.ts";
import { configurationBehind, UnknownOutput } from "../diff/sides.ts";
import { unmigrated } from "../diff/unmigrated.ts";
import { type RecordedConfiguration, recordedFiles } from "../output/configuration.ts";
import { compilerVersion } from "../package/package.ts";
import { type AnalysedRealm, analyse } from "../pipeline.ts";
import { exit, UsageError } from "./exit.ts";
import { requireFolder } from "./folders.ts";
import { reportDiagnostics } from "./report.ts";
import type { Terminal } from "./terminal.ts";

export type CheckFormat = "text" | "json" | "github" | "sarif";

export interface CheckOptions {
  readonly format: CheckFormat;
  /** The folder that files are named from; absent: see `baseOf`. */
  readonly relativeTo?: string;
  /** False: hints are left out. */
  readonly hints?: boolean;
  /** An output folder: what was built from before. */
  readonly against?: string;
  /** Where it is to run: secrets that are missing there are told. */
  readonly store?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * `realmc check`: the diagnostics are its product and go to stdout.
 * @throws UsageError
 */
export async function check(
  config: string,
  options: CheckOptions,
  terminal: Terminal,
  environment: Environment,
): Promise<number> {
  requireFolder(config);
  if (options.relativeTo !== undefined) requireFolder(options.relativeTo);
  const before = options.against === undefined ? undefined : await recordedOf(options.against);
  terminal.step(`reading ${config}`);
  const { realms, diagnostics: ofFiles } = await analyse(config, {
    recorded: recordedFiles(before),
    tests: "checked",
    step: terminal.step,
  });
  const ofStore = await inStore(options.store, realms, environment);
  if (ofStore.failure !== undefined) terminal.fail(ofStore.failure);
  const found = sorted([...ofFiles, ...unmigrated(before, realms).diagnostics, ...ofStore.diagnostics]);
  const base = baseOf(config, options, environment);
  const told = options.hints === false ? withoutHints(found) : found;
  const diagnostics = rebased(told, relative(base, resolve(config)).split(sep).join("/"));
  switch (options.format) {
    case "json":
      terminal.out(renderJson(diagnostics).trimEnd());
      break;
    case "github":
      if (diagnostics.length > 0) terminal.out(renderGithub(diagnostics).trimEnd());
      break;
    case "sarif": {
      const words =
        base === resolve(config) ? "The configuration folder." : "The folder that files are named from.";
      terminal.out(
        renderSarif(diagnostics, { version: compilerVersion(), base: words, catalogue }).trimEnd(),
      );
      break;
    }
    case "text":
      reportDiagnostics(base, diagnostics, { ...terminal.outLook, line: terminal.out });
      if (diagnostics.length === 0)
        terminal.out(`${config}: ${counted(realms.length, "realm")}, no problems`);
  }
  if (hasErrors(diagnostics)) return exit.diagnostics;
  return ofStore.failure === undefined ? exit.ok : unreachable;
}

/** Where a store cannot be reached. */
const unreachable = 3;

/**
 * What is missing in the store that a configuration is to run on.
 * @throws UsageError
 */
async function inStore(
  store: string | undefined,
  realms: readonly AnalysedRealm[],
  environment: Environment,
): Promise<{ readonly diagnostics: readonly Diagnostic[]; readonly failure?: string }> {
  if (store === undefined) return { diagnostics: [] };
  const { missingIn, NotReached } = await import("./missing-secrets.ts");
  try {
    return { diagnostics: await missingIn(store, realms, environment) };
  } catch (error) {
    if (error instanceof NotReached) return { diagnostics: [], failure: error.message };
    throw error;
  }
}

async function recordedOf(folder: string): Promise<RecordedConfiguration> {
  requireFolder(folder);
  try {
    return await configurationBehind(folder);
  } catch (error) {
    throw error instanceof UnknownOutput ? new UsageError(error.message) : error;
  }
}

/**
 * The folder that files are named from, absolute: the configuration's, unless another is asked for. Annotations and code scanning
 * need paths from the root of the checkout, which GitHub names in `GITHUB_WORKSPACE`.
 */
export function baseOf(
  config: string,
  { format, relativeTo }: Pick<CheckOptions, "format" | "relativeTo">,
  environment: Environment,
): string {
  if (relativeTo !== undefined) return resolve(relativeTo);
  const workspace = environment["GITHUB_WORKSPACE"];
  const forGithub = (format === "github" || format === "sarif") && workspace ? resolve(workspace) : undefined;
  return forGithub !== undefined && resolve(config).startsWith(join(forGithub, sep))
    ? forGithub
    : resolve(config);
}
