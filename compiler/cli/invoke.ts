/** `realmc invoke`: one run of a function, as a server would make it. */
import { statSync } from "node:fs";
import { didYouMean } from "../../runtime/suggest.ts";
import { hasErrors, withoutHints } from "../diagnostics/sort.ts";
import type { Realm } from "../model/model.ts";
import { analyse } from "../pipeline.ts";
import { exit, UsageError } from "./exit.ts";
import { requireFolder, requireRealm } from "./folders.ts";
import { inPassingBundle } from "./passing-bundle.ts";
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
  return inPassingBundle(realms, (folder) => {
    const words = [...option("--input", input), ...option("--as", as)];
    const variables = store === undefined ? {} : { SVC_STORE: store };
    return runServer(folder, ["invoke", name, ...words], variables);
  });
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

function option(name: string, value: string | undefined): readonly string[] {
  return value === undefined ? [] : [`${name}=${value}`];
}
