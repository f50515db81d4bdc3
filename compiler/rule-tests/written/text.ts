/** A file of rule tests as a person would write it. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../runtime/json.ts";
import type { Ruled } from "../../matrix/accesses.ts";
import { now } from "../../proofs/candidates.ts";
import { nameOf } from "../reading.ts";
import type { Cast } from "./cast.ts";

export interface WrittenTest {
  /** `update is refused`, `triage is hidden`. */
  readonly name: string;
  readonly action: JsonObject;
  /** The clauses that it shows. */
  readonly reasons: string[];
}

export interface MissingOutcome {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
  /** What it is in no test. */
  readonly never: "true" | "false";
}

/** Characters of a name; longer clauses stand whole in the rule. */
const MAX_NAME = 100;

export function fileText(
  { collection }: Ruled,
  modeline: string,
  { callers, documents }: Cast,
  tests: readonly WrittenTest[],
  missing: readonly MissingOutcome[],
): string {
  const lines = [
    `# yaml-language-server: $schema=${modeline}`,
    `# First tests of ${nameOf(collection)}, written by \`realmc test --write\` from its rules: of each clause somebody for whom it makes`,
    "# the difference. They say what the rules do, not whether that is meant: read them, then change and name them as you like.",
    ...missing.map(
      ({ line, column, text, never }) =>
        `# Not shown, since nobody was found: ${text} (${line}:${column}) being ${never}.`,
    ),
    `now: ${now}`,
    ...section("callers", callers),
    ...section("documents", documents),
    "tests:",
    ...tests.flatMap(({ name, action, reasons: [reason = "", ...others] }) => [
      ...others.map((other) => `  # also: ${other}`),
      `  - name: ${flow(shortened(`${name}: ${reason}`))}`,
      `    ${flow(action).slice(2, -2)}`,
    ]),
  ];
  return `${lines.join("\n")}\n`;
}

function shortened(name: string): string {
  return name.length > MAX_NAME ? `${name.slice(0, MAX_NAME - 1)}…` : name;
}

function section(name: string, all: ReadonlyMap<string, JsonValue>): readonly string[] {
  if (all.size === 0) return [];
  return [`${name}:`, ...[...all].map(([key, value]) => `  ${flow(key)}: ${flow(value)}`)];
}

/** In YAML's flow style, texts without quotes where they are texts all the same. */
function flow(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(flow).join(", ")}]`;
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(([name, member = null]) => `${flow(name)}: ${flow(member)}`);
    return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
  }
  if (typeof value !== "string") return JSON.stringify(value);
  return isPlain.test(value) && !isOther.test(value) ? value : JSON.stringify(value);
}

const isPlain = /^[A-Za-z_][\w./-]*(?: [\w./-]+)*$/;
/** What YAML, in one of its versions, takes for something else than a text. */
const isOther = /^(?:true|false|null|yes|no|on|off|y|n|nan|inf)$/i;
