import type { OpenAPIV3_1 } from "openapi-types";
import { type ParameterName, parameter, parameters } from "../../runtime/contract/parameters.ts";
import { isMade } from "../../runtime/contract/schema.ts";
import { inRealm, type RealmTraits } from "../../runtime/contract/traits.ts";
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import { kept } from "../../runtime/kept.ts";
import { Names } from "../print/names.ts";
import type { Embedder } from "./schemas/contracted.ts";
import type { Ref } from "./schemas/pool.ts";

type Parameter = OpenAPIV3_1.ParameterObject;

/** The parameters of a realm's operations: those that routes share, and those of one collection. */
export class Parameters {
  readonly #used = new Map<string, Parameter>();
  readonly #added = new Map<string, Ref>();
  readonly #names = new Names();
  readonly #embed: Embedder["embed"];
  readonly #traits: RealmTraits;

  constructor(embed: Embedder["embed"], traits: RealmTraits) {
    this.#embed = embed;
    this.#traits = traits;
    for (const name of Object.keys(parameters)) this.#names.claim(name);
  }

  use(name: ParameterName): Ref {
    const { schema } = parameter(name);
    if (isMade(schema)) throw new Error(`${name} is made of a collection`);
    if (!this.#used.has(name)) this.#used.set(name, told(name, this.#embed(schema), this.#traits));
    return reference(name);
  }

  /** That of a collection, added the first time under a name like the wish. */
  add(wish: string, name: ParameterName, schema: Ref, traits: RealmTraits): Ref {
    return kept(this.#added, wish, () => {
      const key = this.#names.claim(wish);
      this.#used.set(key, told(name, schema, traits));
      return reference(key);
    });
  }

  /** Those used and those added, sorted by name. */
  toObject(): Record<string, Parameter> {
    return Object.fromEntries([...this.#used].sort(([left], [right]) => (left < right ? -1 : 1)));
  }
}

function told(name: ParameterName, schema: JsonObject, traits: RealmTraits): Parameter {
  const { when: _, schema: __, description, form, examples, ...said } = parameter(name);
  return {
    ...said,
    ...(description !== undefined && { description: inRealm(description, traits) }),
    // An array on the wire: its elements with commas between them.
    ...(form === "list" && { style: "form", explode: false }),
    ...(isSchema(schema) && (form === "json" ? { content: { "application/json": { schema } } } : { schema })),
    ...(examples !== undefined && { examples: { ...examples } }),
  };
}

/** The types of OpenAPI 3.1 still speak of the schemas of 3.0 here. */
function isSchema(schema: unknown): schema is NonNullable<Parameter["schema"]> {
  return isJsonObject(schema);
}

function reference(name: string): Ref {
  return { $ref: `#/components/parameters/${name}` };
}
