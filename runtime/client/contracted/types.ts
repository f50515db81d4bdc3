// Made of the contracts by scripts/contract/client.ts (UPDATE_GOLDEN=1). Do not edit.
import type { PageOptions } from "../pages.ts";
import type { KeyScopes, RealmTypes } from "../realm.ts";

export type AdministrationArea =
  | "users"
  | "invitations"
  | "apikeys"
  | "secrets"
  | "audit"
  | "functions"
  | "data"
  | "config";

/**
 * What it may do: on everything, or on databases and collections named; `{}`: nothing; null:
 * everything, and no administration.
 */
export type StoredScopes = {
  read?: "*" | string[];
  write?: "*" | string[];
  call?: "*" | string[];
  /** Of personal tokens: what they administer of that which their users do. */
  admin?: AdministrationArea[];
} | null;

export interface ApiKey {
  id: string;
  name: string;
  /**
   * What it may do: on everything, or on databases and collections named; `{}`: nothing; null:
   * everything, and no administration.
   */
  scopes: StoredScopes;
  /** Whose it is: the operator's, a user's, or an organization's. */
  kind: "operator" | "personal" | "organization";
  /** Id of the user whom it always acts for; null: nobody. */
  user: string | null;
  /** Id of the organization whose service member it always acts as; null: none. */
  org: string | null;
  /** True: everything; or some areas. */
  admin: boolean | AdministrationArea[];
  /** Whether it may act for users, by `X-Svc-On-Behalf-Of`; `required`: it does nothing without that. */
  on_behalf_of: boolean | "required";
  /** Its first eight characters; null of an old one. */
  start: string | null;
  /** Where it may be used from: networks such as `10.0.0.0/8`, or addresses; null: anywhere. */
  networks: string[] | null;
  created_at: string;
  /** `user:<id>`, `key:<name>` or `command-line`; null of an old one. */
  created_by: string | null;
  /** Null: never. */
  expires_at: string | null;
  /** To the minute; null: not yet, or not known. */
  last_used_at: string | null;
  /** Where it was used from then. */
  last_used_address: string | null;
}

export interface NewApiKey<R extends RealmTypes> {
  /**
   * Unique in the realm, without control characters and without space at its ends. What the key writes
   * names it: `key:<name>`.
   */
  name: string;
  /**
   * What it may do: on everything, or on databases and collections named; `{}`: nothing; null:
   * everything, and no administration.
   */
  scopes?: KeyScopes<R> | null | undefined;
  /** What it administers, nothing when left out; only full administrators give any of it. */
  admin?: boolean | readonly AdministrationArea[] | null | undefined;
  /** Where it may be used from: networks such as `10.0.0.0/8`, or addresses; null: anywhere. */
  networks?: readonly string[] | null | undefined;
  /** Null: never. */
  expires_at?: string | Date | null | undefined;
  /** Id of the user whom it always acts for; goes with no `admin` and no `on_behalf_of`. */
  user?: string | null | undefined;
  /**
   * Id of the organization as whose service member it always acts; goes with no `user`, `admin` and
   * `on_behalf_of`.
   */
  org?: string | null | undefined;
  /** What its service member has in `org`, whatever that manages. */
  roles?: readonly string[] | null | undefined;
  /** Ids of the teams of `org` that its service member is in. */
  teams?: readonly string[] | null | undefined;
  /** Whether it may act for users, by `X-Svc-On-Behalf-Of`; `required`: it does nothing without that. */
  on_behalf_of?: boolean | "required" | false | undefined;
}

export interface MadeApiKey extends ApiKey {
  /** `svk_…`, shown this once. */
  key: string;
  /** What is dangerous about the key, and what to do instead; absent where nothing is. */
  warnings?: string[];
}

export interface RotatedApiKey extends ApiKey {
  /** `svk_…`, shown this once. */
  key: string;
}

export interface Secret {
  name: string;
  created_at: string;
  updated_at: string;
}

export interface AuditOptions extends PageOptions {
  /** Records of this action, such as `user.roles`. */
  action?: string | undefined;
  /** Records of what they did: `user:<id>`, `key:<name>`. */
  actor?: string | undefined;
  /** Records from this instant on. */
  from?: string | Date | undefined;
  /** Records before this instant. */
  to?: string | Date | undefined;
}

export interface AuditRecord {
  id: string;
  at: string;
  /** What was done: `user.roles`, `key.create`, `data.patch`, … */
  action: string;
  /** Who did it: `user:<id>`, `key:<name>` or `command-line`. */
  actor: string;
  /** What it was done to: `user:<id>`, `document:<database>/<collection>/<id>`, … */
  target: string;
  address: string | null;
  request_id: string | null;
  /** Facts about the change, never content or secrets. */
  details: Record<string, unknown>;
}

export interface EffectiveConfiguration {
  /** Of the whole configuration, as `/readyz` has it. */
  fingerprint: string;
  /** realm.yaml, defaults filled in. */
  realm: Record<string, unknown>;
  /** By database and collection: collection.yaml, indexes and declared fields. */
  databases: Record<string, unknown>;
}

export interface RecordedConfiguration {
  /** Of the whole configuration that the realm was part of. */
  fingerprint: string;
  provisioned_at: string;
  /** Files of the realm by their paths in the configuration folder. */
  files: Record<string, unknown>;
}

export interface JobOptions extends PageOptions {
  status?: "queued" | "running" | "succeeded" | "failed" | "cancelled" | undefined;
}

export interface Job {
  id: string;
  /**
   * Erases what a deleted organization leaves, gives documents to an organization, brings documents into
   * a text index, sends a mail, removes what has expired (one that never ends), runs a function that was
   * called in the background, or one for what has happened, begins what schedules have due (one that
   * never ends, too), removes the bytes of files that no document names (another), makes the versions of
   * an image, or migrates the documents of a collection.
   */
  kind:
    | "org_delete"
    | "assign_org"
    | "text_index"
    | "mail"
    | "retention"
    | "key-ends"
    | "function.call"
    | "function.event"
    | "function.schedules"
    | "file_sweep"
    | "image_versions"
    | "migration";
  status: "queued" | "running" | "succeeded" | "failed" | "cancelled";
  /** `org:<id>`, `collection:<database>/<collection>`, `mail`, `realm`, `function:<database>/<function>`. */
  target: string;
  created_at: string;
  started_at: string | null;
  finished_at: string | null;
  /** Counts, once it has succeeded. */
  result: Record<string, unknown> | null;
  /** Why it failed. */
  error: string | null;
}

export interface Migration {
  realm: string;
  /** `<database>/<collection>`. */
  collection: string;
  /** Four digits. */
  number: string;
  name: string;
  /** `failed`: it left documents as they were, which `failed` names. */
  state: "pending" | "running" | "done" | "failed";
  /** Documents that are in its form, of those looked at so far. */
  done: number;
  /** Documents when it began. */
  total: number;
  /** Ids of the first documents that it left as they were. */
  failed: string[];
  /** Documents in a second at most, where an administrator wants that. */
  rate?: number;
  /** Where an administrator has paused it. */
  paused?: true;
}

export interface MigrationPace {
  /** Documents in a second at most; `null`: as many as there can be. */
  rate?: number | null | undefined;
  paused?: boolean | undefined;
}

export interface RealmFunction {
  /** `<database>/<function>`. */
  id: string;
  mode: "webhook" | "call" | "event";
  /** Those that are kept: of seven days, at most 1,000 of a function. */
  invocations: { succeeded: number; failed: number; timeout: number; cancelled: number };
}

export interface InvocationOptions extends PageOptions {
  /** `failed` answers runs that took too long, too; `timeout` those alone. */
  status?: "succeeded" | "failed" | "timeout" | "cancelled" | undefined;
}

export interface Invocation {
  id: string;
  kind: "webhook" | "call" | "trigger" | "schedule";
  status: "succeeded" | "failed" | "timeout" | "cancelled";
  started_at: string;
  /** In its thread. */
  duration_ms: number;
  attempt: number;
  /** `user:<id>`, `key:<name>` or `anonymous`; null: nobody called it. */
  caller: string | null;
  request_id: string;
  error: {
    code: string;
    message: string;
    /** Of what it was refused, as requests are told; at most 20. */
    details?: Record<string, unknown>[];
  } | null;
  /** At most 64 KiB. */
  logs: {
    at: string;
    level: "debug" | "info" | "warn" | "error";
    message: string;
    fields: Record<string, unknown>;
  }[];
}

export interface FunctionRun {
  kind: "schedule" | "trigger";
  /** Of a trigger: `<collection>` or `<database>/<collection>`. */
  collection?: string | undefined;
  event?: "create" | "update" | "delete" | undefined;
  /** Id of a document that is there now. */
  document?: string | undefined;
}
