/**
 * `realmc/functions`: what the handlers of functions are given and give back. Types alone; emitted `$types.ts` fill them in.
 * It stands on few files, and on nothing of what sends requests: each check of a realm's handlers reads them all.
 */
import type { Partly } from "../client/expansion.ts";
import type { BatchOperation, BatchResults } from "../client/operations.ts";
import type { AggregateOptions, Groups, IfTrait, OrderKey, Shape, Where } from "../client/queries.ts";
import type { JsonObject } from "../json.ts";

/** What shapes of collections are made of, in a realm's `functions.ts`. */
export type { Many, One } from "../client/expansion.ts";
export type {
  ChainFields,
  Condition,
  DeletionFields,
  DocumentFields,
  OrganizationFields,
  OwnershipFields,
  Periods,
  PresenceCondition,
  TeamFields,
  TextCondition,
} from "../client/queries.ts";

/** What of a realm's shapes (`Shapes` of its client) a function reaches, by database and collection. */
export type Reach = Readonly<Record<string, Readonly<Record<string, Reached>>>>;

/** A collection that a function reaches. */
export interface Reached {
  readonly shape: Shape;
  readonly reads: boolean;
  readonly writes: boolean;
}

/** A collection by what may be done with it. */
export type Reads<S extends Shape> = { readonly shape: S; readonly reads: true; readonly writes: false };
export type Writes<S extends Shape> = { readonly shape: S; readonly reads: false; readonly writes: true };
export type ReadsAndWrites<S extends Shape> = {
  readonly shape: S;
  readonly reads: true;
  readonly writes: true;
};

/** A collection as callers see it, from whom rules may hide these paths. */
export type Hiding<S extends Shape, Path extends string> = Omit<S, "document"> & {
  document: Partly<S["document"], Path> & Shape["document"];
};

/** What differs between functions. */
export interface FunctionTypes {
  /** What `ctx.db` reaches. */
  readonly reach: Reach;
  /** What `ctx.caller.db` reaches: all collections. */
  readonly callers: Reach;
  /** Names of `ctx.secrets`. */
  readonly secrets: string;
  /** Inputs of the calls of the realm, by `<database>/<function>`. */
  readonly calls: object;
  readonly mail: boolean;
  readonly organizations: boolean;
}

export interface WebhookRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Lower-case names; repeated values are joined by commas. */
  readonly headers: Readonly<Record<string, string>>;
  /** The exact bytes. */
  readonly body: Uint8Array;
  text(): string;
  json(): unknown;
}

/** Default: 200 with an empty body, as `text/plain`. */
export interface WebhookResponse {
  /** 200 to 599; anything else is 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export type WebhookHandler<T extends FunctionTypes> = (
  input: WebhookRequest,
  ctx: Context<T, null>,
) => WebhookResponse | undefined | Promise<WebhookResponse | undefined>;

export type CallHandler<Input, Output, T extends FunctionTypes> = (
  input: Input,
  ctx: Context<T, Caller<T["callers"]>>,
) => Output | Promise<Output>;

/** What happened to a document of a collection. */
export type TriggerEvent<Collection extends string, S extends Shape, Event extends string> = {
  [E in Event]: {
    readonly kind: "trigger";
    readonly event: E;
    readonly collection: Collection;
    /** As written; of a delete as it was. */
    readonly document: S["document"];
    /** Null where there was none, or it is not known any more. */
    readonly previous: E extends "create" ? null : S["document"] | null;
    /** When it was committed. */
    readonly at: string;
    /** From 1. */
    readonly attempt: number;
  };
}[Event];

export interface ScheduleEvent {
  readonly kind: "schedule";
  /** When it was due. */
  readonly at: string;
  readonly attempt: number;
}

export type EventHandler<Event, T extends FunctionTypes> = (
  input: Event,
  ctx: Context<T, null>,
) => void | Promise<void>;

/** What a handler is given beside its input: what all are given, and what its function.yaml and realm.yaml declare. */
export type Context<T extends FunctionTypes, Who> = EveryContext<T, Who> &
  (T["organizations"] extends true ? { readonly orgs: Organizations } : unknown) &
  (T["mail"] extends true ? { readonly mail: Mail } : unknown);

export interface EveryContext<T extends FunctionTypes, Who> {
  /** The realm's documents, by the function's own rights. */
  readonly db: DatabasesReached<T["reach"]>;
  /** Who called; null in webhooks and events. */
  readonly caller: Who;
  readonly secrets: SecretsOf<T["secrets"]>;
  /** Reaches what `network` declares. */
  readonly fetch: typeof fetch;
  readonly jobs: {
    /** Runs a call in the background; `delay` such as `10m`. One with an equal `key` that still waits is not queued again. */
    enqueue<Name extends keyof T["calls"] & string>(
      name: Name,
      input: T["calls"][Name],
      options?: { readonly delay?: string; readonly key?: string },
    ): Promise<{ id: string }>;
  };
  readonly log: Log;
  /** Aborted when the run is to end. */
  readonly signal: AbortSignal;
  readonly requestId: string;
  now(): Date;
  /** To be thrown: what the caller is answered. `status` 400 to 499, `code` as `[a-z][a-z0-9_]*`. */
  error(status: number, code: string, message: string, details?: readonly JsonObject[]): Error;
  /** To be thrown: tries again, after so long (`10m`) or as attempts wait. */
  retry(options?: { readonly after?: string }): Error;
  /** To be thrown: ends the attempts. */
  fail(code: string, message: string): Error;
}

/** The values of the secrets that a function declares. */
export type SecretsOf<Name extends string> = { readonly [Each in Name]: string };

export interface Caller<All extends Reach> {
  readonly kind: "user" | "key" | "anonymous";
  readonly id: string | null;
  /** Of a key. */
  readonly name: string | null;
  readonly roles: readonly string[];
  /** Ids of organizations. */
  readonly orgs: readonly string[];
  /** Documents under the caller's rules. */
  readonly db: DatabasesReached<All>;
}

export interface Organizations {
  /** Null where there is none. */
  get(id: string): Promise<Organization | null>;
  setClaims(id: string, claims: JsonObject): Promise<Organization>;
}

export interface Organization {
  readonly id: string;
  readonly name: string;
  readonly slug: string | null;
  readonly claims: JsonObject;
  readonly [member: string]: unknown;
}

export interface Mail {
  send(message: {
    /** An address, or a user of the realm. */
    readonly to: string | { readonly user: string };
    readonly subject: string;
    readonly text: string;
    readonly html?: string;
  }): Promise<void>;
}

export type Log = {
  readonly [Level in "debug" | "info" | "warn" | "error"]: (message: string, fields?: JsonObject) => void;
};

export type DatabasesReached<R extends Reach> = {
  readonly [Database in keyof R]: CollectionsReached<R[Database]>;
};

export type CollectionsReached<All extends Reach[string]> = {
  readonly [Name in keyof All]: (All[Name]["reads"] extends true ? Readable<All[Name]["shape"]> : unknown) &
    (All[Name]["writes"] extends true ? Writable<All[Name]["shape"]> : unknown) &
    (All[Name] extends { reads: true; writes: true } ? Updatable<All[Name]["shape"]> : unknown);
} & Batches<ShapesWritten<All>>;

type ShapesWritten<All extends Reach[string]> = {
  [Name in keyof All & string as All[Name]["writes"] extends true ? Name : never]: All[Name]["shape"];
};

export interface Batches<All extends Record<string, Shape>> {
  /** All of these operations, in order, or none: at most 100. */
  batch<const Operations extends readonly BatchOperation<All>[]>(
    operations: Operations,
    options?: { readonly org?: string; readonly team?: string },
  ): Promise<BatchResults<All, Operations>>;
}

export interface ListOptions<S extends Shape> {
  readonly where?: Where<S>;
  readonly orderBy?: readonly OrderKey<S>[];
  /** At most 100. */
  readonly limit?: number;
  /** `nextCursor` of the page before. */
  readonly after?: string;
}

export interface Readable<S extends Shape> {
  /** Null where there is none. */
  get(id: string): Promise<S["document"] | null>;
  list(options?: ListOptions<S>): Promise<{
    items: S["document"][];
    hasMore: boolean;
    nextCursor: string | null;
  }>;
  /** All that match, page by page. */
  each(options?: { readonly where?: Where<S> }): AsyncIterableIterator<S["document"]>;
  count(where?: Where<S>): Promise<number>;
  aggregate<By extends string = never, Metric extends string = "count">(options: {
    readonly groupBy?: AggregateOptions<S, By, Metric>["group_by"];
    readonly metrics?: AggregateOptions<S, By, Metric>["metrics"];
    readonly where?: Where<S>;
    readonly orderBy?: AggregateOptions<S, By, Metric>["order_by"];
    readonly limit?: number;
    readonly tz?: string;
  }): Promise<{ groups: Groups<S, By, Metric>["groups"]; hasMore: boolean }>;
}

/** The id of a new document where clients choose it, and where it belongs. */
type CreateOptions<S extends Shape> = IfTrait<S, "custom_id", { readonly id: string }, unknown> &
  IfTrait<S, "organization", { readonly org?: string }, unknown> &
  IfTrait<S, "organization_required", { readonly org: string }, unknown> &
  IfTrait<S, "team", { readonly team?: string }, unknown> &
  IfTrait<S, "team_required", { readonly team: string }, unknown>;

/** Options may be left out where none is required. */
type Optional<Options> = object extends Options ? [options?: Options] : [options: Options];

/** A version that the document must still have. */
interface Match {
  readonly ifMatch?: number;
}

export interface Writable<S extends Shape> {
  create(document: S["content"], ...options: Optional<CreateOptions<S>>): Promise<S["document"]>;
  replace(id: string, document: S["content"], options?: Match): Promise<S["document"]>;
  patch(id: string, patch: S["patch"], options?: Match): Promise<S["document"]>;
  delete(
    id: string,
    options?: Match & IfTrait<S, "trash", { readonly purge?: boolean }, unknown>,
  ): Promise<void>;
  /** Of a collection with a trash. */
  restore: IfTrait<S, "trash", (id: string) => Promise<S["document"]>, undefined>;
}

/** What may be read and written. */
export interface Updatable<S extends Shape> {
  /** Reads, applies, writes, and begins again where somebody else wrote meanwhile. */
  update(
    id: string,
    change: (document: S["document"]) => S["patch"] | undefined | Promise<S["patch"] | undefined>,
  ): Promise<S["document"]>;
}

/** What a store operation that is refused throws: as HTTP would answer. */
export interface StoreError extends Error {
  readonly name: "StoreError";
  readonly status: number;
  readonly code: string;
  readonly details: readonly JsonObject[];
  /** What was asked of documents: `create`, `list`, `batch`, …; undefined: it was something else. */
  readonly operation: string | undefined;
  /** `<database>/<collection>`; of a batch the database alone. */
  readonly collection: string | undefined;
}
