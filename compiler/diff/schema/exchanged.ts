/** Two schemas of what goes one way: what a function takes is only written, what it returns is only read. */
import { fill } from "../../diagnostics/diagnose.ts";
import type { Schema } from "../../schema/place.ts";
import type { CheckEntry } from "../../settings/change.ts";
import type { Report } from "../catalogue.ts";
import { schemaChecks } from "../checks/schema.ts";
import { compareSchemas } from "./compare.ts";

type SchemaCheck = keyof typeof schemaChecks;

interface OneWay {
  /** Whether fewer or more calls are accepted. */
  readonly input: "input-narrowed" | "input-widened";
  /** What callers may receive: a form that they do not know, more of the form that they do, or less. */
  readonly output: "output-narrowed" | "output-extended" | "output-widened";
  /** In the place of a message that speaks of readers or writers alone. */
  readonly words?: string;
}

const fewer = { input: "input-narrowed", output: "output-narrowed" } as const;
const more = { input: "input-widened", output: "output-extended" } as const;
/** More, in a form that nobody knows. */
const others = { input: "input-widened", output: "output-widened" } as const;
/** Nobody can tell. */
const undecided = { input: "input-narrowed", output: "output-widened" } as const;

/** Changes that values are the same by are told as of documents. */
const oneWay: Readonly<Record<Exclude<SchemaCheck, "description-changed" | "schema-rewritten">, OneWay>> = {
  "field-removed": undecided,
  "field-added": more,
  "field-added-required": { input: "input-narrowed", output: "output-extended" },
  "field-now-required": fewer,
  "field-now-optional": { ...others, words: "the field is optional" },
  "type-narrowed": fewer,
  "type-widened": { ...others, words: "was {old}, may be {new}" },
  "type-changed": undecided,
  "null-refused": fewer,
  "null-allowed": { ...others, words: "may be null" },
  "storage-changed": undecided,
  "value-removed": { ...fewer, words: "{values} is not among the values any longer" },
  "value-added": { ...more, words: "{values} is among the values" },
  "values-introduced": { ...fewer, words: "is one of {values} alone" },
  "values-lifted": { ...more, words: "may be another value than {values}" },
  "limit-tightened": fewer,
  "limit-relaxed": more,
  "pattern-added": fewer,
  "pattern-removed": more,
  "pattern-changed": undecided,
  "format-added": fewer,
  "format-removed": more,
  "format-changed": undecided,
  "items-unique": fewer,
  "items-may-repeat": more,
  "members-refused": { ...fewer, words: "there are no members but those that are declared" },
  "members-allowed": { ...more, words: "there may be members that are not declared" },
  "variant-removed": fewer,
  "variant-added": { ...others, words: "an alternative is new: {variant}" },
  "variants-changed": undecided,
  "condition-added": fewer,
  "condition-removed": more,
  "condition-changed": undecided,
};

/** A call without `input` takes the empty object alone, one without `output` returns anything. */
const undeclared: Readonly<Record<"input" | "output", Schema>> = {
  input: { path: "", pointer: "", document: { type: "object", additionalProperties: false }, files: [] },
  output: { path: "", pointer: "", document: {}, files: [] },
};

export function compareExchanged(
  way: "input" | "output",
  [old, now]: readonly [Schema | undefined, Schema | undefined],
  place: string,
  report: Report,
): void {
  if (old === undefined && now === undefined) return;
  const told: Report = (check, where, parameters) => {
    if (!isOneWay(check)) {
      report(check, where, parameters);
      return;
    }
    const entry: CheckEntry = schemaChecks[check];
    const { words = entry.message, input, output } = oneWay[check];
    report(way === "input" ? input : output, where, { change: fill(words, parameters) });
  };
  compareSchemas(old ?? undeclared[way], now ?? undeclared[way], `${place} ${way}`, told);
}

function isOneWay(check: string): check is keyof typeof oneWay {
  return Object.hasOwn(oneWay, check);
}
