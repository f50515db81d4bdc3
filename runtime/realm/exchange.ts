import type { IncomingHttpHeaders } from "node:http";
import type { Clock } from "../clock.ts";
import type { ApiError } from "../errors.ts";
import type { Hub } from "../feed/hub.ts";
import type { Vault } from "../sealing.ts";
import type { Signer } from "../signing.ts";
import type { Store } from "../store/contract/store.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import type { Along } from "./along.ts";
import type { RealmAppConfig } from "./app-config.ts";
import type { Assurance, Caller, SessionCaller } from "./caller.ts";
import type { Credentials } from "./credentials.ts";
import type { ExpandLimits, RealmDefinition } from "./definition.ts";
import type { RealmFiles } from "./files.ts";
import type { Mailer } from "./mail.ts";
import type { Memberships } from "./memberships.ts";
import type { RealtimeHost } from "./realtime.ts";

/**
 * A request as handlers see it: plain values, no Fastify. A handler is: authenticate, receive, parse, rule, store,
 * respond; what it throws is rendered once, by the HTTP layer.
 */
export interface Exchange {
  readonly method: string;
  /** Path parameters, percent-decoded. */
  readonly params: Readonly<Record<string, string | undefined>>;
  /** The raw query string without `?`; empty when there is none. See `parameters()`. */
  readonly search: string;
  /** Once a streamed answer has begun only those that tell who sends it. */
  readonly headers: IncomingHttpHeaders;
  readonly requestId: string;
  /** Who sends it, once that is known: for the log of requests alone, handlers ask `authenticate`. */
  caller?: Caller | undefined;
  /** Of the client, believing proxies as far as `SVC_TRUST_PROXY` says. */
  readonly address: string;
  /** The client is gone: nobody waits for the answer. */
  readonly abandoned: boolean;
  /**
   * Says how much memory the answer takes, in bytes and in place of what was said before: what is read for it, then its
   * text, until the client has taken it. To be called before much is read, if only by a guess, and again when it is known.
   * @throws ApiError `unavailable` where answers under way leave no room for a large one
   */
  reserve(bytes: number): void;
  /**
   * Reads the body, of which nothing was read before: to be asked for once the caller is known to be one who may send it.
   * @param refusal what the caller is answered whatever the body holds, if so; asked before more than 64 KiB are read
   * @throws (rejects with) that; ApiError `unavailable` where the instance holds too many bodies. Nobody waits for an
   *   answer where it is anything else.
   */
  receive(refusal?: () => ApiError | undefined): Promise<Received>;
}

/** A request of a route whose bodies are streams. */
export interface StreamExchange extends Exchange {
  /**
   * The body as it comes, of which nothing was read before: to be asked for once, in place of `receive`, when the caller is
   * known to be one who may send it. The client sends on as it is read: at most {@link BUFFER} and what one packet brings
   * wait in memory. What is left unread is dropped, within bounds, when the request is answered.
   * @param limit bytes
   * @throws (in iterating) ApiError `payload_too_large`; `unsupported_media_type` for a `Content-Encoding`;
   *   `request_timeout` where nothing more comes in the time that requests have; `unavailable` where the instance holds too
   *   many bodies. Nobody waits for an answer where it is anything else.
   */
  stream(limit: number): AsyncIterable<Buffer>;
}

/** Bytes that a stream holds, each way, before its source waits. */
export const BUFFER = 65_536;

export interface Received extends Exchange {
  /** As received; nothing about it has been judged yet. See `readJson()`. */
  readonly body: RequestBody;
  /** It did not come at once: meanwhile the caller may have become somebody who may do less. */
  readonly inPieces: boolean;
}

export type RequestBody = Buffer | "none" | "too-large";

export interface Answer {
  readonly status: number;
  /** JSON text, unless `content-type` among the headers says otherwise; absent: no body. */
  readonly body?: WholeBody | StreamedBody | undefined;
  /** Lower-case names; they win over the route class's own. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type WholeBody = string | Buffer;

/** A body that is sent as its source gives it, and never held as a whole. */
export interface StreamedBody {
  readonly kind: "stream";
  /** Bytes, where they are known: an answer that turns out to have others is cut off. */
  readonly length?: number | undefined;
  /**
   * Begins to read, when it is the answer's turn on its connection; never for HEAD. The source is asked for more when the
   * client has taken what came before, and told to end (`return()`, and the signal of `ending`) when nobody takes it.
   * @throws (or rejects with) what is answered in its place, as handlers do. What the source itself throws is logged, and
   *   ends the connection: no client takes a part for the whole.
   */
  readonly open: (ending: Ending) => ByteSource | Promise<ByteSource>;
  /** Told when it has ended, where it was begun. @param bytes that its source gave: fewer where it broke off */
  readonly ended?: (bytes: number) => void;
}

/** Pieces of some tens of KiB at most, or what is to be sent at once. */
export interface ByteSource extends AsyncIterable<Uint8Array | string> {
  /** All of it, where that is little and here already: it need not be asked for then. */
  readonly whole?: Uint8Array;
}

/** What a source is told of its end. One that waits for something else than memory must heed both. */
export interface Ending {
  /** Aborted when nobody takes it any longer: the client is gone, or has taken nothing for too long. */
  readonly gone: AbortSignal;
  /** Aborted when the server shuts down: a source that has no end of its own ends soon. It has the grace for that. */
  readonly closing: AbortSignal;
}

export type Handler = (exchange: Exchange) => Promise<Answer> | Answer;
export type StreamHandler = (exchange: StreamExchange) => Promise<Answer> | Answer;

/**
 * Which caching headers a route's answers and errors carry (spec: Common request rules 5): `document` routes
 * `private, no-cache` and `Vary: Origin, Authorization[, Cookie]`; `private` routes (`_auth`, `_admin`) `no-store`;
 * `description` (`_openapi.json`, `_docs`) `Vary: Origin`.
 */
export type RouteClass = "document" | "private" | "description";

/** What of a path is not as everywhere. */
export interface PathManners {
  /** Headers of answers to OPTIONS; lower-case names. */
  readonly options?: Readonly<Record<string, string>>;
  /** Headers that pages of listed origins may send and read there, beside the usual ones: names, joined by commas. */
  readonly sent?: string;
  readonly read?: string;
  /** A POST is what its `X-HTTP-Method-Override` names: PATCH or DELETE. Elsewhere that header says nothing. */
  readonly overrides?: true;
}

export interface Route {
  readonly class: RouteClass;
  readonly manners?: PathManners;
  /** Received as a whole, if at all. */
  readonly body?: "whole";
  readonly handle: Handler;
}

/** A route that reads bodies as they come. */
export interface StreamRoute {
  readonly class: RouteClass;
  readonly manners?: PathManners;
  readonly body: "stream";
  readonly handle: StreamHandler;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Made once at start for a realm; whatever depends on the configuration alone is decided here, not per request. */
export type RouteFactory = (realm: RealmInstance) => Route;
export type StreamRouteFactory = (realm: RealmInstance) => StreamRoute;

/** Path (with `:name` parameters) to its methods. HEAD, OPTIONS and 405 follow from it. */
export type RouteTable = Readonly<Record<string, PathRoutes>>;

export interface PathRoutes extends Readonly<Partial<Record<Method, RouteFactory | StreamRouteFactory>>> {
  /** Says why there is nothing at a path that has no route of any method: 404. */
  readonly absent?: RouteFactory;
}

/** A realm as it runs. */
export interface RealmInstance {
  readonly definition: RealmDefinition;
  readonly store: Store;
  readonly clock: Clock;
  /** A new document id: 20 characters, sortable by creation time, monotonic within the process. */
  readonly newId: () => string;
  /** Of the configuration. */
  readonly fingerprint: string;
  /** Refusals are explained to who develops: what hides a document is found out, too. Never in production. */
  readonly explains?: true | undefined;
  /**
   * Who sends this request (spec: Authentication 1-5). In realms with `auth: disabled` it knows API keys alone, and only
   * `_admin` asks.
   * @throws (or rejects with) ApiError `unauthenticated` for another scheme and for an unknown, expired or ended
   *   credential; `forbidden` for a key outside its networks, for a write that rests on a cookie alone and comes from no
   *   listed origin, and for acting for a disabled user; `invalid_header` for acting for a user who is none, or where that
   *   is not allowed
   * @param along what is to be read in the same command, where that is one
   */
  readonly authenticate: (exchange: Exchange, along?: Along) => Caller | Promise<Caller>;
  /** Notes that a session administers: its administration lapses when it does not for `adminIdleTimeout`. */
  readonly administers: (caller: SessionCaller) => void;
  /** How callers' credentials end, for what goes on longer than a request. */
  readonly credentials: Credentials;
  readonly appConfig: RealmAppConfig;
  /** Present in realms with `organizations`. */
  readonly organizations?: RealmOrganizations;
  /** Present in realms with `storage`. */
  readonly files?: RealmFiles;
  /** Runs a job of `_svc.jobs` when it is due, here or in another instance: to be called when one was queued. Milliseconds; default: now. */
  readonly wakeJobs: (delay?: number) => void;
  /** Ends what is done here for a job that was cancelled. */
  readonly dropJob: (id: string) => void;
  readonly passwords: Passwords;
  /** Encrypts what is secret at rest. */
  readonly vault: Vault;
  readonly mail: Mailer;
  readonly log: Log;
  /** Characters of documents in a page of a list (`SVC_PAGE_BYTES`). */
  readonly pageCharacters: number;
  /** Of the instance (`SVC_EXPAND_*`). */
  readonly expandLimits: ExpandLimits;
  readonly cursors: Signer;
  /** Signs the resume tokens of realtime streams. */
  readonly streams: Signer;
  /** Tells who follows the realm's changes. */
  readonly hub: Hub;
  readonly realtime: RealtimeHost;
  /** `svc_id_conflicts_total`. */
  readonly countIdConflict: (database: string, collection: string) => void;
  /** Holds background work (throttled session touches, …) that the shutdown waits for. */
  readonly background: (work: Promise<unknown>) => void;
}

export interface OrganizationAsks {
  readonly memberships: boolean;
  readonly withheld: boolean;
}

/** What tells whether what is known of organizations stands; read along with the caller. */
export interface OrganizationMarks extends Along {
  /** Differs when anything in an organization of the user does; undefined: it was not read. */
  readonly memberships: string | undefined;
  /** The same of the organizations that are withheld. */
  readonly withheld: number | undefined;
}

/** A key that is to act as a service member of an organization. */
export interface NewService {
  readonly org: string;
  /** Its id, which is the member's. */
  readonly key: string;
  readonly name: string;
  readonly roles: readonly string[];
  /** Ids. */
  readonly teams: readonly string[];
}

export interface RealmOrganizations {
  /** For one request; undefined where the store itself tells what stands. */
  readonly marks: (asks: OrganizationAsks) => OrganizationMarks | undefined;
  /**
   * The organizations that count for a user, or a service member: the very same object until something in it changes, so
   * that what is made of it may be kept.
   * @param user an id
   */
  readonly membershipsOf: (
    user: string,
    assurance: Assurance,
    marks?: Pick<OrganizationMarks, "memberships">,
  ) => Memberships | Promise<Memberships>;
  /**
   * Deleted organizations that may still have documents: these are out of reach outside `_admin/data` (api-decisions,
   * Order of checks). The very same object until it changes; mostly empty.
   */
  readonly withheld: (
    marks?: Pick<OrganizationMarks, "withheld">,
  ) => ReadonlySet<string> | Promise<ReadonlySet<string>>;
  /**
   * What the end, or the return, of an account does to organizations: the last member who could manage one leaves it
   * orphaned, and one who comes back makes it active again; a deleted account leaves every organization.
   * @returns writes it in the transaction of the change itself, before the account's own record is written; throws
   *   Outdated where an organization, or the account, changed meanwhile: the caller asks again
   */
  readonly accountChange: (
    user: string,
    to: "disabled" | "enabled" | "deleted",
  ) => Promise<(transaction: Transaction) => Promise<void>>;
  /**
   * Makes a service member for a key that an operator pins to its organization.
   * @param along writes the key itself, and what else belongs to it, in the same transaction; called again where it was
   *   to no avail
   * @throws ApiError `validation_error` for an organization, role or team that there is not | `team_limit_reached` |
   *   `write_conflict` | what `along` throws
   */
  readonly addService: (
    service: NewService,
    along: (transaction: Transaction) => Promise<void>,
  ) => Promise<void>;
  /**
   * Ends a key of an organization, whoever made it, with what rotations left of it and with its service member.
   * @param key its id
   * @param along writes what else belongs to it, in the same transaction
   * @throws ApiError `write_conflict` | what `along` throws
   */
  readonly endService: (
    org: string,
    key: string,
    along: (transaction: Transaction) => Promise<void>,
  ) => Promise<void>;
}

/** Hashes passwords at the cost that is asked of them. */
export interface Passwords {
  /**
   * What is stored of a password.
   * @throws (rejects with) ApiError `unavailable` when too many are under way
   */
  hash(password: string): Promise<string>;
  /**
   * The same for somebody who signs up. These take half of the places at most, so that those who have an account never
   * wait for them.
   * @throws (rejects with) ApiError `unavailable` when too many are under way
   */
  hashAtSignup(password: string): Promise<string>;
  /**
   * Whether `password` is the one that `stored` was made from. Undefined is nobody's: false, in the same time.
   * @throws (rejects with) ApiError `unavailable` when too many are under way
   */
  verify(stored: string | undefined, password: string): Promise<boolean>;
}

/** The part of pino that we call. */
export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What a realm's emitted `realm.ts` exports. */
export interface RealmModule {
  readonly definition: RealmDefinition;
  readonly routes: readonly RouteTable[];
}
