import type { Detail } from "../../errors.ts";
import { type Order, type OrderKey, orderBy } from "../../filter/order.ts";
import type { QueryFields } from "./fields.ts";
import { Remembered } from "./remembered.ts";

export type ReadOrder = { readonly order: Order | "relevance" } | { readonly problems: readonly Detail[] };

/** Fields that an `order_by` may name (spec: Limits). */
const most = 8;

const relevance = "_relevance";

/**
 * Reads an `order_by`: field paths separated by commas, each with `-` in front for descending; or `_relevance` alone.
 * @returns the order, ended by the id, or all that is wrong with it
 */
export function readOrder(text: string, fields: QueryFields): ReadOrder {
  if (text === relevance) return { order: "relevance" };
  const known = remembered.get(fields, text);
  if (known !== undefined) return known;
  const order = readAnew(text, fields);
  if ("order" in order) remembered.set(fields, text, order);
  return order;
}

const remembered = new Remembered<ReadOrder>(100);

function readAnew(text: string, fields: QueryFields): ReadOrder {
  const problems: Detail[] = [];
  const refuse = (reason: string) => problems.push({ path: "order_by", reason });

  const entries = text.split(",");
  if (entries.length > most) refuse(`must name at most ${most} fields`);
  const keys: OrderKey[] = [];
  const named = new Set<string>();
  for (const entry of entries.slice(0, most)) {
    const descending = entry.startsWith("-");
    const path = descending ? entry.slice(1) : entry;
    const field = fields.field(path);
    if (path === "") refuse("must name a field before and after each comma");
    else if (path === relevance) refuse(`${relevance} must stand alone`);
    else if (named.has(path)) refuse(`names ${path} twice`);
    else if (field === undefined) refuse(`unknown field: ${path}`);
    else keys.push({ field, descending });
    named.add(path);
  }
  return problems.length > 0 ? { problems } : { order: orderBy(keys) };
}
