/** TypeScript declarations of JSON Schemas, by json-schema-to-typescript. */
import { compile, type JSONSchema } from "json-schema-to-typescript";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { kept, Recent } from "../../runtime/kept.ts";
import { commentLines } from "../../templates/print/comments.ts";
import { identifierName } from "../../templates/print/identifiers.ts";
import { escapeInvisible } from "../../templates/print/literals.ts";
import { Names, pascalCase } from "../../templates/print/names.ts";
import { pointerOf } from "../source/source.ts";
import { below, isPart, keyOf, type Part, type Place, placeOf, referred, type Schema } from "./place.ts";
import { withoutStructuredValues } from "./structured-values.ts";
import { branchesOf, innerOf, mapHeld } from "./walk.ts";

/**
 * Declares the type `name` for a schema, and before it one for each schema that it refers to. Unformatted; types may be
 * wider than the schema, never narrower.
 */
export async function schemaTypes(schema: Schema, name: string): Promise<string> {
  const taken = new Names();
  for (const suffix of ["", "Create", "Data", "Document", "Patch"]) taken.claim(name + suffix);
  const definitions = new Definitions(taken);
  return declarations(definitions.translateRoot(schema), name);
}

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
  const definitions = new Definitions(taken);
  const all = taken.claim("AllOfThem");
  const declared = await declarations(definitions.translateAll(schemas), all);
  return declared.replace(new RegExp(`^export interface ${all} \\{[^}]*\\}\\n*`, "m"), "").trimEnd();
}

/** By schema and name: what this process declared. For `realmc dev`, where most schemas stay as they are. */
const known = new Recent<string, Promise<string>>(2_000);

function declarations(root: JsonObject, name: string): Promise<string> {
  return kept(known, JSON.stringify([root, name]), () => declare(root, name));
}

async function declare(root: JsonObject, name: string): Promise<string> {
  const { schema, restore } = withoutStructuredValues(root);
  const text = await compile(asSchema(schema), name, {
    bannerComment: "",
    format: false,
    ignoreMinAndMaxItems: true,
    $refOptions: { resolve: { external: false } },
  });
  return escapeInvisible(restore(text))
    .replace(betweenDeclarations, "\n\n")
    .replace(shortComment, "/** $1 */");
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
  readonly #names = new Map<string, string>();
  readonly #taken: Names;
  readonly #translated: JsonObject = {};

  constructor(taken: Names) {
    this.#taken = taken;
  }

  /** With the schema as the document's own. */
  translateRoot(schema: Schema): JsonObject {
    const place = placeOf(schema);
    this.#names.set(keyOf(place), "");
    const root = this.#translate(place);
    return { ...(isJsonObject(root) ? root : {}), $defs: this.#translated };
  }

  /** With each schema as a definition under its name, and a member of the document that refers to it. */
  translateAll(schemas: readonly NamedSchema[]): JsonObject {
    const places = schemas.map(({ name, schema }) => ({ name, place: placeOf(schema) }));
    for (const { name, place } of places) this.#names.set(keyOf(place), name);
    for (const { name, place } of places) this.#translated[name] = this.#translate(place);
    const references = schemas.map(({ name }) => [name, { $ref: `#/$defs/${name}` }] as const);
    return {
      type: "object",
      properties: Object.fromEntries(references),
      additionalProperties: false,
      $defs: this.#translated,
    };
  }

  #translate(place: Place): JsonValue {
    if (place.schema === false) return { not: {} };
    if (!isPart(place)) return {};
    const result: JsonObject = {};
    for (const name of vocabulary) {
      const held = place.schema[name];
      if (held === undefined || (name === "deprecated" && held !== true)) continue;
      // Whether there may be other members stays what it is.
      result[name] = typeof held === "boolean" && name !== "items" ? held : this.#held(place, name, held);
    }
    const own = opened(this.#tupled(documented(place.schema, result), place));
    return this.#withReference(place, conjoined(own));
  }

  #held(part: Part, name: string, held: JsonValue): JsonValue | undefined {
    return mapHeld(name, held, (schema, steps) => this.#translate(below(part, steps, schema)));
  }

  /** `prefixItems` as a list of any of its items: tuples of the generator are narrower than JSON Schema's. */
  #tupled(result: JsonObject, part: Part): JsonObject {
    if (!Array.isArray(part.schema["prefixItems"])) return result;
    const rest = part.schema["items"] === undefined ? [below(part, ["items"], true)] : innerOf(part, "items");
    const all = [...branchesOf(part, "prefixItems"), ...rest.filter(({ schema }) => schema !== false)];
    return { ...result, items: { anyOf: all.map((place) => this.#translate(place)) } };
  }

  /** A `$ref` applies beside its siblings. */
  #withReference(part: Part, translated: JsonObject): JsonValue {
    if (typeof part.schema["$ref"] !== "string") return translated;
    const target = this.#reference(part);
    const constrains = Object.keys(translated).some(
      (keyword) => keyword !== "description" && keyword !== "deprecated",
    );
    // A description of the reference would be taken for the target's.
    return constrains ? { allOf: [target, translated] } : target;
  }

  #reference(part: Part): JsonObject {
    const target = referred(part);
    // What cannot be found by file and pointer (an anchor, say) is of unknown type.
    if (target === undefined) return {};
    const key = keyOf(target);
    const known = this.#names.get(key);
    if (known !== undefined) return { $ref: known === "" ? "#" : `#/$defs/${known}` };
    const name = this.#freeName(target);
    this.#names.set(key, name);
    this.#translated[name] = this.#translate(target);
    return { $ref: `#/$defs/${name}` };
  }

  #freeName({ path, at }: Place): string {
    const file = path.slice(path.lastIndexOf("/") + 1).replace(/\..*$/, "");
    return this.#taken.claim(typeName(at.length === 0 ? file : pointerOf(at.slice(-1)).slice(1)));
  }
}

/** Keywords that bear on types, in the order in which the generator is given them. */
const vocabulary = [
  ...["type", "enum", "const", "required", "deprecated"],
  ...["properties", "patternProperties", "additionalProperties", "items", "allOf", "anyOf", "oneOf"],
];

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

/** What stands beside an `allOf` inside of it: the generator fails where one of the two leads back to their schema. */
function conjoined(schema: JsonObject): JsonObject {
  const { allOf, description, deprecated, ...beside } = schema;
  const isType = Object.entries(beside).some(
    ([name, held]) => besideAllOf.has(name) || (name === "type" && held !== "object"),
  );
  if (!Array.isArray(allOf) || !isType) return schema;
  return {
    ...(description === undefined ? {} : { description }),
    ...(deprecated === undefined ? {} : { deprecated }),
    allOf: [...allOf, beside],
  };
}

/** Keywords that are a type of their own beside an `allOf`. */
const besideAllOf: ReadonlySet<string> = new Set([
  ...["const", "enum", "properties", "patternProperties", "items", "anyOf", "oneOf"],
]);

/** Json-schema-to-typescript's type of schemas is draft 4's; ours are plain JSON. */
function asSchema(schema: JsonObject): JSONSchema {
  return JSON.parse(JSON.stringify(schema));
}
