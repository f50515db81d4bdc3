/** Who asks about which document: what the options of `realmc explain` name, found where they say. */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { Access } from "../../runtime/documents/access.ts";
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import { didYouMean } from "../../runtime/suggest.ts";
import { hasErrors, withoutHints } from "../diagnostics/sort.ts";
import { keyAccess, userAccess } from "../explain/caller.ts";
import { configurationFingerprint } from "../output/plan.ts";
import { type AnalysedRealm, type AnalyseOptions, analyse } from "../pipeline.ts";
import { contextOf, exampleTime } from "../plans/callers.ts";
import type { RuleTestFile, TestCaller } from "../rule-tests/rule-tests.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import type { ExplainDecisionOptions, Subject } from "./explain-options.ts";
import { askServer } from "./explain-server.ts";
import { readCaller, readJson, realmIn } from "./explained.ts";
import { requireFolder, requireRealm } from "./folders.ts";
import { reportDiagnostics } from "./report.ts";
import type { Terminal } from "./terminal.ts";

export interface Asked<T extends Subject = Subject> {
  readonly of: T;
  readonly access: Access;
  /** As it is stored. */
  readonly document: JsonObject | undefined;
}

/** The configuration has mistakes, which have been told. */
interface Mistaken {
  readonly kind: "mistaken";
  readonly code: ExitCode;
}

/**
 * @param find what is named, in the realms of the configuration
 * @param key of an administrator of the server at `--url`
 * @throws UsageError | ServerUnusable
 */
export async function askedOf<T extends Subject>(
  named: string,
  find: (realms: readonly AnalysedRealm[]) => T,
  options: ExplainDecisionOptions,
  needsDocument: boolean,
  terminal: Terminal,
  key: string | undefined,
): Promise<(Asked<T> & { readonly kind: "asked" }) | Mistaken> {
  const { tests, url, doc } = options;
  if (tests !== undefined && url !== undefined)
    throw new UsageError("--tests and --url each say who there is (give one of them)");
  const { config = tests === undefined ? "config" : configurationAbove(tests) } = options;
  requireFolder(config);
  const only = realmIn(named);
  if (only !== undefined) requireRealm(config, only);
  // What a server runs is told by all of its realms, and by the code of their handlers.
  const realms =
    url === undefined
      ? await analysed(
          config,
          { only, handlers: "none", ...(tests !== undefined && { tests: "checked" }) },
          terminal,
        )
      : await analysed(config, { handlers: "read" }, terminal);
  if (realms === undefined) return { kind: "mistaken", code: exit.diagnostics };
  const of = find(realms);
  if (url !== undefined) {
    const { as: who = "" } = options;
    const { fingerprint, ...known } = await askServer({
      url,
      key,
      as: who,
      doc: needsDocument ? doc : undefined,
      of,
    });
    if (fingerprint !== configurationFingerprint(realms.map(({ realm }) => realm)))
      terminal.err(`warning: ${url} runs another configuration than ${config}: it may decide otherwise`);
    return { kind: "asked", of, ...known };
  }
  const file = tests === undefined ? undefined : testFile(config, tests, realms);
  return { kind: "asked", of, ...given(of, options, needsDocument, file) };
}

/** Without errors; undefined where there are some, which are told. */
async function analysed(
  config: string,
  options: AnalyseOptions,
  terminal: Terminal,
): Promise<readonly AnalysedRealm[] | undefined> {
  const { realms, diagnostics } = await analyse(config, options);
  const found = withoutHints(diagnostics);
  if (!hasErrors(found)) return realms;
  reportDiagnostics(config, found, { ...terminal.errLook, line: terminal.err });
  return undefined;
}

/** By names of a file of rule tests; what is JSON stands for itself. */
function given(
  of: Subject,
  { as: caller = "", doc = "{}" }: ExplainDecisionOptions,
  needsDocument: boolean,
  file: RuleTestFile | undefined,
): Pick<Asked, "access" | "document"> {
  const isName = (word: string): boolean => file !== undefined && !/^\s*[{@]/.test(word);
  const access = isName(caller)
    ? testAccess(found("caller", caller, file?.callers))
    : userAccess(contextOf(readCaller(caller, "--as").caller, of.realm, file));
  if (!needsDocument) return { access, document: undefined };
  if (!isName(doc)) return { access, document: storedDocument(doc) };
  const { collection, value } = found("document", doc, file?.documents);
  const own = of.collection && `${of.collection.database}/${of.collection.name}`;
  if (own !== undefined && collection !== own)
    throw new UsageError(`the document '${doc}' is one of ${collection}, not of ${own}`);
  return { access, document: value };
}

function found<T>(what: string, name: string, all: ReadonlyMap<string, T> | undefined): T {
  const value = all?.get(name);
  if (value !== undefined) return value;
  const names = [...(all?.keys() ?? [])];
  const hint = didYouMean(name, names) ?? `there are: ${names.join(", ") || "none"}`;
  throw new UsageError(`the tests have no ${what} '${name}' (${hint})`);
}

function testAccess({ context, scopes, kind }: TestCaller): Access {
  if (context === undefined) return keyAccess({ scopes });
  return userAccess(context, kind === "delegate" ? { scopes } : undefined);
}

/** @throws UsageError */
function configurationAbove(tests: string): string {
  if (!existsSync(tests)) throw new UsageError(`there is no file ${tests}`);
  for (let folder = dirname(resolve(tests)); folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, "realm.yaml"))) return relative("", dirname(folder)) || ".";
  throw new UsageError(`${tests} lies in no realm (give the folder of realms: --config)`);
}

function testFile(config: string, tests: string, realms: readonly AnalysedRealm[]): RuleTestFile {
  if (!existsSync(tests)) throw new UsageError(`there is no file ${tests}`);
  const path = relative(realpathSync(config), realpathSync(tests)).replaceAll("\\", "/");
  const all = realms.flatMap(({ tests: files = [] }) => files);
  const file = all.find((each) => each.path === path);
  if (file !== undefined) return file;
  const names = all.map((each) => each.path).join(", ") || "none";
  throw new UsageError(`${tests} is no file of rule tests of the realm (there are: ${names})`);
}

/** What is left out of `_meta`: a document of the first version, made at the time of examples. */
function storedDocument(given: string): JsonObject {
  const [value, what] = readJson(given, "--doc", `'{"status":"open","_meta":{"owner":"ada"}}'`);
  if (!isJsonObject(value)) throw new UsageError(`${what} must be a JSON object`);
  const { id = "document", _meta, ...members } = value;
  const meta = { created_at: exampleTime, updated_at: exampleTime, version: 1 };
  return { id, ...members, _meta: { ...meta, ...(isJsonObject(_meta) ? _meta : {}) } };
}
