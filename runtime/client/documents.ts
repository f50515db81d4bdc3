import type { AnyErrorCode } from "./codes.ts";
import type { Connected } from "./connected.ts";
import { type Connection, pause } from "./connection.ts";
import { type ApiPromise, isApiError } from "./errors.ts";
import type { Expandable, Expanded } from "./expansion.ts";
import type {
  BelongingOptions,
  CreateArguments,
  Known,
  Page,
  Paging,
  Query,
  ReadOptions,
  UpdateOptions,
  WriteOptions,
} from "./options.ts";
import { read } from "./pages.ts";
import type { AggregateOptions, Groups, IfTrait, Shape } from "./queries.ts";
import type { RealmTypes, Refusal } from "./realm.ts";
import type { RequestOptions } from "./request.ts";
import type { BodyError, Usual } from "./route-errors.ts";

/** Where there are no accounts, there is none. */
export type AlwaysOf<S extends Shape> = Usual | IfTrait<S, "accounts", Refusal>;
type SearchError<S extends Shape> = IfTrait<
  S,
  "search",
  "search_too_expensive" | "index_building",
  "search_not_enabled"
>;
type ExpandError<S extends Shape> =
  | "invalid_expand"
  | (keyof S["references"] extends never ? never : "expand_too_large");
type ChangeError<S extends Shape> =
  | "not_found"
  | "write_conflict"
  | "version_mismatch"
  | IfTrait<S, "unique", "conflict">;

/** The codes that each operation answers; `Further` are those of the way on which the collection is reached. */
export type GetError<S extends Shape> = AlwaysOf<S> | "not_found" | ExpandError<S>;
export type ListError<S extends Shape> = AlwaysOf<S> | SearchError<S> | ExpandError<S>;
export type AggregateError<S extends Shape> =
  | AlwaysOf<S>
  | "invalid_aggregate"
  | "aggregate_too_expensive"
  | SearchError<S>;
export type CreateError<S extends Shape> =
  | AlwaysOf<S>
  | BodyError
  | IfTrait<S, "organization", "not_org_member", "org_not_allowed">
  | IfTrait<S, "team", "org_required" | "forbidden", "team_not_allowed">
  | IfTrait<S, "organization_required", "org_required">
  | IfTrait<S, "team_required", "team_required">
  | IfTrait<S, "custom_id", "id_required" | "invalid_id" | "id_taken" | "too_many_requests", "id_not_allowed">
  | IfTrait<S, "unique", "conflict">
  | IfTrait<S, "accounts", "request_in_progress" | "idempotency_key_reused">;
type RestoreError<S extends Shape> = AlwaysOf<S> | BodyError | ChangeError<S>;
export type WriteError<S extends Shape> = RestoreError<S> | IfTrait<S, "organization", "immutable_field">;
export type DeleteError<S extends Shape = Shape> =
  | AlwaysOf<S>
  | "not_found"
  | "write_conflict"
  | "version_mismatch";

/** Carries out operations: over the network, or otherwise. */
export type Sender = Pick<Connection, "answer" | "call" | "once" | "unlessKnown" | "tagOf">;

/** The operations on a collection's documents. */
export class Collection<S extends Shape, Further extends AnyErrorCode = never> {
  readonly #connection: Sender;
  readonly #path: string;

  /** @param path below `/v1/{realm}/` */
  constructor(connection: Sender, path: string) {
    this.#connection = connection;
    this.#path = path;
  }

  get<Entry extends Expandable<S> = never>(
    id: string,
    options: ReadOptions<S, Entry> & Known<Expanded<S, Entry>> = {},
  ): ApiPromise<Expanded<S, Entry>, GetError<S> | Further> {
    const { known, ...query } = options;
    return this.#connection.unlessKnown({ method: "GET", path: this.#at(id), ...read(query) }, known);
  }

  list<Entry extends Expandable<S> = never>(
    options: Query<S, Entry> & Paging & Known<Page<Expanded<S, Entry>>> = {},
  ): ApiPromise<Page<Expanded<S, Entry>>, ListError<S> | Further> {
    const { known, ...query } = options;
    return this.#connection.unlessKnown({ method: "GET", path: this.#path, ...read(query) }, known);
  }

  /**
   * All documents that match, page by page: `for await (const order of client.shop.orders.iterate({ where }))`. By
   * cursors, or where the order has none (by relevance, over arrays) by counting.
   */
  async *iterate<Entry extends Expandable<S> = never>(
    options: Query<S, Entry> & { pageSize?: number | undefined } = {},
  ): AsyncGenerator<Expanded<S, Entry>, void, undefined> {
    const { pageSize = 100, ...query } = options;
    let position: Pick<Paging, "after" | "skip"> = {};
    for (;;) {
      const { value: page } = await this.#connection.answer<Page<Expanded<S, Entry>>>({
        method: "GET",
        path: this.#path,
        ...read({ ...query, ...position, limit: pageSize }),
      });
      yield* page.items;
      if (!page.has_more) return;
      position =
        page.next_cursor === undefined
          ? { skip: page.skip + page.items.length }
          : { after: page.next_cursor };
    }
  }

  /** How many documents match. */
  count(
    options: Pick<Query<S, never>, "where" | keyof RequestOptions> & BelongingOptions<S> = {},
  ): ApiPromise<number, ListError<S> | Further> {
    const query = read({ ...options, limit: 1, count: true });
    return this.#connection
      .answer<{ total: number }>({ method: "GET", path: this.#path, ...query })
      .then(({ value }) => value.total);
  }

  /** Where it is repeated because an answer was lost, the document is made once all the same. */
  create(
    document: S["create"],
    ...[options]: CreateArguments<S>
  ): ApiPromise<S["document"], CreateError<S> | Further> {
    const query = belonging(options);
    return this.#connection.once({ method: "POST", path: this.#path, query, body: document, options });
  }

  /** Members left out are removed. */
  replace(
    id: string,
    document: S["content"],
    options?: WriteOptions,
  ): ApiPromise<S["document"], WriteError<S> | Further> {
    return this.#connection.call({
      method: "PUT",
      path: this.#at(id),
      body: document,
      ...this.#guarded(options),
    });
  }

  /** JSON Merge Patch (RFC 7396), sent as `application/merge-patch+json`: objects merge, null removes a member. */
  patch(
    id: string,
    patch: S["patch"],
    options?: WriteOptions,
  ): ApiPromise<S["document"], WriteError<S> | Further> {
    return this.#connection.call({
      method: "PATCH",
      path: this.#at(id),
      body: patch,
      ...this.#guarded(options),
    });
  }

  /**
   * Reads a document, asks `change` for a patch of it, and writes that if nobody wrote meanwhile; else begins again, a
   * bounded number of times. Nothing is written where `change` answers undefined.
   */
  update(
    id: string,
    change: (document: S["document"]) => S["patch"] | undefined | Promise<S["patch"] | undefined>,
    options: UpdateOptions = {},
  ): ApiPromise<S["document"], GetError<S> | WriteError<S> | Further> {
    return this.#update(id, change, options);
  }

  async #update(
    id: string,
    change: (document: S["document"]) => S["patch"] | undefined | Promise<S["patch"] | undefined>,
    { attempts = 5, ...options }: UpdateOptions,
  ): Promise<S["document"]> {
    for (let attempt = 1; ; attempt++) {
      const document = await this.get(id, options);
      const patch = await change(document);
      if (patch === undefined) return document;
      try {
        return await this.patch(id, patch, { ...options, ifMatch: document });
      } catch (error) {
        if (attempt >= attempts || !isApiError(error, "version_mismatch", "write_conflict")) throw error;
        // Those that lost to the same write would meet again.
        await pause(Math.random() * 12 * Math.min(attempt, 5), options.signal);
      }
    }
  }

  /** In a collection with a trash the document can be restored. */
  delete(id: string, options?: WriteOptions): ApiPromise<void, DeleteError<S> | Further> {
    return this.#connection.call({ method: "DELETE", path: this.#at(id), ...this.#guarded(options) });
  }

  /** Deletes for good, also what is in the trash. */
  purge(id: string, options?: WriteOptions): ApiPromise<void, DeleteError<S> | Further> {
    const query = { purge: true };
    return this.#connection.call({ method: "DELETE", path: this.#at(id), query, ...this.#guarded(options) });
  }

  /** Brings a document back from the trash. */
  restore(id: string, options?: WriteOptions): ApiPromise<S["document"], RestoreError<S> | Further> {
    return this.#connection.call({
      method: "POST",
      path: `${this.#at(id)}/restore`,
      ...this.#guarded(options),
    });
  }

  /** Groups the documents that the caller may read, and measures each group. */
  aggregate<By extends S["aggregation"]["by"] = never, Metric extends MetricOf<S> = "count" & MetricOf<S>>(
    options: RequestOptions &
      AggregateOptions<S, By, Metric> &
      BelongingOptions<S> &
      Known<Groups<S, By, Metric>> = {},
  ): ApiPromise<Groups<S, By, Metric>, AggregateError<S> | Further> {
    const { known, ...query } = options;
    return this.#connection.unlessKnown(
      { method: "GET", path: `${this.#path}/_aggregate`, ...read(query) },
      known,
    );
  }

  #at(id: string): string {
    return `${this.#path}/${encodeURIComponent(id)}`;
  }

  #guarded({ ifMatch, ...options }: WriteOptions = {}) {
    return { headers: { "If-Match": tagFor(this.#connection, ifMatch) }, options };
  }
}

/** What `If-Match` says of a version, or of a document of that version. */
export function tagFor(sender: Pick<Sender, "tagOf">, ifMatch: WriteOptions["ifMatch"]): string | undefined {
  if (typeof ifMatch !== "object") return ifMatch === undefined || ifMatch === "*" ? ifMatch : `"${ifMatch}"`;
  const version = "version" in ifMatch._meta ? ifMatch._meta.version : undefined;
  return sender.tagOf(ifMatch) ?? (version === undefined ? undefined : `"${version}"`);
}

/** What a create says in its query. */
export function belonging(options: object = {}) {
  const { org, team }: { org?: unknown; team?: unknown } = options;
  return { org, team };
}

type MetricOf<S extends Shape> = keyof S["aggregation"]["metrics"] & string;

/** A collection without what it has not: a trash, aggregation. */
export type CollectionOf<S extends Shape, Further extends AnyErrorCode = never> = Omit<
  Collection<S, Further>,
  IfTrait<S, "trash", never, "restore" | "purge"> | IfTrait<S, "aggregate", never, "aggregate">
>;

/** One collection, where not the whole client is wanted. */
export function collection<
  R extends RealmTypes,
  Further extends AnyErrorCode,
  Database extends keyof R["shapes"] & string,
  Name extends keyof R["shapes"][Database] & string,
>(
  { connection, base }: Connected<R, Further>,
  database: Database,
  name: Name,
): CollectionOf<R["shapes"][Database][Name], Further> {
  return new Collection<R["shapes"][Database][Name], Further>(connection, `${base}${database}/${name}`);
}
