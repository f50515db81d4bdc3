import type { JsonValue } from "../json.ts";
import type { Made, PlainSchema } from "./schema.ts";
import type { RealmTraits, Varying } from "./traits.ts";

/** A parameter that routes share, under the name of its component in OpenAPI documents. */
export interface Parameter {
  /** In requests. */
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: true;
  readonly description?: Varying<string>;
  /** How a value that is no string stands there: as JSON, or its elements with commas between them. */
  readonly form?: "json" | "list";
  /** One that is made of a collection is under a name of that; where it has nothing for it, the parameter is left out. */
  readonly schema: PlainSchema | Made;
  readonly examples?: Readonly<Record<string, { readonly value: JsonValue }>>;
  /** Realms, or collections, in which it can say anything; absent: all. */
  readonly when?: (traits: RealmTraits) => boolean;
}
