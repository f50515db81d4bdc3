import type { DatabasesOf } from "./batch.ts";
import { ApiError, isApiError } from "./errors.ts";
import { type Live, LiveDocuments, type LiveHandlers, type Loaded } from "./live.ts";
import type { Page } from "./options.ts";
import { type OrderKinds, orderOf } from "./order.ts";
import { read } from "./pages.ts";
import type { DeletionFields, Shape, TextOperators } from "./queries.ts";
import type { Streams } from "./streams.ts";
import { type Subscribed, type SubscriptionHandlers, subscribed } from "./subscribe.ts";
import { isLasting, type Subscription } from "./subscriptions.ts";

/** What can be followed: a collection with `realtime`. */
export interface FollowedShape extends Shape {
  /** Paths of the fields that documents can be ordered by. */
  orders: string;
}

/** What subscriptions may say of each field: what queries may, but for text operators. */
export type FollowedWhere<S extends Shape> = {
  [Path in Exclude<keyof S["fields"], keyof DeletionFields>]?: Untexted<S["fields"][Path]> | undefined;
} & {
  /** Any of these holds. */
  $or?: readonly FollowedWhere<S>[] | undefined;
  /** All of these hold. */
  $and?: readonly FollowedWhere<S>[] | undefined;
};

type Untexted<C> = C extends unknown ? ("$like" extends keyof C ? Omit<C, keyof TextOperators> : C) : never;

export interface LiveQuery<S extends FollowedShape> {
  where?: FollowedWhere<S> | undefined;
  /** By creation time unless given; at most 8. */
  order_by?: readonly (S["orders"] | `-${S["orders"]}`)[] | undefined;
  /** The first so many: 1-10,000, default 1,000. */
  limit?: number | undefined;
}

/** What collections with `realtime` can do beside what all can. */
export interface Following<S extends FollowedShape> {
  /**
   * The documents of a query, or the one with an id, as they are and as they become. They are told to the listener, or by
   * iterating: `for await (const { documents } of client.shop.orders.live({ where }))`.
   * @throws RangeError for a limit or an id that cannot be
   */
  live(
    query: LiveQuery<S> | string,
    listener?: LiveHandlers<S["document"]> | NonNullable<LiveHandlers<S["document"]>["change"]>,
  ): Live<S["document"]>;
  /**
   * The events of the documents that match, or of the one with an id, as the server sends them. After an interruption the last
   * ones may come again.
   */
  subscribe(what: FollowedWhere<S> | string, handlers: SubscriptionHandlers<S["document"]>): Subscribed;
}

/** Those collections of a realm that can be followed, by database and name. */
export type FollowedOf<All extends Record<string, Record<string, Shape>>> = {
  readonly [Database in keyof All as [FollowedIn<All[Database]>] extends [never] ? never : Database]: {
    readonly [Name in FollowedIn<All[Database]>]: All[Database][Name] extends FollowedShape
      ? Following<All[Database][Name]>
      : never;
  };
};

type FollowedIn<Shapes extends Record<string, Shape>> = {
  [Name in keyof Shapes]: Shapes[Name] extends FollowedShape ? Name : never;
}[keyof Shapes];

export type FollowedDatabases<All extends Record<string, Record<string, Shape>>> = DatabasesOf<All, never> &
  FollowedOf<All>;

/** Documents of a page that is read to be followed. */
const mostOfPage = 100;
/** Documents beyond the limit that are read, to take the place of those that leave. */
const spareOfPage = 20;

/** @param kinds of fields that do not hold text */
export function following<S extends FollowedShape>(
  streams: Streams,
  db: string,
  collection: string,
  kinds: OrderKinds,
): Following<S> {
  const path = `${db}/${collection}`;
  const subscriptionTo = (what: FollowedWhere<S> | string | undefined): Subscription =>
    typeof what === "string" ? { db, collection, doc: idIn(what) } : { db, collection, where: what };

  async function load(
    what: string | Omit<LiveQuery<S>, "limit">,
    limit: number,
    signal?: AbortSignal,
  ): Promise<Loaded<S["document"]>> {
    if (typeof what === "string") return loadOne(what, signal);
    const pageSize = Math.min(mostOfPage, limit + spareOfPage);
    const documents: S["document"][] = [];
    let position: { after?: string; skip?: number } = {};
    for (;;) {
      const page = await streams.connection.fresh<Page<S["document"]>>({
        method: "GET",
        path,
        ...read({ signal, ...what, ...position, limit: pageSize }),
      });
      documents.push(...page.items);
      if (!page.has_more || documents.length > limit) return { documents, more: page.has_more };
      position = page.next_cursor === undefined ? { skip: documents.length } : { after: page.next_cursor };
    }
  }

  async function loadOne(id: string, signal: AbortSignal | undefined): Promise<Loaded<S["document"]>> {
    const at = `${path}/${encodeURIComponent(id)}`;
    try {
      const document = await streams.connection.fresh<S["document"]>({
        method: "GET",
        path: at,
        ...read({ signal }),
      });
      return { documents: [document], more: false };
    } catch (error) {
      if (isApiError(error, "not_found")) return { documents: [], more: false };
      throw error;
    }
  }

  const refusal = (what: Parameters<typeof load>[0]) => (): Promise<ApiError | undefined> =>
    load(what, 0).then(
      () => undefined,
      (error: unknown) => (error instanceof ApiError && isLasting(error) ? error : undefined),
    );

  return {
    live(query, listener = {}) {
      const { limit = 1_000, ...what } = typeof query === "string" ? { limit: 1 } : query;
      if (!Number.isInteger(limit) || limit < 1 || limit > 10_000)
        throw new RangeError(`limit: ${limit} is not 1-10,000`);
      const asked = typeof query === "string" ? query : what;
      const { where, order_by = [] }: LiveQuery<S> = what;
      const source = {
        subscription: subscriptionTo(typeof query === "string" ? query : where),
        limit,
        compare: orderOf<S["document"]>(order_by, kinds),
        load: (signal: AbortSignal) => load(asked, limit, signal),
        refusal: refusal(asked),
      };
      return new LiveDocuments(
        streams,
        source,
        typeof listener === "function" ? { change: listener } : listener,
      );
    },
    subscribe(what, handlers) {
      const asked = typeof what === "string" ? what : { where: what };
      return subscribed(streams, subscriptionTo(what), refusal(asked), handlers);
    },
  };
}

/** @throws RangeError for one that no path can hold */
function idIn(id: string): string {
  if (/^\.{0,2}$/.test(id)) throw new RangeError(`"${id}" is no id`);
  return id;
}
