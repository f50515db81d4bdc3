/** What a failed keyword of our configuration schemas means, in the words of the catalogue. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { alternatives, closest, didYouMean } from "../../runtime/suggest.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { lookAlikeIn } from "../diagnostics/look-alikes.ts";
import { locate, type Path, type SourceFile } from "../source/source.ts";

/** What one ajv error says, with the schema around the failed keyword. */
export interface SchemaError {
  readonly keyword: string;
  readonly path: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
  readonly schema: JsonObject;
  readonly value: JsonValue;
  /** The error is about the name of a member, not about a value. */
  readonly aboutName: boolean;
}

/** What any duration of the configuration may be: a second to a hundred years. */
export const durations = { least: "1s", most: "36500d" } as const;

export interface Problem {
  readonly diagnostic: Diagnostic;
  /** A place whose value cannot be relied on. */
  readonly fault?: Path;
  /** Problems at one place of which only the first is worth telling are the same here. */
  readonly distinct: string;
}

/** `undefined` for errors that only repeat others. */
export function problemOf(file: SourceFile, at: Path, error: SchemaError): Problem | undefined {
  if (error.keyword === "if" || error.aboutName) return undefined;
  const path = [...at, ...error.path];
  const place: Place = { file, path, error, value: locate(file, path), key: locate(file, path, "key") };
  switch (error.keyword) {
    case "additionalProperties":
      return unknownKey(place);
    case "required":
      return missingKey(place);
    case "propertyNames":
      return badName(place);
    case "uniqueItems":
      return repeatedItem(place);
    case "x-refused":
      return refused(place);
    case "type":
    case "enum":
    case "const":
    case "pattern":
      return badValue(place);
    default:
      return outOfRange(place);
  }
}

interface Place {
  readonly file: SourceFile;
  readonly path: Path;
  readonly error: SchemaError;
  readonly value: Diagnostic["span"];
  readonly key: Diagnostic["span"];
}

function unknownKey({ file, path, error }: Place): Problem {
  const key = String(error.params.additionalProperty);
  const span = locate(file, [...path, key], "key");
  if (error.schema["x-unknown"] === "schema-unknown-keyword") {
    const hint = foreignKeywords.get(key) ?? didYouMean(key, namesOf(error));
    return {
      diagnostic: diagnose("schema-unknown-keyword", span, { keyword: key }, { hint }),
      distinct: key,
    };
  }
  const known = namesOf(error);
  const meant = closest(key, known);
  const hint =
    strangeIn(key, "key") ??
    (meant !== undefined ? `did you mean '${meant}'?` : `the keys here are ${known.join(", ")}`);
  const diagnostic = diagnose("unknown-key", span, { key }, known.length === 0 ? {} : { hint });
  // What the key was meant to say is unknown, so nothing is concluded from the absence of that one.
  return { diagnostic, distinct: key, ...(meant === undefined ? {} : { fault: [...path, meant] }) };
}

/** The keys that the object takes. */
function namesOf({ schema }: SchemaError): string[] {
  const { properties } = schema;
  if (!isJsonObject(properties)) return [];
  return Object.entries(properties).flatMap(([name, sub]) =>
    isJsonObject(sub) && sub["x-refused"] !== undefined ? [] : [name],
  );
}

/** Keywords of other dialects, with what says the same here. */
const foreignKeywords: ReadonlyMap<string, string> = new Map(
  Object.entries({
    definitions: "in draft 2020-12 it is called $defs",
    id: "fields are declared under properties",
    nullable: 'write "type": ["string", "null"]',
    example: "write examples, an array",
    dependencies: "write dependentRequired or dependentSchemas",
    additionalItems: "write prefixItems for the first elements and items for the others",
    discriminator: "write oneOf with a const in each branch",
  }),
);

function missingKey({ path, error, key }: Place): Problem {
  const missing = String(error.params.missingProperty);
  const where = path.length === 0 ? "" : ` in ${nameOf(path)}`;
  return {
    diagnostic: diagnose("missing-key", key, { key: missing, where }),
    fault: [...path, missing],
    distinct: missing,
  };
}

function badName({ file, path, error }: Place): Problem {
  const name = String(error.params.propertyName);
  const names = error.schema.propertyNames;
  const expected = isJsonObject(names) ? String(names["x-expected"]) : "a valid name";
  const span = locate(file, [...path, name], "key");
  const hint = strangeIn(name, "key");
  return {
    diagnostic: diagnose("wrong-value", span, { what: "this key", expected, found: `'${name}'` }, { hint }),
    fault: [...path, name],
    distinct: name,
  };
}

function repeatedItem({ file, path, error, key }: Place): Problem {
  const [later, earlier] = [Number(error.params.i), Number(error.params.j)].sort((a, b) => b - a);
  const items = Array.isArray(error.value) ? error.value : [];
  const span = later === undefined ? key : locate(file, [...path, later]);
  const related =
    earlier === undefined
      ? []
      : [{ message: "it stands here first", span: locate(file, [...path, earlier]) }];
  const item = JSON.stringify(items[later ?? 0] ?? null);
  return { diagnostic: diagnose("duplicate-item", span, { item }, { related }), distinct: "item" };
}

function refused({ path, error, key }: Place): Problem {
  const diagnostic =
    error.schema["x-refused"] === "rule-invoke"
      ? diagnose("rule-invoke", key, {})
      : diagnose("schema-unsupported-keyword", key, { keyword: lastOf(path) });
  return { diagnostic, distinct: "refused" };
}

function badValue(place: Place): Problem {
  const { path, error, value } = place;
  const code = error.keyword === "type" ? "wrong-type" : "wrong-value";
  const parameters = { what: nameOf(path), expected: expectedBy(error), found: describe(error.value) };
  const hint =
    (typeof error.value === "string" ? textHint(place, error.value) : emptyHint(place)) ??
    unitHint(error) ??
    objectHint(error);
  return { diagnostic: diagnose(code, value, parameters, { hint }), fault: path, distinct: "value" };
}

function expectedBy({ schema, keyword, params }: SchemaError): string {
  if (typeof schema["x-expected"] === "string") return schema["x-expected"];
  if (keyword === "enum" && Array.isArray(params.allowedValues))
    return alternatives(params.allowedValues.map(String));
  const types: readonly unknown[] = Array.isArray(schema.type) ? schema.type : [schema.type];
  return types.map((type) => typeNames[String(type)] ?? "another value").join(" or ");
}

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  object: "an object with keys and values",
  array: "a list",
  null: "null",
};

/** For a text that is no such value. */
function textHint({ file, path, error }: Place, text: string): string | undefined {
  const strange = strangeIn(text, "value");
  if (strange !== undefined) return strange;
  const { allowedValues, allowedValue } = error.params;
  const candidates = Array.isArray(allowedValues) ? allowedValues.map(String) : [];
  if (typeof allowedValue === "string") candidates.push(allowedValue);
  const isYaml = !file.path.endsWith(".json");
  if (takes(error, "boolean") || String(error.schema["x-expected"]).startsWith("true, false,")) {
    // YAML 1.1 had more words for booleans.
    const word = /^(?:yes|on|y|true)$/i.test(text)
      ? "true"
      : /^(?:no|off|n|false)$/i.test(text)
        ? "false"
        : "";
    if (word !== "")
      return isYaml ? `in YAML 1.2 this is a string; write ${word}` : `write ${word}, without quotes`;
  }
  if (isYaml && takes(error, "object") && /^\w+:[^\s/]/.test(text))
    return "a space follows the ':' after a key";
  if (String(error.schema["x-expected"]).startsWith("a schema") && /^[^{}\n]+\.json(?:#.*)?$/.test(text))
    return isYaml ? `write { $ref: ${text} }` : `write { "$ref": ${JSON.stringify(text)} }`;
  if (takes(error, "array") && /^[\w.-]+(?:, *[\w.-]+)*$/.test(text)) {
    const items = text.split(/, */).map((item) => (isYaml ? item : JSON.stringify(item)));
    return `write [${items.join(", ")}]`;
  }
  if ((takes(error, "integer") || takes(error, "number")) && /^-?\d+(?:\.\d+)?$/.test(text))
    return `write ${text}, without quotes`;
  const foreign = lastOf(path) === "type" ? foreignTypes : path[0] === "aggregate" ? foreignMetrics : {};
  return foreign[text] ?? didYouMean(text, candidates);
}

/** For a size or a duration as others write it. */
function unitHint({ schema, value }: SchemaError): string | undefined {
  const expected = String(schema["x-expected"]);
  if (expected.startsWith("a duration")) {
    const [, number, unit = "s"] = /^(\d+) *([smhd])?$/.exec(String(value)) ?? [];
    return number === undefined ? undefined : `write ${number}${unit}`;
  }
  if (!expected.startsWith("a size")) return undefined;
  const [, number, unit = ""] = /^(\d+) *([kmg])i?b?$/i.exec(String(value)) ?? [];
  return number === undefined ? undefined : `write ${number}${unit.toUpperCase()}iB`;
}

/** `editor:` alone is a key without a value. */
function emptyHint({ file, error }: Place): string | undefined {
  if (error.value !== null || !takes(error, "object") || file.path.endsWith(".json")) return undefined;
  if (error.schema.required !== undefined) return undefined;
  return "write {} where nothing is to be said";
}

/** What belongs into the object that is wanted. */
function objectHint(error: SchemaError): string | undefined {
  if (!takes(error, "object") || error.schema["x-expected"] !== undefined) return undefined;
  if (isJsonObject(error.schema.properties)) {
    const names = namesOf(error);
    return names.length === 0 ? undefined : `its keys are ${names.join(", ")}`;
  }
  const [first] = Array.isArray(error.value) ? error.value : [];
  return typeof first === "string" ? `write a key for each entry, as in ${first}: …` : undefined;
}

function takes({ schema, keyword }: SchemaError, type: string): boolean {
  return keyword === "type" && (Array.isArray(schema.type) ? schema.type : [schema.type]).includes(type);
}

/** Types of other languages, with what says the same here. */
const foreignTypes: Readonly<Record<string, string>> = {
  int: "did you mean 'integer'?",
  float: "did you mean 'number'?",
  double: "did you mean 'number'?",
  bool: "did you mean 'boolean'?",
  date: 'write "type": "string", "format": "date"',
  datetime: 'write "type": "string", "format": "date-time"',
};

/** Names that other tools give to functions of `aggregate.metrics`. */
const foreignMetrics: Readonly<Record<string, string>> = {
  average: "did you mean 'avg'?",
  mean: "did you mean 'avg'?",
  minimum: "did you mean 'min'?",
  maximum: "did you mean 'max'?",
  count: "documents can be counted without saying so; distinct counts the values of a field",
  count_distinct: "did you mean 'distinct'?",
};

function outOfRange({ path, error, value }: Place): Problem {
  const limit = String(error.params.limit);
  const expected: Readonly<Record<string, string>> = {
    minimum: `be at least ${limit}`,
    maximum: `be at most ${limit}`,
    exclusiveMinimum: `be greater than ${limit}`,
    exclusiveMaximum: `be less than ${limit}`,
    minItems: limit === "1" ? "not be empty" : `have at least ${limit} entries`,
    maxItems: `have at most ${limit} entries`,
    minProperties: limit === "1" ? "not be empty" : `have at least ${limit} entries`,
    maxProperties: `have at most ${limit} entries`,
    minLength: limit === "1" ? "not be empty" : `have at least ${limit} characters`,
    maxLength: `have at most ${limit} characters`,
    "x-size": range(error.schema["x-size"]),
    "x-duration": range(error.schema["x-duration"]),
  };
  const parameters = {
    what: nameOf(path),
    expected: expected[error.keyword] ?? `be valid by ${error.keyword}`,
  };
  return { diagnostic: diagnose("out-of-range", value, parameters), fault: path, distinct: "value" };
}

function range(given: JsonValue | undefined): string {
  const { least, most }: JsonObject = isJsonObject(given) ? given : durations;
  return `be between ${String(least)} and ${String(most)}`;
}

/** Says which character of a key or value cannot be told from another by looking. */
function strangeIn(text: string, what: "key" | "value"): string | undefined {
  const strange = lookAlikeIn(text);
  return strange === undefined ? undefined : `the ${what} holds ${strange.words}`;
}

/** `'max_age'`, `an entry of 'origins'`, `the file`. */
function nameOf(path: Path): string {
  const last = path.at(-1);
  if (last === undefined) return "the file";
  const listed = path.findLast((step) => !/^\d+$/.test(String(step)));
  return /^\d+$/.test(String(last)) && listed !== undefined ? `an entry of '${listed}'` : `'${last}'`;
}

function lastOf(path: Path): string {
  return String(path.at(-1) ?? "");
}

/** A value in a message: short ones as they are. */
function describe(value: JsonValue): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  const text = typeof value === "string" ? `'${value}'` : String(value);
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
}
