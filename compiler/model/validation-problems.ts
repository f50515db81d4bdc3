/** What a failed keyword of our configuration schemas means, in the words of the catalogue. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { alternatives, closest } from "../../runtime/suggest.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { locate, type Path, type SourceFile } from "../source/source.ts";
import { keyHint, keywordHint, missingHint, namesOf, strangeIn, valueHint } from "./validation-hints.ts";
import { lastOf, type Place, type SchemaError } from "./validation-place.ts";

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

function unknownKey({ file, path, error }: Place): Problem {
  const key = String(error.params.additionalProperty);
  const span = locate(file, [...path, key], "key");
  if (error.schema["x-unknown"] === "schema-unknown-keyword") {
    const hint = keywordHint(error, key);
    return {
      diagnostic: diagnose("schema-unknown-keyword", span, { keyword: key }, { hint }),
      distinct: key,
    };
  }
  const meant = closest(key, namesOf(error));
  const diagnostic = diagnose("unknown-key", span, { key }, { hint: keyHint(error, key, meant) });
  // What the key was meant to say is unknown, so nothing is concluded from the absence of that one.
  return { diagnostic, distinct: key, ...(meant === undefined ? {} : { fault: [...path, meant] }) };
}

function missingKey(place: Place): Problem {
  const { path, error, key } = place;
  const missing = String(error.params.missingProperty);
  const where = path.length === 0 ? "" : ` in ${nameOf(path)}`;
  const hint = missingHint(place, missing);
  return {
    diagnostic: diagnose("missing-key", key, { key: missing, where }, { hint }),
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
  const hint = valueHint(place);
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
    "x-rate": rateRange(error),
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

/** In the unit of the rate that is given. */
function rateRange({ schema, value }: SchemaError): string {
  const { most }: JsonObject = isJsonObject(schema["x-rate"]) ? schema["x-rate"] : {};
  const unit = String(value).slice(-1);
  return `be between 1/${unit} and ${String(most)}/${unit}`;
}

/** `'max_age'`, `an entry of 'origins'`, `the file`. */
function nameOf(path: Path): string {
  const last = path.at(-1);
  if (last === undefined) return "the file";
  const listed = path.findLast((step) => !/^\d+$/.test(String(step)));
  return /^\d+$/.test(String(last)) && listed !== undefined ? `an entry of '${listed}'` : `'${last}'`;
}

/** A value in a message: short ones as they are. */
function describe(value: JsonValue): string {
  if (value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  const text = typeof value === "string" ? `'${value}'` : String(value);
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
}
