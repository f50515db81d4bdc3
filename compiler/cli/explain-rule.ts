/** `realmc explain rule`: what a rule of a collection comes to. */
import { existsSync } from "node:fs";
import { didYouMean } from "../../runtime/suggest.ts";
import { whileReadingAll } from "../diagnostics/internal-error.ts";
import { hasErrors, withoutHints } from "../diagnostics/sort.ts";
import { explainRule } from "../explain/explanation.ts";
import { isPlaceName, type PlacedRule, placeName, rulesOf } from "../explain/places.ts";
import { renderRule } from "../explain/render.ts";
import { oneLine } from "../model/rule-source.ts";
import { analyse } from "../pipeline.ts";
import { type ExitCode, exit, UsageError } from "./exit.ts";
import { findCollection, readCaller, realmIn } from "./explained.ts";
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
  const callers = options.caller?.map((given) => readCaller(given));
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
  const asked = findRule(rule, all, named);
  const explained = await whileReadingAll(asked.source.span.file, () =>
    explainRule({ ...place, ...asked }, callers),
  );
  terminal.out(options.json ? JSON.stringify(explained, null, 2) : renderRule(explained));
  return exit.ok;
}

function findRule(name: string, all: readonly PlacedRule[], collection: string): PlacedRule {
  const found = all.find(({ place }) => placeName(place) === name);
  if (found !== undefined) return found;
  const names = all.map(({ place }) => placeName(place));
  const hint = didYouMean(name, names) ?? `there are: ${names.join(", ")}`;
  throw new UsageError(`${collection} has no rule '${name}' (${names.length === 0 ? "it has none" : hint})`);
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
