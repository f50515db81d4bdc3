/** `realmc explain rule`: what a rule of a collection comes to. */
import { existsSync, readFileSync } from "node:fs";
import { didYouMean } from "../../runtime/suggest.ts";
import { hasErrors, withoutHints } from "../diagnostics/sort.ts";
import { type ExplainedRule, explainRule } from "../explain/explanation.ts";
import { isPlaceName, type PlacedRule, placeName, rulesOf } from "../explain/places.ts";
import { isGivenCaller, problemOfCaller } from "../explain/read-caller.ts";
import { renderRule } from "../explain/render.ts";
import type { Collection, Realm } from "../model/model.ts";
import { oneLine } from "../model/rule-source.ts";
import { type AnalysedRealm, analyse } from "../pipeline.ts";
import type { ExampleCaller } from "../plans/examples.ts";
import type { CompiledRules } from "../rules/compiled.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { requireFolder, requireRealm } from "./folders.ts";
import { reportDiagnostics } from "./report.ts";
import type { Terminal } from "./terminal.ts";

export interface ExplainRuleOptions {
  readonly realm?: string;
  /** JSON, or `@` and a file that holds it. */
  readonly caller?: readonly string[];
  readonly json?: true;
}

/**
 * One rule, or without its name a line for each of the collection's.
 * @param named `<database>/<collection>`, or `<realm>/<database>/<collection>`
 * @param words a rule's name and a folder of realms, or either; the folder is `config` where it is left out
 * @throws UsageError
 */
export async function explainRuleOf(
  named: string,
  words: readonly (string | undefined)[],
  options: ExplainRuleOptions,
  terminal: Terminal,
): Promise<ExitCode> {
  const callers = options.caller?.map(readCaller);
  const [first, second] = words;
  const [rule, config = "config"] =
    first !== undefined && second === undefined && !isPlaceName(first) && existsSync(first)
      ? [undefined, first]
      : [first, second];
  requireFolder(config);
  const only = realmIn(named) ?? options.realm;
  if (only !== undefined) requireRealm(config, only);
  const { realms, diagnostics: found } = await analyse(config, { only });
  const diagnostics = withoutHints(found);
  if (hasErrors(diagnostics)) {
    reportDiagnostics(config, diagnostics, { ...terminal.errLook, line: terminal.err });
    return exit.diagnostics;
  }
  const place = findCollection(named, realms);
  const all = rulesOf(place.collection, place.rules);
  if (rule === undefined) {
    terminal.out(options.json ? JSON.stringify(all.map(listed), null, 2) : list(all));
    return exit.ok;
  }
  const explained = await explainRule({ ...place, ...findRule(rule, all, named) }, callers);
  terminal.out(options.json ? JSON.stringify(explained, null, 2) : renderRule(explained));
  return exit.ok;
}

function realmIn(named: string): string | undefined {
  const parts = named.split("/");
  return parts.length === 3 ? parts[0] : undefined;
}

type Place = Pick<ExplainedRule, "realm" | "collection" | "rules">;

function findCollection(named: string, realms: readonly AnalysedRealm[]): Place {
  const all = realms.flatMap(({ realm, rules }) =>
    realm.databases.flatMap(({ collections }) =>
      collections.map((collection) => placeOf(realm, collection, rules.collections)),
    ),
  );
  const found = all.filter(
    ({ name, collection: { realm } }) => name === named || `${realm}/${name}` === named,
  );
  const [only, other] = found;
  if (only === undefined) {
    const hint = didYouMean(
      named,
      all.flatMap(({ name, realm }) => [name, `${realm.name}/${name}`]),
    );
    throw new UsageError(
      `there is no collection '${named}' (${hint ?? `there are: ${all.map(({ name }) => name).join(", ")}`})`,
    );
  }
  if (other !== undefined) {
    const names = found.map(({ realm }) => realm.name).join(", ");
    throw new UsageError(`several realms have a collection '${named}': ${names} (say --realm)`);
  }
  if (!only.realm.auth)
    throw new UsageError(`the realm '${only.realm.name}' has auth: disabled, and so no rules`);
  return only;
}

function placeOf(
  realm: Realm,
  collection: Collection,
  compiled: ReadonlyMap<string, CompiledRules>,
): Place & { readonly name: string } {
  const name = `${collection.database}/${collection.name}`;
  const rules = compiled.get(name) ?? { rules: {}, fieldRules: [] };
  return { realm, collection, name, rules };
}

function findRule(name: string, all: readonly PlacedRule[], collection: string): PlacedRule {
  const found = all.find(({ place }) => placeName(place) === name);
  if (found !== undefined) return found;
  const names = all.map(({ place }) => placeName(place));
  const hint = didYouMean(name, names) ?? `there are: ${names.join(", ")}`;
  throw new UsageError(`${collection} has no rule '${name}' (${names.length === 0 ? "it has none" : hint})`);
}

function readCaller(given: string): ExampleCaller {
  const fromFile = given.startsWith("@");
  const what = fromFile ? given.slice(1) : "--caller";
  const caller = parsed(fromFile ? textOf(given.slice(1)) : given, what);
  if (!isGivenCaller(caller)) throw new UsageError(`${what}: ${problemOfCaller(caller)}`);
  return { name: caller === "anonymous" ? caller : (caller.id ?? "ada"), caller };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    throw new UsageError(`there is no file ${file}`);
  }
}

function parsed(text: string, what: string): unknown {
  // Without its quotes, which a shell takes away.
  if (text.trim() === "anonymous") return "anonymous";
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(
      `${what} is not JSON (write for example '{"id":"ada","roles":["editor"]}', or anonymous)`,
    );
  }
}

function listed({ place, source }: PlacedRule) {
  const { file, line, column } = source.span;
  return { rule: placeName(place), file, line, column, text: source.text.trim() };
}

function list(all: readonly PlacedRule[]): string {
  const rules = all.map(listed);
  const widest = Math.max(0, ...rules.map(({ rule }) => rule.length));
  if (rules.length === 0) return "no rules: all is refused but what API keys do";
  return rules
    .map(({ rule, file, line, text }) => `${rule.padEnd(widest)}  ${file}:${line}  ${oneLine(text)}`)
    .join("\n");
}
