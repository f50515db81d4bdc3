/** `ctx.db`: the operations of clients, in the words of `ctx`. */
import { sendBatch } from "../../client/batch.ts";
import { Collection, type Sender } from "../../client/documents.ts";
import { isApiError } from "../../client/errors.ts";
import type { Shape } from "../../client/queries.ts";
import { kept } from "../../kept.ts";
import type { ListOptions, Readable, Updatable, Writable } from "../handler.ts";

/** Of an update: many invocations may change one document at the same moment, and each that loses has let another one win. */
const attempts = 20;

/** A shape of which nothing is known: types of handlers are made by what is emitted. */
interface AnyShape extends Shape {
  traits: "organization" | "team" | "trash" | "aggregate";
  aggregation: { keys: object; by: string; metrics: Record<string, unknown> };
}

/** The databases of a realm; what there is not, the server says. */
export function databases(sender: Sender): object {
  return members((database) => databaseOf(sender, database));
}

function databaseOf(sender: Sender, database: string): object {
  const batch = (operations: readonly object[], options: { org?: string; team?: string } = {}) =>
    sendBatch<unknown, never>(sender, encodeURIComponent(database), operations, options);
  return members((name) => {
    const collection = documents(
      new Collection<AnyShape>(sender, `${encodeURIComponent(database)}/${encodeURIComponent(name)}`),
    );
    // A collection may be called so, too.
    return name === "batch" ? Object.assign(batch, collection) : collection;
  });
}

/** An object whose members are made when they are first asked for. */
function members(make: (name: string) => object): object {
  const made = new Map<string, object>();
  return new Proxy(Object.freeze(Object.create(null)), {
    // Whoever awaits it asks whether it is a promise.
    get: (_, name) =>
      typeof name === "string" && name !== "then" ? kept(made, name, () => make(name)) : undefined,
  });
}

function documents(
  collection: Collection<AnyShape>,
): Readable<AnyShape> & Writable<AnyShape> & Updatable<AnyShape> {
  return {
    get: (id) => collection.get(id).catch(nullWhereNone),
    async list({ where, orderBy, limit, after }: ListOptions<AnyShape> = {}) {
      const page = await collection.list({ where, order_by: orderBy, limit, after });
      return { items: page.items, hasMore: page.has_more, nextCursor: page.next_cursor ?? null };
    },
    each: ({ where } = {}) => collection.iterate({ where }),
    count: (where) => collection.count({ where }),
    async aggregate({ groupBy, metrics, where, orderBy, limit, tz }) {
      const options = { group_by: groupBy, metrics, where, order_by: orderBy, limit, tz };
      const { groups, has_more } = await collection.aggregate(options);
      return { groups, hasMore: has_more };
    },
    create: (document, { id, org, team }: { id?: string; org?: string; team?: string } = {}) =>
      collection.create(id === undefined ? document : { ...document, id }, { org, team }),
    replace: (id, document, options) => collection.replace(id, document, options),
    patch: (id, patch, options) => collection.patch(id, patch, options),
    update: (id, change) => collection.update(id, change, { attempts }),
    delete: (id, { ifMatch, purge = false } = {}) =>
      purge ? collection.purge(id, { ifMatch }) : collection.delete(id, { ifMatch }),
    restore: (id) => collection.restore(id),
  };
}

function nullWhereNone(error: unknown): null {
  if (isApiError(error, "not_found")) return null;
  throw error;
}
