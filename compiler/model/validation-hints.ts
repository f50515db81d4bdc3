/** What might have been meant by a value or a key that our configuration schemas refuse. */
import { isJsonObject, type JsonValue } from "../../runtime/json.ts";
import { alternatives, didYouMean } from "../../runtime/suggest.ts";
import { printSize } from "../../runtime/units.ts";
import { lookAlikeIn } from "../diagnostics/look-alikes.ts";
import { lastOf, type Place, type SchemaError } from "./validation-place.ts";

/** @param meant one of the keys that there are */
export function keyHint(error: SchemaError, key: string, meant: string | undefined): string | undefined {
  const known = namesOf(error);
  if (known.length === 0) return undefined;
  const elsewhere = error.schema["x-elsewhere"];
  const said = isJsonObject(elsewhere) && Object.hasOwn(elsewhere, key) ? elsewhere[key] : undefined;
  if (typeof said === "string") return said;
  const suggestion =
    meant === undefined ? `the keys here are ${known.join(", ")}` : `did you mean '${meant}'?`;
  return strangeIn(key, "key") ?? suggestion;
}

/** For a keyword of schemas that there is none of. */
export function keywordHint(error: SchemaError, key: string): string | undefined {
  const own = foreignKeywords.get(key) ?? didYouMean(key, namesOf(error));
  if (own !== undefined) return own;
  const value = isJsonObject(error.value) ? error.value[key] : undefined;
  const isField = isJsonObject(value) || (typeof value === "string" && jsonTypes.includes(value));
  return isField ? "fields are declared under properties" : undefined;
}

const jsonTypes: readonly string[] = ["string", "number", "integer", "boolean", "array", "object", "null"];

/** The keys that the object takes. */
export function namesOf({ schema }: SchemaError): string[] {
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

/** What a key that is missing may say. */
export function missingHint({ file, error }: Place, missing: string): string | undefined {
  const { properties } = error.schema;
  const schema = isJsonObject(properties) ? properties[missing] : undefined;
  if (!isJsonObject(schema)) return undefined;
  if (Array.isArray(schema.enum)) return `it is ${alternatives(schema.enum.map(String))}`;
  const [example] = Array.isArray(schema.examples) ? schema.examples : [];
  if (example === undefined || isJsonObject(example)) return undefined;
  const isYaml = !file.path.endsWith(".json");
  return `as in ${isYaml ? `${missing}: ${inYaml(example)}` : `${JSON.stringify(missing)}: ${JSON.stringify(example)}`}`;
}

/** On one line. */
function inYaml(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(inYaml).join(", ")}]`;
  return typeof value === "string" && /^\w[\w./-]*$/.test(value) ? value : JSON.stringify(value);
}

/** For a value that is not what belongs there. */
export function valueHint(place: Place): string | undefined {
  const { error } = place;
  const ofKind = typeof error.value === "string" ? textHint(place, error.value) : emptyHint(place);
  return ofKind ?? unitHint(error) ?? listHint(place) ?? objectHint(error);
}

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
  if (takes(error, "array") && /^[\w.-][\w./*-]*(?:, *[\w.-][\w./*-]*)*$/.test(text))
    return listOf(text.split(/, */), isYaml);
  if ((takes(error, "integer") || takes(error, "number")) && /^-?\d+(?:\.\d+)?$/.test(text))
    return `write ${text}, without quotes`;
  const foreign = lastOf(path) === "type" ? foreignTypes : path[0] === "aggregate" ? foreignMetrics : {};
  return foreign[text] ?? didYouMean(text, candidates);
}

/** For names with values, where names alone belong. */
function listHint({ file, error }: Place): string | undefined {
  const { items } = error.schema;
  if (!takes(error, "array") || !isJsonObject(error.value) || !isJsonObject(items)) return undefined;
  const names = Object.keys(error.value);
  return items.type === "string" && names.length > 0 && names.every((name) => /^\w+$/.test(name))
    ? listOf(names, !file.path.endsWith(".json"))
    : undefined;
}

function listOf(names: readonly string[], isYaml: boolean): string {
  return `write [${names.map((name) => (isYaml ? name : JSON.stringify(name))).join(", ")}]`;
}

/** For a size or a duration as others write it. */
function unitHint({ schema, value }: SchemaError): string | undefined {
  const expected = String(schema["x-expected"]);
  if (expected.startsWith("a duration")) {
    const [, number, unit = "s"] =
      /^(\d+) *(?:([smhd])(?:ec|econd|in|inute|our|ay)?s?)?$/.exec(String(value)) ?? [];
    return number && `write ${number}${unit}`;
  }
  if (!expected.startsWith("a size")) return undefined;
  const [, number, unit] = /^([1-9]\d{0,8}) *(?:([kmg])i?)?b?$/i.exec(String(value)) ?? [];
  return (
    number && `write ${unit === undefined ? printSize(Number(number)) : `${number}${unit.toUpperCase()}iB`}`
  );
}

/** `editor:` alone is a key without a value. */
function emptyHint({ file, error }: Place): string | undefined {
  if (error.value !== null || !takes(error, "object") || file.path.endsWith(".json")) return undefined;
  if (error.schema.required !== undefined) return undefined;
  return "write {} where nothing is to be said";
}

/** What belongs into the object that is wanted. */
function objectHint(error: SchemaError): string | undefined {
  const { schema, value } = error;
  if (!takes(error, "object") || schema["x-expected"] !== undefined) return undefined;
  if (isJsonObject(schema.properties)) {
    const [only, ...others] = Array.isArray(schema.required) ? schema.required : [];
    const needed = typeof only === "string" && others.length === 0 ? schema.properties[only] : undefined;
    if (isJsonObject(needed) && Array.isArray(needed.enum) && needed.enum.includes(value))
      return `write { ${only}: ${value} }`;
    const names = namesOf(error);
    return names.length === 0 ? undefined : `its keys are ${names.join(", ")}`;
  }
  const [first] = Array.isArray(value) ? value : [value];
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

/** Says which character of a key or value cannot be told from another by looking. */
export function strangeIn(text: string, what: "key" | "value"): string | undefined {
  const strange = lookAlikeIn(text);
  return strange === undefined ? undefined : `the ${what} holds ${strange.words}`;
}
