/** Standalone validators by ajv: the code that emitted `validate.js` files hold. */
import { createRequire } from "node:module";
import { _ } from "ajv/dist/compile/codegen/index.js";
import type { Detail } from "../../runtime/errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { kept, Recent } from "../../runtime/kept.ts";
import type { Validator } from "../../runtime/realm/validator.ts";
import { validationDetails } from "../../runtime/validation/details.ts";
import { formats } from "../../runtime/validation/formats.ts";
import { escapeInvisible } from "../../templates/print/literals.ts";
import { ownVocabulary, safeInteger, safeIntegers, slowPattern } from "./ajv-keywords.ts";
import { type Schema, schemaKeys } from "./place.ts";
import { acceptedLength, slowPatternKeyword } from "./slow-pattern.ts";
import { withStableNames } from "./stable-names.ts";
import { mapSubschemas, mentions } from "./walk.ts";

// CommonJS whose default exports every loader of ours would wrap differently.
const require = createRequire(import.meta.url);
const { default: Ajv }: typeof import("ajv/dist/core.js") = require("ajv/dist/core.js");
const { default: vocabularies }: typeof import("ajv/dist/vocabularies/draft2020.js") =
  require("ajv/dist/vocabularies/draft2020.js");
const { default: standaloneCode }: typeof import("ajv/dist/standalone/index.js") =
  require("ajv/dist/standalone/index.js");

/** Code of a validator and what it needs from `realmc/runtime`. */
export interface ValidatorCode {
  /** Declares and exports `validate`. */
  readonly text: string;
  /** Names to import from `realmc/runtime`, sorted. */
  readonly helpers: readonly string[];
}

const leftOut = new Set([
  // They mean something to ajv and nothing to JSON Schema.
  ...["$async", "discriminator", "id", "nullable"],
  // Nothing follows from them; a validator does not change with them.
  ...["$comment", "$schema", "deprecated", "description", "readOnly", "title", "writeOnly", "x-svc-store"],
]);

/** By schema: what this process compiled. For `realmc dev`, where most schemas stay as they are. */
const known = new Recent<string, ValidatorCode>(2_000);

/**
 * Compiles a schema to code that reports all errors, asserts formats and changes nothing in what it validates.
 * @throws Error when the schema is not one that ajv can compile; the model's checks come before.
 */
export function validatorCode(schema: Schema): ValidatorCode {
  return kept(known, JSON.stringify(schema), () => compile(schema));
}

/** The validator itself, for use within the compiler. */
export function validatorFunction(schema: Schema): (value: JsonValue) => boolean {
  const { compiled } = compiledSchema(schema);
  return (value) => compiled(value) === true;
}

/** The same, with what is wrong, as emitted validators say it. */
export function schemaValidator(schema: Schema): Validator {
  const { compiled } = compiledSchema(schema);
  const validate: Validator = (value) => {
    const isValid = compiled(value) === true;
    validate.errors = compiled.errors ?? null;
    return isValid;
  };
  return validate;
}

/** What of an object does not fit, in the words of answers: one detail per failing member, by its path. */
export function misfitsFunction(schema: Schema): (value: JsonObject) => readonly Detail[] {
  const validate = schemaValidator(schema);
  return (value) => (validate(value) ? [] : validationDetails(validate.errors ?? [], "", value));
}

function compile(schema: Schema): ValidatorCode {
  const { ajv, compiled } = compiledSchema(schema);
  return withImports(standaloneCode(ajv, compiled));
}

function compiledSchema(schema: Schema) {
  const documents = schema.files.map((file) => file.document);
  const uses = (word: string): boolean => documents.some((document) => mentions(document, word));
  const tracking = { props: uses("unevaluatedProperties"), items: uses("unevaluatedItems") };
  const ajv = new Ajv({
    allErrors: true,
    strict: false,
    // The model has been checked against the meta-schema.
    meta: false,
    validateSchema: false,
    unicodeRegExp: true,
    // Names such as `constructor` are found on every object, unless only its own are looked at.
    ownProperties: inheritedNames.some(uses),
    next: true,
    dynamicRef: uses("$dynamicRef") || uses("$dynamicAnchor"),
    unevaluated: tracking.props || tracking.items,
    code: { source: true, esm: true, lines: true, formats: _`require("realmc/runtime").formats` },
    logger: { log: refuse, warn: refuse, error: refuse },
  });
  for (const vocabulary of vocabularies) ajv.addVocabulary(ownVocabulary(vocabulary, tracking));
  ajv.addKeyword(safeIntegers).addKeyword(slowPattern);
  for (const [name, format] of Object.entries(formats)) ajv.addFormat(name, format);
  for (const file of schema.files) ajv.addSchema(ajvDocument(file), fileUri(file.path));
  const fragment = schema.pointer === "" ? "" : `#${encodeURI(schema.pointer)}`;
  const compiled = ajv.getSchema(fileUri(schema.path) + fragment);
  if (compiled === undefined) throw new Error(`no schema at ${schema.path}#${schema.pointer}`);
  return { ajv, compiled };
}

const inheritedNames: readonly string[] = Object.getOwnPropertyNames(Object.prototype);

function refuse(...messages: readonly unknown[]): never {
  throw new Error(messages.join(" "));
}

function fileUri(path: string): string {
  return `realm:///${path.split("/").map(encodeURIComponent).join("/")}`;
}

/** A file of schemas is a schema itself, but for those of settings, which hold some. */
function ajvDocument({ path, document }: Schema["files"][number]): Record<string, unknown> | boolean {
  const keys = schemaKeys(path);
  if (keys === undefined || !isJsonObject(document)) return ajvSchema(document);
  return Object.fromEntries(
    keys.flatMap((key) => {
      const schema = document[key];
      return schema === undefined ? [] : [[key, ajvSchema(schema)]];
    }),
  );
}

function ajvSchema(schema: JsonValue): Record<string, unknown> | boolean {
  if (isJsonObject(schema)) return knownKeywords(schema);
  if (typeof schema === "boolean") return schema;
  throw new Error("a schema is an object or a boolean");
}

function knownKeywords(schema: JsonObject): JsonObject {
  const kept = Object.entries(withProtoPattern(withSlowPattern(schema))).filter(
    ([keyword]) => !leftOut.has(keyword),
  );
  const known = Object.fromEntries(asksForIntegers(schema) ? [...kept, [safeInteger, true]] : kept);
  const mapped = mapSubschemas(known, (subschema) =>
    isJsonObject(subschema) ? knownKeywords(subschema) : subschema,
  );
  if (isAliasOfFile(mapped)) {
    // Where a pointer leads to nothing but a reference, ajv takes that file's own references for the pointer's file's.
    const { $ref, ...others } = mapped;
    return { ...others, allOf: [{ $ref }] };
  }
  if (!Array.isArray(mapped["enum"]) || mapped["enum"].length > 0) return mapped;
  // ajv refuses to compile the empty enumeration, which nothing fits.
  const { enum: _empty, allOf, ...others } = mapped;
  return { ...others, allOf: [...(Array.isArray(allOf) ? allOf : []), false] };
}

function asksForIntegers({ type }: JsonObject): boolean {
  return type === "integer" || (Array.isArray(type) && type.includes("integer") && !type.includes("number"));
}

/** With an accepted pattern under that keyword. */
function withSlowPattern(schema: JsonObject): JsonObject {
  const { [slowPatternKeyword]: _accepted, ...plain } = schema;
  if (acceptedLength(schema) === undefined) return plain;
  const { pattern, ...others } = plain;
  return pattern === undefined ? plain : { ...others, [slowPatternKeyword]: pattern };
}

/** Ajv passes over a property of this name, and takes it for an additional one; by a pattern it is found. */
function withProtoPattern(schema: JsonObject): JsonObject {
  const { properties, patternProperties } = schema;
  const property =
    isJsonObject(properties) && Object.hasOwn(properties, protoName) ? properties[protoName] : undefined;
  if (property === undefined) return schema;
  const patterns = isJsonObject(patternProperties) ? patternProperties : {};
  const beside = patterns[protoPattern];
  const both = beside === undefined ? property : { allOf: [beside, property] };
  return { ...schema, patternProperties: { ...patterns, [protoPattern]: both } };
}

const protoPattern = "^__proto__$";
const protoName = "__proto__";

/** `{ "$ref": "address.json" }`, with `$defs` at most. */
function isAliasOfFile({ $ref, $defs: _, ...others }: JsonObject): boolean {
  return (
    typeof $ref === "string" && !/#./.test($ref) && !$ref.startsWith("#") && Object.keys(others).length === 0
  );
}

/** What ajv's code requires, and what the runtime has in its place. */
const runtimeNames: Readonly<Record<string, string>> = {
  'require("ajv/dist/runtime/equal").default': "equal",
  'require("ajv/dist/runtime/ucs2length").default': "codePointLength",
  'require("realmc/runtime").duplicateItems': "duplicateItems",
  'require("realmc/runtime").evaluated': "evaluated",
  'require("realmc/runtime").isMultipleOf': "isMultipleOf",
};

/** The code as an ES module's body: what it requires becomes imports, what nobody needs goes. */
function withImports(text: string): ValidatorCode {
  const helpers = new Set<string>();
  const use = (helper: string): string => {
    helpers.add(helper);
    return helper;
  };
  const body = text
    // A file's `$id` in a comment could end it; strings never hold line ends, so a whole line is a whole comment.
    .replace(/^\/\*# sourceURL=.*\n/gm, "")
    .replace(/^"use strict";\n/, "")
    .replace(/^export default .*;\n/m, "")
    .replace(/^const (\w+) = (require\("[^"]*"\)\.\w+);$/gm, (line, local: string, required: string) => {
      const helper = runtimeNames[required];
      return helper === undefined ? line : `const ${local} = ${use(helper)};`;
    })
    .replace(
      /^(const \w+ = )require\("realmc\/runtime"\)\.(formats(?=[.[])|linearPattern(?=\())/gm,
      (_line, start: string, helper: string) => start + use(helper),
    )
    // Fewer lines, and no name.
    .replace(
      /^const (err\d+) = (\{(?:.*\n){0,3}?.*\});\nif\(vErrors === null\)\{\nvErrors = \[\1\];\n\}\nelse \{\nvErrors\.push\(\1\);\n\}\n/gm,
      (_lines, _name, error: string) => `(vErrors ??= []).push(${error});\n`,
    )
    .replace(
      /^(vErrors = vErrors === null \? (\S+) : )vErrors\.concat\(\2\);$/gm,
      (_line, start: string, errors: string) => {
        return `${start}${use("appendErrors")}(vErrors, ${errors});`;
      },
    );
  const outsideStrings = body.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  const left = /require\s*\(|sourceURL|\.concat\(/.exec(outsideStrings);
  if (left !== null) throw new Error(`ajv emitted ${left[0]}, which no import replaces`);
  return { text: escapeInvisible(withStableNames(withoutUnused(body))), helpers: [...helpers].sort() };
}

/** Without the schemas that no check refers to. */
function withoutUnused(text: string): string {
  return text.replace(/^const (schema\d+) = .*;\n/gm, (line, name: string) =>
    [...text.matchAll(new RegExp(`\\b${name}\\b`, "g"))].length > 1 ? line : "",
  );
}
