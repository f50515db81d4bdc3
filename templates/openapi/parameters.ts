import type { OpenAPIV3_1 } from "openapi-types";
import { type ParameterName, parameter, parameters } from "../../runtime/contract/parameters.ts";
import { isJsonObject } from "../../runtime/json.ts";
import { Names } from "../print/names.ts";
import type { Embedder } from "./schemas/contracted.ts";
import type { Ref } from "./schemas/pool.ts";

type Parameter = OpenAPIV3_1.ParameterObject;

/** The parameters of a realm's operations: those that routes share, and those of one collection. */
export class Parameters {
  readonly #used = new Map<string, Parameter>();
  readonly #names = new Names();
  readonly #embed: Embedder["embed"];

  constructor(embed: Embedder["embed"]) {
    this.#embed = embed;
    for (const name of Object.keys(parameters)) this.#names.claim(name);
  }

  use(name: ParameterName): Ref {
    if (!this.#used.has(name)) {
      const { when: _, schema, examples, ...said } = parameter(name);
      const embedded = this.#embed(schema);
      this.#used.set(name, {
        ...said,
        ...(isSchema(embedded) && { schema: embedded }),
        ...(examples !== undefined && { examples: { ...examples } }),
      });
    }
    return reference(name);
  }

  /** Adds a parameter in the query under a name like the wish; answers the reference to it. */
  add(wish: string, { name, ...parameter }: Omit<Parameter, "in">): Ref {
    const key = this.#names.claim(wish);
    this.#used.set(key, { name, in: "query", ...parameter });
    return reference(key);
  }

  /** Those used and those added, sorted by name. */
  toObject(): Record<string, Parameter> {
    return Object.fromEntries([...this.#used].sort(([left], [right]) => (left < right ? -1 : 1)));
  }
}

/** The types of OpenAPI 3.1 still speak of the schemas of 3.0 here. */
function isSchema(schema: unknown): schema is NonNullable<Parameter["schema"]> {
  return isJsonObject(schema);
}

function reference(name: string): Ref {
  return { $ref: `#/components/parameters/${name}` };
}
