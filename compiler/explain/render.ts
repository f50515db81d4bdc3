/** Explained rules as text. */
import { isJsonObject } from "../../runtime/json.ts";
import type { CallerExplanation, RuleExplanation } from "./explanation.ts";
import type { RuleDescription } from "./facts.ts";
import type { ListExplanation } from "./lists.ts";

export function renderRule(explained: RuleExplanation): string {
  const { realm, collection, rule, file, line, column, text, form, facts, code, callers } = explained;
  const sections = [
    [`${realm}/${collection} ${rule}`, `${file}:${line}:${column}`],
    ["Rule", ...indented(text.split("\n"))],
    ["Form", ...indented(form)],
    ["Facts", ...indented(factLines(facts))],
    ["Emitted", ...indented(code === "" ? ["nothing: it is the same as no rule"] : code.split("\n"))],
    ...callers.map((caller, at) => callerLines(rule, caller, callers.slice(0, at))),
  ];
  return sections.map((lines) => lines.join("\n")).join("\n\n");
}

function factLines(facts: RuleDescription): readonly string[] {
  const { passes, document, data, clock, appConfig, memberships, ownOrganization } = facts;
  const asked = [
    ...(clock ? ["the clock"] : []),
    ...(appConfig ? ["appConfig"] : []),
    ...(memberships ? ["organizations and teams of the caller"] : []),
  ];
  return [
    `may hold for: ${passes.map((who) => people[who] ?? `callers with the ${who}`).join(", ") || "nobody"}`,
    `reads of the document: ${document.join(", ") || "nothing"}`,
    ...(data.length === 0 ? [] : [`reads of what is written: ${data.join(", ")}`]),
    `depends on: ${asked.join(", ") || "nothing else"}`,
    ...(ownOrganization ? ["asks about the organization that the document belongs to"] : []),
  ];
}

const people: Readonly<Record<string, string>> = {
  anonymous: "anonymous callers",
  user: "anybody who is signed in",
};

/** What is the same for a caller before is said in a line. */
function callerLines(
  rule: string,
  caller: CallerExplanation,
  before: readonly CallerExplanation[],
): readonly string[] {
  const told = outcomeLines(rule, caller);
  const twin = before.find((other) => outcomeLines(rule, other).join("\n") === told.join("\n"));
  const given = caller.caller === "anonymous" ? [] : [JSON.stringify(caller.caller)];
  const outcome = twin === undefined ? told : [`as ${twin.name}`];
  return [`Caller: ${caller.name}`, ...indented([...given, ...outcome])];
}

function outcomeLines(rule: string, { caller, holds, left, list }: CallerExplanation): readonly string[] {
  const refusal = caller === "anonymous" ? "401 unauthenticated" : "403 forbidden";
  const lines = [
    ...(left === undefined ? [] : ["where", ...indented(left)]),
    ...(list ? listLines(list) : []),
  ];
  if (rule.startsWith("fields.") && rule.endsWith(".read"))
    return {
      refused: ["never: the field is left out"],
      none: ["never: the field is left out"],
      all: ["always, so that queries may name the field"],
      some: ["in some documents, so that queries may not name the field", ...lines],
    }[holds];
  const isListed = rule === "read" || rule === "restore";
  return {
    refused: [`never: ${refusal}, whatever is stored`],
    none: [isListed ? "no document: lists are empty" : `never: ${refusal}`],
    all: [isListed ? "every document" : "always", ...lines],
    some: lines,
  }[holds];
}

function listLines({ filter, sqlite, mongodb, verdict }: ListExplanation): readonly string[] {
  const bound = sqlite.parameters.map((value, at) => `?${at + 1} = ${JSON.stringify(value)}`);
  return [
    `filter: ${filter}`,
    "SQLite",
    ...indented([...statementLines(sqlite.sql), bound.join(", ")]),
    "EXPLAIN QUERY PLAN",
    ...indented(sqlite.plan),
    "MongoDB",
    ...indented(jsonLines(mongodb)),
    verdict,
  ];
}

function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => (line === "" ? "" : `  ${line}`));
}

/** JSON on one line where it fits, else a line for each member or element. */
function jsonLines(value: unknown, room = 96): readonly string[] {
  const flat = JSON.stringify(value).replace(/"(?:[^"\\]|\\.)*"|[,:]/g, (token) =>
    token === "," || token === ":" ? `${token} ` : token,
  );
  const parts = Array.isArray(value)
    ? value.map((item) => ["", item] as const)
    : isJsonObject(value)
      ? Object.entries(value).map(([name, item]) => [`${JSON.stringify(name)}: `, item] as const)
      : [];
  if (flat.length <= room || parts.length === 0) return [flat];
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const inner = parts.flatMap(([name, item], at) => {
    const [first = "", ...rest] = jsonLines(item, room - 2 - name.length);
    const lines = [name + first, ...rest];
    const comma = at < parts.length - 1 ? "," : "";
    return lines.map((line, row) => (row === lines.length - 1 ? line + comma : line));
  });
  return [`${open}`, ...indented(inner), `${close}`];
}

const clause = /^(?:FROM|WHERE|ORDER BY|LIMIT|UNION ALL|CROSS JOIN)\b/;

/** A statement with its clauses on lines of their own, deeper within brackets. */
function statementLines(sql: string): readonly string[] {
  const lines: string[] = [""];
  let depth = 0;
  const words = sql.match(/'(?:[^']|'')*'|"(?:[^"]|"")*"|ORDER BY|UNION ALL|CROSS JOIN|\w+|\s+|./g) ?? [];
  for (const word of words) {
    if (clause.test(word)) lines.push("  ".repeat(depth));
    if (word === "(") depth += 1;
    if (word === ")") depth -= 1;
    lines[lines.length - 1] += word;
  }
  return lines.map((line) => line.trimEnd());
}
