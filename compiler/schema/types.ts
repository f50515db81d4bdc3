/** TypeScript declarations of JSON Schemas, by json-schema-to-typescript. */
import { compile, type JSONSchema } from "json-schema-to-typescript";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { kept, Recent } from "../../runtime/kept.ts";
import { commentLines } from "../../templates/print/comments.ts";
import { identifierName } from "../../templates/print/identifiers.ts";
import { escapeInvisible } from "../../templates/print/literals.ts";
import { Names, pascalCase } from "../../templates/print/names.ts";
import type { Schema } from "../model/model.ts";
import { type Target, targetOf, valueAt } from "../model/pointers.ts";
import { mapMembers } from "./walk.ts";

/**
 * Declares the type `name` for a schema, and before it one for each schema that it refers to. Unformatted; types may be
 * wider than the schema, never narrower.
 */
export async function schemaTypes(schema: Schema, name: string): Promise<string> {
  const taken = new Names();
  for (const suffix of ["", "Create", "Data", "Document", "Patch"]) taken.claim(name + suffix);
  const definitions = new Definitions([schema], taken);
  return declarations(definitions.translateRoot(schema), name);
}

/** A schema and the name of its type. */
export interface NamedSchema {
  readonly name: string;
  readonly schema: Schema;
}

/**
 * Declares the types of several schemas, and each one once that any of them refers to, as {@link schemaTypes} does.
 *
 * @param taken names that others bear, those of the schemas among them
 */
export async function typesOf(schemas: readonly NamedSchema[], taken: Names): Promise<string> {
  const definitions = new Definitions(
    schemas.map(({ schema }) => schema),
    taken,
  );
  const all = taken.claim("AllOfThem");
  const declared = await declarations(definitions.translateAll(schemas), all);
  return declared.replace(new RegExp(`^export interface ${all} \\{[^}]*\\}\\n*`, "m"), "").trimEnd();
}

/** By schema and name: what this process declared. For `realmc dev`, where most schemas stay as they are. */
const known = new Recent<string, Promise<string>>(2_000);

function declarations(root: JSONSchema, name: string): Promise<string> {
  return kept(known, JSON.stringify([root, name]), () => declare(root, name));
}

async function declare(root: JSONSchema, name: string): Promise<string> {
  const text = await compile(root, name, {
    bannerComment: "",
    format: false,
    ignoreMinAndMaxItems: true,
    $refOptions: { resolve: { external: false } },
  });
  return escapeInvisible(text).replace(betweenDeclarations, "\n\n").replace(shortComment, "/** $1 */");
}

/** A comment of one line, over three. */
const shortComment = /^\/\*\*\n \* (.*)\n \*\/$/gm;
const betweenDeclarations = /(?<!\*\/)\n(?=(?:\/\*\*\n(?: \*.*\n)*? \*\/\n)?export )/g;

/**
 * Schemas as one self-contained document in the vocabulary of json-schema-to-typescript: only keywords that bear on
 * types are taken over (it knows some that would put text into the output as it is), and every target of a reference
 * becomes a definition under a name of ours.
 */
class Definitions {
  readonly #documents: ReadonlyMap<string, JsonValue>;
  readonly #names = new Map<string, string>();
  readonly #taken: Names;
  readonly #translated: JsonObject = {};

  constructor(schemas: readonly Schema[], taken: Names) {
    const files = schemas.flatMap((schema) => schema.files);
    this.#documents = new Map(files.map(({ path, document }) => [path, document]));
    this.#taken = taken;
  }

  /** With the schema as the document's own. */
  translateRoot(schema: Schema): JSONSchema {
    this.#names.set(keyOf(schema), "");
    const root = this.#translate(valueAt(schema.document, schema.pointer), schema);
    return asSchema({ ...(isJsonObject(root) ? root : {}), $defs: this.#translated });
  }

  /** With each schema as a definition under its name, and a member of the document that refers to it. */
  translateAll(schemas: readonly NamedSchema[]): JSONSchema {
    for (const { name, schema } of schemas) this.#names.set(keyOf(schema), name);
    for (const { name, schema } of schemas)
      this.#translated[name] = this.#translate(valueAt(schema.document, schema.pointer), schema);
    const references = schemas.map(({ name }) => [name, { $ref: `#/$defs/${name}` }] as const);
    return asSchema({
      type: "object",
      properties: Object.fromEntries(references),
      additionalProperties: false,
      $defs: this.#translated,
    });
  }

  #translate(value: JsonValue | undefined, place: Target): JsonValue {
    if (value === false) return { not: {} };
    if (!isJsonObject(value)) return {};
    const result: JsonObject = {};
    for (const [keyword, translate] of Object.entries(this.#keywords)) {
      const given = value[keyword];
      if (given === undefined) continue;
      const translated = translate(given, place);
      if (translated !== undefined) result[keyword] = translated;
    }
    return this.#withReference(value, opened(tupled(documented(value, result), value, this, place)), place);
  }

  readonly #keywords: Readonly<Record<string, (value: JsonValue, place: Target) => JsonValue | undefined>> = {
    type: (value) => value,
    enum: (value) => value,
    const: (value) => value,
    required: (value) => value,
    deprecated: (value) => value === true || undefined,
    properties: (value, place) => this.#members(value, place),
    patternProperties: (value, place) => this.#members(value, place),
    additionalProperties: (value, place) =>
      typeof value === "boolean" ? value : this.#translate(value, place),
    items: (value, place) => this.#translate(value, place),
    allOf: (value, place) => this.#list(value, place),
    anyOf: (value, place) => this.#list(value, place),
    oneOf: (value, place) => this.#list(value, place),
  };

  #members(value: JsonValue, place: Target): JsonValue | undefined {
    return isJsonObject(value) ? mapMembers(value, (member) => this.#translate(member, place)) : undefined;
  }

  #list(value: JsonValue, place: Target): JsonValue | undefined {
    return Array.isArray(value) ? value.map((item) => this.#translate(item, place)) : undefined;
  }

  union(schemas: readonly JsonValue[], place: Target): JsonValue {
    return { anyOf: schemas.map((schema) => this.#translate(schema, place)) };
  }

  /** A `$ref` applies beside its siblings. */
  #withReference(value: JsonObject, translated: JsonObject, place: Target): JsonValue {
    const reference = value["$ref"];
    if (typeof reference !== "string") return translated;
    const target: JsonObject = this.#reference(reference, place);
    const constrains = Object.keys(translated).some(
      (keyword) => keyword !== "description" && keyword !== "deprecated",
    );
    // A description of the reference would be taken for the target's.
    return constrains ? { allOf: [target, translated] } : target;
  }

  #reference(reference: string, place: Target): JsonObject {
    const target = targetOf(reference, place.path);
    const document = target && this.#documents.get(target.path);
    const value = document === undefined ? undefined : valueAt(document, target?.pointer ?? "");
    // What cannot be found by file and pointer (an anchor, say) is of unknown type.
    if (target === undefined || value === undefined) return {};
    const key = keyOf(target);
    const known = this.#names.get(key);
    if (known !== undefined) return { $ref: known === "" ? "#" : `#/$defs/${known}` };
    const name = this.#freeName(target);
    this.#names.set(key, name);
    this.#translated[name] = this.#translate(value, target);
    return { $ref: `#/$defs/${name}` };
  }

  #freeName({ path, pointer }: Target): string {
    const whole = pointer === "";
    const last = whole ? path.slice(path.lastIndexOf("/") + 1) : pointer.slice(pointer.lastIndexOf("/") + 1);
    return this.#taken.claim(typeName(whole ? last.replace(/\..*$/, "") : last));
  }
}

function keyOf({ path, pointer }: Target): string {
  return `${path}#${pointer}`;
}

/** Names that emitted `types.ts` files use for something else. */
const others = [
  "DeletionMeta",
  "DocumentMeta",
  "MergePatch",
  "Omit",
  "OrganizationMeta",
  "OwnershipMeta",
  "Partial",
  "TeamMeta",
];

/** The name of a type for a configured name (`line_item` -> `LineItem`), as the generator would leave it. */
export function typeName(name: string): string {
  const words = pascalCase(name).replace(/\d[a-z]/g, (pair) => pair.toUpperCase());
  return identifierName(/^[A-Z]/.test(words) ? words : `Type${words}`, others);
}

function documented(schema: JsonObject, result: JsonObject): JsonObject {
  const lines = [schema["title"], schema["description"]]
    .flatMap((text) => (typeof text === "string" ? commentLines(text) : []))
    .filter((line) => line !== "");
  return lines.length === 0 ? result : { ...result, description: lines.join("\n") };
}

/** `prefixItems` as a list of any of its items: tuples of the generator are narrower than JSON Schema's. */
function tupled(result: JsonObject, schema: JsonObject, definitions: Definitions, place: Target): JsonObject {
  const prefix = schema["prefixItems"];
  if (!Array.isArray(prefix)) return result;
  const rest = schema["items"] ?? true;
  return { ...result, items: definitions.union(rest === false ? prefix : [...prefix, rest], place) };
}

/** Beside declared members, what others hold cannot be said by an index signature: they are unknown. */
function opened(result: JsonObject): JsonObject {
  const { patternProperties, ...others } = callable(result);
  const declares = others["properties"] !== undefined;
  const constrained = isJsonObject(others["additionalProperties"]) && declares;
  return patternProperties === undefined && !constrained ? others : { ...others, additionalProperties: true };
}

/** Without a member `hasOwnProperty`, a method that the generator calls on what it is given: it counts as undeclared. */
function callable(result: JsonObject): JsonObject {
  const { properties, required } = result;
  if (!isJsonObject(properties) || !Object.hasOwn(properties, called)) return result;
  const { [called]: _, ...others } = properties;
  const needed = Array.isArray(required) ? required.filter((name) => name !== called) : [];
  return { ...result, properties: others, required: needed, additionalProperties: true };
}

const called = "hasOwnProperty";

/** Json-schema-to-typescript's type of schemas is draft 4's; ours are plain JSON. */
function asSchema(schema: JsonObject): JSONSchema {
  return JSON.parse(JSON.stringify(schema));
}
