import type { AnyErrorCode } from "./codes.ts";
import type { Connected } from "./connected.ts";
import type { Call, Connection, RequestOptions } from "./connection.ts";
import type { Always, AnyBodyError, BodyError } from "./documents.ts";
import type { ApiPromise, ErrorDetail } from "./errors.ts";
import { type EntryPage, type PageOptions, read } from "./pages.ts";
import type { AdministratorError, RealmTypes } from "./realm.ts";

export type AdministrationArea =
  | "users"
  | "invitations"
  | "apikeys"
  | "secrets"
  | "audit"
  | "functions"
  | "data"
  | "config";

export interface KeyScopes<R extends RealmTypes> {
  read?: "*" | readonly R["scope"][];
  write?: "*" | readonly R["scope"][];
  call?: "*" | readonly R["scope"][];
}

export interface ApiKey {
  id: string;
  name: string;
  /** `{}`: nothing; null: everything, and no administration. */
  scopes: { read?: "*" | string[]; write?: "*" | string[]; call?: "*" | string[] } | null;
  admin: boolean | AdministrationArea[];
  networks: string[] | null;
  expires_at: string | null;
  on_behalf_of: boolean;
  created_at: string;
}

export interface NewApiKey<R extends RealmTypes> {
  /** What the key writes names it: `key:<name>`. */
  name: string;
  scopes?: KeyScopes<R> | null | undefined;
  admin?: boolean | readonly AdministrationArea[] | null | undefined;
  /** Where it may be used from, such as `10.0.0.0/8`. */
  networks?: readonly string[] | null | undefined;
  expires_at?: string | Date | null | undefined;
  /** Whether it may act for users. */
  on_behalf_of?: boolean | undefined;
}

export interface Secret {
  name: string;
  created_at: string;
  updated_at: string;
}

export interface AuditRecord {
  id: string;
  at: string;
  /** `user.roles`, `key.create`, `data.patch`, … */
  action: string;
  /** `user:<id>`, `key:<name>` or `command-line`. */
  actor: string;
  target: string;
  address: string | null;
  request_id: string | null;
  details: Record<string, unknown>;
}

export interface AuditOptions extends PageOptions {
  action?: string | undefined;
  actor?: string | undefined;
  from?: string | Date | undefined;
  to?: string | Date | undefined;
}

/** Work that goes on in the background. */
export interface Job {
  id: string;
  kind:
    | "org_delete"
    | "assign_org"
    | "text_index"
    | "mail"
    | "retention"
    | "function.call"
    | "function.event";
  status: "queued" | "running" | "succeeded" | "failed" | "cancelled";
  /** `org:<id>`, `collection:<database>/<collection>`, `mail`, `realm`, `function:<database>/<function>`. */
  target: string;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  result: Record<string, unknown> | null;
  error: string | null;
}

export interface JobOptions extends PageOptions {
  status?: Job["status"] | undefined;
}

/** What no longer fits its schema; the first 100 documents. */
export interface DocumentCheck {
  checked: number;
  invalid: number;
  documents: { id: string; details: ErrorDetail[] }[];
}

/** What every route of administration may answer. */
export type AdministrationError<R extends RealmTypes> = Always | AdministratorError<R>;

/** The administration that every realm has. */
export class Administration<R extends RealmTypes> {
  readonly #connection: Connection;

  constructor({ connection }: Connected<R>) {
    this.#connection = connection;
  }

  listKeys(options: PageOptions = {}): ApiPromise<EntryPage<ApiKey>, AdministrationError<R>> {
    return this.#call({ method: "GET", path: "keys", ...read(options) });
  }

  /** With the key itself, which is shown this once. */
  createKey(
    key: NewApiKey<R>,
    options?: RequestOptions,
  ): ApiPromise<ApiKey & { key: string }, AdministrationError<R> | BodyError | "conflict"> {
    return this.#call({ method: "POST", path: "keys", body: key, options });
  }

  revokeKey(id: string, options?: RequestOptions): ApiPromise<void, AdministrationError<R>> {
    return this.#call({ method: "DELETE", path: `keys/${encodeURIComponent(id)}`, options });
  }

  /** Their names. */
  listSecrets(options: PageOptions = {}): ApiPromise<EntryPage<Secret>, AdministrationError<R>> {
    return this.#call({ method: "GET", path: "secrets", ...read(options) });
  }

  putSecret(
    name: string,
    value: string,
    options?: RequestOptions,
  ): ApiPromise<Secret, AdministrationError<R> | BodyError | "conflict" | "write_conflict"> {
    const path = `secrets/${encodeURIComponent(name)}`;
    return this.#call({ method: "PUT", path, body: { value }, options });
  }

  deleteSecret(name: string, options?: RequestOptions): ApiPromise<void, AdministrationError<R>> {
    return this.#call({ method: "DELETE", path: `secrets/${encodeURIComponent(name)}`, options });
  }

  /** Newest first. */
  listAudit(options: AuditOptions = {}): ApiPromise<EntryPage<AuditRecord>, AdministrationError<R>> {
    return this.#call({ method: "GET", path: "audit", ...read(options) });
  }

  /** Newest first. */
  listJobs(options: JobOptions = {}): ApiPromise<EntryPage<Job>, AdministrationError<R>> {
    return this.#call({ method: "GET", path: "jobs", ...read(options) });
  }

  getJob(id: string, options?: RequestOptions): ApiPromise<Job, AdministrationError<R>> {
    const path = `jobs/${encodeURIComponent(id)}`;
    return this.#call({ method: "GET", path, options, repeatable: true });
  }

  /** Has a job that failed go on where it was. */
  retryJob(
    id: string,
    options?: RequestOptions,
  ): ApiPromise<Job, AdministrationError<R> | AnyBodyError | "conflict"> {
    return this.#call({ method: "POST", path: `jobs/${encodeURIComponent(id)}/retry`, options });
  }

  /** The configuration in effect. */
  getConfig(
    options?: RequestOptions,
  ): ApiPromise<
    { fingerprint: string; realm: Record<string, unknown>; databases: Record<string, unknown> },
    AdministrationError<R>
  > {
    return this.#call({ method: "GET", path: "config", options, repeatable: true });
  }

  /** What rules read as `appConfig`. */
  getAppConfig(options?: RequestOptions): ApiPromise<Record<string, unknown>, AdministrationError<R>> {
    return this.#call({ method: "GET", path: "config/app", options, repeatable: true });
  }

  putAppConfig(
    config: Record<string, unknown>,
    options?: RequestOptions,
  ): ApiPromise<Record<string, unknown>, AdministrationError<R> | BodyError | "write_conflict"> {
    return this.#call({ method: "PUT", path: "config/app", body: config, options });
  }

  /** Finds documents that no longer fit the schema. */
  checkDocuments(
    database: string,
    collection: string,
    options?: RequestOptions,
  ): ApiPromise<DocumentCheck, AdministrationError<R> | AnyBodyError> {
    const path = `data/${encodeURIComponent(database)}/${encodeURIComponent(collection)}/_check`;
    return this.#call({ method: "POST", path, options });
  }

  #call<T, Code extends AnyErrorCode>(call: Call): ApiPromise<T, Code> {
    return this.#connection.call({ ...call, path: `_admin/${call.path}` });
  }
}

export function administration<R extends RealmTypes>(connected: Connected<R>): Administration<R> {
  return new Administration(connected);
}
