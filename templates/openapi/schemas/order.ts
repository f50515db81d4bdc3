import type { JsonObject } from "../../../runtime/json.ts";
import type { Ref, SchemaPool } from "./pool.ts";
import type { QueryField } from "./values.ts";

/** Keys that one order has at most (spec: Limits). */
const mostKeys = 8;

/** The keys of `order_by`, also descending. @param searchable has a text index, so that relevance is an order */
export function orderSchema(
  pool: SchemaPool,
  fields: readonly QueryField[],
  searchable: boolean,
  stem: string,
): Ref {
  const keys = bothWays(fields.map(({ path }) => path));
  const schema = keysSchema([...keys, ...(searchable ? ["_relevance"] : [])], mostKeys);
  // Relevance stands alone.
  const alone = { anyOf: [{ maxItems: 1 }, { not: { contains: { const: "_relevance" } } }] };
  return pool.add(`${stem}OrderBy`, { ...schema, ...(searchable && alone) });
}

/** Each name, and with `-` in front for descending; without names that a list of keys cannot hold. */
export function bothWays(names: readonly string[]): readonly string[] {
  return names.filter((name) => !/^-|,/.test(name)).flatMap((name) => [name, `-${name}`]);
}

/** Some of these keys. */
export function keysSchema(keys: readonly string[], most: number): JsonObject {
  return {
    type: "array",
    minItems: 1,
    maxItems: most,
    uniqueItems: true,
    items: { type: "string", enum: [...keys] },
  };
}
