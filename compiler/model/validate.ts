/** Validates configuration files by our published JSON Schemas and says what is wrong at the exact place. */

import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import collectionSchema from "../../docs/schemas/collection.schema.json" with { type: "json" };
import functionSchema from "../../docs/schemas/function.schema.json" with { type: "json" };
import indexesSchema from "../../docs/schemas/indexes.schema.json" with { type: "json" };
import migrationSchema from "../../docs/schemas/migration.schema.json" with { type: "json" };
import realmSchema from "../../docs/schemas/realm.schema.json" with { type: "json" };
import ruleTestSchema from "../../docs/schemas/rule-test.schema.json" with { type: "json" };
import schemaSchema from "../../docs/schemas/schema.schema.json" with { type: "json" };
import { isJsonObject, type JsonValue } from "../../runtime/json.ts";
import { kept } from "../../runtime/kept.ts";
import { parseDuration, parseSize } from "../../runtime/units.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { toJson } from "../source/node.ts";
import { nodeAt, type Path, pathOf, type SourceFile } from "../source/source.ts";
import type { SchemaError } from "./validation-place.ts";
import { durations, type Problem, problemOf } from "./validation-problems.ts";

export type FileKind = "realm" | "collection" | "indexes" | "function" | "migration" | "rule-test" | "schema";

export interface Validation {
  readonly diagnostics: readonly Diagnostic[];
  /** Places whose value cannot be relied on: checks that need them say nothing. */
  readonly faults: readonly Path[];
}

/** Each schema is compiled when the first file of its kind is met, and once. */
const validators = new Map<FileKind, ValidateFunction>();

/** Validates a file, or the value at `at` in it. */
export function validate(kind: FileKind, file: SourceFile, at: Path = []): Validation {
  const node = nodeAt(file, at);
  const value = node === undefined ? null : at.length === 0 ? file.value : toJson(node);
  const check = validatorOf(kind);
  if (check(value)) return { diagnostics: [], faults: [] };
  const problems = once((check.errors ?? []).flatMap((error) => problemOf(file, at, factsOf(error)) ?? []));
  return {
    diagnostics: problems.map((problem) => problem.diagnostic),
    faults: problems.flatMap((problem) => (problem.fault === undefined ? [] : [problem.fault])),
  };
}

function factsOf(error: ErrorObject): SchemaError {
  const schema: unknown = error.parentSchema;
  const value: unknown = error.data;
  return {
    keyword: error.keyword,
    path: pathOf(error.instancePath),
    params: error.params,
    schema: isJsonObject(schema) ? schema : {},
    value: isJsonValue(value) ? value : null,
    aboutName: error.propertyName !== undefined,
  };
}

/** Files hold JSON values; ajv only forgets to say so. */
function isJsonValue(value: unknown): value is JsonValue {
  return value === null || ["string", "number", "boolean", "object"].includes(typeof value);
}

/** One mistake may fail several keywords at one place: the first one says it. */
function once(problems: readonly Problem[]): Problem[] {
  const seen = new Set<string>();
  return problems.filter(({ diagnostic: { span }, distinct }) => {
    const key = `${span.line}:${span.column}:${distinct}`;
    return !seen.has(key) && seen.add(key);
  });
}

function validatorOf(kind: FileKind): ValidateFunction {
  const schema = {
    realm: realmSchema,
    collection: collectionSchema,
    indexes: indexesSchema,
    function: functionSchema,
    migration: migrationSchema,
    "rule-test": ruleTestSchema,
    schema: schemaSchema,
  }[kind];
  return kept(validators, kind, () => ajv().compile(schema));
}

/** `x-size`, `x-duration`: the least and the greatest size or duration, as they are written. */
interface Range {
  readonly least: string;
  readonly most: string;
}

/** Of milliseconds; those of too many digits are unknown. */
function isInRange(duration: number | undefined, { least, most }: Range): boolean {
  return duration !== undefined && duration >= millisecondsOf(least) && duration <= millisecondsOf(most);
}

function millisecondsOf(duration: string): number {
  const milliseconds = parseDuration(duration);
  if (milliseconds === undefined) throw new Error(`${duration} is no duration`);
  return milliseconds;
}

function bytesOf(size: string): number {
  const bytes = parseSize(size);
  if (bytes === undefined) throw new Error(`${size} is no size`);
  return bytes;
}

let shared: Ajv2020 | undefined;

function ajv(): Ajv2020 {
  if (shared !== undefined) return shared;
  shared = new Ajv2020({
    allErrors: true,
    verbose: true,
    meta: false,
    validateSchema: false,
    strict: true,
    allowUnionTypes: true,
    strictRequired: false,
    strictTypes: false,
    // A few files are held against it, once: what that would save takes longer.
    code: { optimize: false },
  });
  // What values are, and where what others look for here is said: for messages.
  shared.addVocabulary(["x-expected", "x-unknown", "x-elsewhere"]);
  // What editors show of keys that are refused.
  shared.addVocabulary(["deprecationMessage", "doNotSuggest"]);
  shared.addKeyword({ keyword: "x-refused", schemaType: "string", errors: false, validate: () => false });
  shared.addKeyword({
    keyword: "x-duration",
    schemaType: ["boolean", "object"],
    type: "string",
    // Of `0s`, which is of the wrong form too, the range is what tells.
    before: "pattern",
    errors: false,
    validate: (range: true | Range, text: string) =>
      !/^\d+[smhd]$/.test(text) || isInRange(parseDuration(text), range === true ? durations : range),
  });
  shared.addKeyword({
    keyword: "x-size",
    schemaType: "object",
    type: "string",
    before: "pattern",
    errors: false,
    validate: ({ least, most }: Range, text: string) => {
      const size = parseSize(text);
      return size === undefined || (size >= bytesOf(least) && size <= bytesOf(most));
    },
  });
  shared.addKeyword({
    keyword: "x-rate",
    schemaType: "object",
    type: "string",
    before: "pattern",
    errors: false,
    validate: ({ most }: { readonly most: number }, text: string) => {
      const count = /^(\d+)\/[mhd]$/.exec(text)?.[1];
      return count === undefined || (Number(count) >= 1 && Number(count) <= most);
    },
  });
  shared.addSchema(schemaSchema, "schema.schema.json");
  return shared;
}
