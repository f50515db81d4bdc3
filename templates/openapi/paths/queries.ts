import type { Collection } from "../../../compiler/model/model.ts";
import type { ParameterName } from "../../../runtime/contract/parameters.ts";
import type { Build } from "../build.ts";
import { whereSchema } from "../schemas/conditions.ts";
import { orderSchema } from "../schemas/order.ts";
import type { Ref } from "../schemas/pool.ts";
import { expandSchema } from "../schemas/references.ts";
import type { QueryField } from "../schemas/values.ts";

/** The parameters that reads of one collection share; none in a list where the collection has nothing for them. */
export interface Queries {
  /** The schema of `where`. */
  readonly conditions: Ref;
  readonly where: Ref;
  readonly orderBy: Ref;
  readonly expand: readonly Ref[];
  readonly language: readonly ParameterName[];
}

/** spec: List query parameters, as far as they depend on the collection. */
export function queries(
  { schemas, parameters, references }: Build,
  collection: Collection,
  fields: readonly QueryField[],
  stem: string,
): Queries {
  const searchable = collection.text !== undefined;
  const conditions = whereSchema(schemas, collection, fields, stem);
  const expand = expandSchema(schemas, references, collection, stem);
  return {
    conditions,
    where: parameters.add(`${stem}Where`, {
      name: "where",
      description:
        "Conditions: at most 4,096 bytes of JSON, 32 conditions in all, `$or` and `$and` nested up to 4 levels. Fields that the caller may not always read are unknown to it.",
      content: { "application/json": { schema: conditions } },
    }),
    orderBy: parameters.add(`${stem}OrderBy`, {
      name: "order_by",
      description: [
        "Fields to order by, `-` for descending; `id` decides last. Null and missing come first.",
        ...(searchable
          ? ["`_relevance`, alone and with `$search`: best matches first, the first 1,000, paged by `skip`."]
          : []),
      ].join(" "),
      ...listed,
      schema: orderSchema(schemas, fields, searchable, stem),
    }),
    expand: expand
      ? [
          parameters.add(`${stem}Expand`, {
            name: "expand",
            description:
              "References whose documents are put into `_expanded`, each at most once; 5 in all unless the server is set otherwise.",
            ...listed,
            schema: expand,
          }),
        ]
      : [],
    language: searchable ? ["Language"] : [],
  };
}

/** An array on the wire: its elements with commas between them. */
export const listed = { style: "form", explode: false } as const;
