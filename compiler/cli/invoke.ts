/** `realmc invoke`: one run of a function, as a server would make it. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { didYouMean } from "../../runtime/suggest.ts";
import { hasErrors, withoutHints } from "../diagnostics/sort.ts";
import type { Realm } from "../model/model.ts";
import { writeWhole } from "../output/write.ts";
import { compilerVersion, installedFolder } from "../package/package.ts";
import { type AnalysedRealm, analyse, emitOutput, emitRealm } from "../pipeline.ts";
import { exit, UsageError } from "./exit.ts";
import { requireFolder, requireRealm } from "./folders.ts";
import { reportDiagnostics } from "./report.ts";
import { runServer } from "./serve.ts";
import type { Terminal } from "./terminal.ts";

export interface InvokeOptions {
  readonly config: string;
  /** Default: `SVC_STORE`, else `sqlite:./data`. */
  readonly store?: string;
  /** A file, or `-`. */
  readonly input?: string;
  /** Id of a user. */
  readonly as?: string;
}

/**
 * Builds the realm into a folder that is gone afterwards, and has what is in it run the function once.
 * @param name `<realm>/<database>/<function>`
 * @throws UsageError
 */
export async function invoke(name: string, options: InvokeOptions, terminal: Terminal): Promise<number> {
  const { config, store, input, as } = options;
  const [realm = "", ...rest] = name.split("/");
  if (rest.length !== 2) throw new UsageError("name it by <realm>/<database>/<function>");
  requireFolder(config);
  requireRealm(config, realm);
  if (input !== undefined && input !== "-") requireFile(input);
  const { realms, diagnostics: found } = await analyse(config, { only: realm });
  const diagnostics = withoutHints(found);
  if (hasErrors(diagnostics)) {
    reportDiagnostics(config, diagnostics, { ...terminal.errLook, line: terminal.err });
    return exit.diagnostics;
  }
  for (const each of realms) requireFunction(each.realm, rest.join("/"), as);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "realmc-invoke-")));
  try {
    await bundleInto(folder, realms);
    const words = [...option("--input", input), ...option("--as", as)];
    const variables = store === undefined ? {} : { SVC_STORE: store };
    return await runServer(folder, ["invoke", name, ...words], variables);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @throws UsageError */
function requireFile(path: string): void {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new UsageError(`--input: there is no file ${path}`);
  if (stats.isDirectory()) throw new UsageError(`--input: ${path} is a folder`);
}

/** @throws UsageError where there is none, or no user calls it */
function requireFunction({ name: realm, functions }: Realm, name: string, as: string | undefined): void {
  const found = functions.find((each) => `${each.database}/${each.name}` === name);
  const called = `${realm}/${name}`;
  if (found === undefined) {
    const names = functions.map((each) => `${realm}/${each.database}/${each.name}`);
    const hint = didYouMean(called, names) ?? `there are: ${names.join(", ") || "none"}`;
    throw new UsageError(`there is no function '${called}' (${hint})`);
  }
  if (as !== undefined && found.mode !== "call")
    throw new UsageError(`--as: ${called} is of mode ${found.mode}, which no user calls`);
}

/** Answers what a deployed bundle holds, with the packages that it needs from this one's. */
async function bundleInto(folder: string, realms: readonly AnalysedRealm[]): Promise<void> {
  const emitted = await Promise.all(realms.map((each) => emitRealm(each)));
  const plan = await emitOutput(emitted, {
    ...{ compiler: compilerVersion(), previous: undefined, partial: false },
  });
  const { bundleServer, externalPackages } = await import("../bundle/bundle.ts");
  const handlers = realms.flatMap((each) => each.handlers ?? []);
  for (const file of [...(await bundleServer(folder, plan)), ...handlers]) await writeWhole(folder, file);
  for (const each of externalPackages) {
    mkdirSync(dirname(join(folder, "node_modules", each)), { recursive: true });
    symlinkSync(installedFolder(each), join(folder, "node_modules", each));
  }
}

function option(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [`${name}=${value}`];
}
