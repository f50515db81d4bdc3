// Made of the contracts by scripts/contract/client.ts (UPDATE_GOLDEN=1). Do not edit.
import { pathWith } from "../calls.ts";
import type { Connected } from "../connected.ts";
import type { Connection } from "../connection.ts";
import { DocumentChecks } from "../document-checks.ts";
import type { ApiPromise } from "../errors.ts";
import { type EntryPage, type PageOptions, read } from "../pages.ts";
import type { RealmTypes } from "../realm.ts";
import type { RequestOptions } from "../request.ts";
import type { AdministrationError, AnyBodyError, BodyError } from "../route-errors.ts";
import type {
  ApiKey,
  AuditOptions,
  AuditRecord,
  EffectiveConfiguration,
  FunctionRun,
  Invocation,
  InvocationOptions,
  Job,
  JobOptions,
  MadeApiKey,
  Migration,
  MigrationPace,
  NewApiKey,
  RealmFunction,
  RecordedConfiguration,
  RotatedApiKey,
  Secret,
} from "./types.ts";

/** The administration that every realm has. */
export class Administration<R extends RealmTypes> extends DocumentChecks<R> {
  readonly #connection: Connection;

  constructor(connected: Connected<R>) {
    super(connected);
    this.#connection = connected.connection;
  }

  /** List API keys. */
  listKeys(options: PageOptions = {}): ApiPromise<EntryPage<ApiKey>, AdministrationError<R>> {
    return this.#connection.call({ method: "GET", path: "_admin/keys", ...read(options) });
  }

  /**
   * Make an API key. Nobody gives a key more than they hold: keys that administer are made by full
   * administrators, keys that reach data by administrators of `data`, whatever their scopes, and keys
   * that act for users, or as a service member of an organization, by administrators of `users`.
   */
  createKey(
    body: NewApiKey<R>,
    options?: RequestOptions,
  ): ApiPromise<MadeApiKey, AdministrationError<R> | BodyError | "conflict"> {
    return this.#connection.call({ method: "POST", path: "_admin/keys", body, options });
  }

  /**
   * Rotate an API key. Its id and its end stay; the former key is good for `overlap`. For keys of
   * operators, by who could make such a key; users and members of organizations rotate theirs.
   */
  rotateKey(
    id: string,
    body: {
      /** How long the former key is good still, `0s` to `7d`; default `24h`. Never beyond its own end. */
      overlap?: string | null | undefined;
    } = {},
    options?: RequestOptions,
  ): ApiPromise<RotatedApiKey, AdministrationError<R> | BodyError | "conflict" | "write_conflict"> {
    return this.#connection.call({ method: "POST", path: pathWith`_admin/keys/${id}/rotate`, body, options });
  }

  /**
   * Revoke an API key. Whoever made it; it ends with the next request, and what rotations left of it.
   * Keys that administer are revoked by full administrators.
   */
  revokeKey(
    id: string,
    options?: RequestOptions,
  ): ApiPromise<void, AdministrationError<R> | "write_conflict"> {
    return this.#connection.call({ method: "DELETE", path: pathWith`_admin/keys/${id}`, options });
  }

  /** List the names of secrets. */
  listSecrets(options: PageOptions = {}): ApiPromise<EntryPage<Secret>, AdministrationError<R>> {
    return this.#connection.call({ method: "GET", path: "_admin/secrets", ...read(options) });
  }

  /** Set a secret. It is stored encrypted, and never answered. A realm has at most 1,000. */
  putSecret(
    name: string,
    value: string,
    options?: RequestOptions,
  ): ApiPromise<Secret, AdministrationError<R> | BodyError | "conflict" | "write_conflict"> {
    return this.#connection.call({
      method: "PUT",
      path: pathWith`_admin/secrets/${name}`,
      body: { value },
      options,
    });
  }

  /** Delete a secret. */
  deleteSecret(name: string, options?: RequestOptions): ApiPromise<void, AdministrationError<R>> {
    return this.#connection.call({ method: "DELETE", path: pathWith`_admin/secrets/${name}`, options });
  }

  /** List audit records. Newest first. */
  listAudit(options: AuditOptions = {}): ApiPromise<EntryPage<AuditRecord>, AdministrationError<R>> {
    return this.#connection.call({ method: "GET", path: "_admin/audit", ...read(options) });
  }

  /** Fetch the configuration that is in effect. */
  getConfig(options?: RequestOptions): ApiPromise<EffectiveConfiguration, AdministrationError<R>> {
    return this.#connection.call({ method: "GET", path: "_admin/config", options, repeatable: true });
  }

  /**
   * List the configurations that the store was provisioned with. The oldest first, with the texts of
   * rules; of handlers nothing. `realmc plan` compares with the last.
   */
  listConfigurations(
    options?: RequestOptions,
  ): ApiPromise<{ items: RecordedConfiguration[] }, AdministrationError<R>> {
    return this.#connection.call({ method: "GET", path: "_admin/config/files", options, repeatable: true });
  }

  /** Fetch the application's configuration. */
  getAppConfig(options?: RequestOptions): ApiPromise<Record<string, unknown>, AdministrationError<R>> {
    return this.#connection.call({ method: "GET", path: "_admin/config/app", options, repeatable: true });
  }

  /**
   * Replace the application's configuration. In place of `app_config` of realm.yaml, from the next
   * request on.
   */
  putAppConfig(
    body: Record<string, unknown>,
    options?: RequestOptions,
  ): ApiPromise<Record<string, unknown>, AdministrationError<R> | BodyError | "write_conflict"> {
    return this.#connection.call({ method: "PUT", path: "_admin/config/app", body, options });
  }

  /** List jobs. Newest first. */
  listJobs(options: JobOptions = {}): ApiPromise<EntryPage<Job>, AdministrationError<R>> {
    return this.#connection.call({ method: "GET", path: "_admin/jobs", ...read(options) });
  }

  /** Fetch a job. */
  getJob(id: string, options?: RequestOptions): ApiPromise<Job, AdministrationError<R>> {
    return this.#connection.call({
      method: "GET",
      path: pathWith`_admin/jobs/${id}`,
      options,
      repeatable: true,
    });
  }

  /**
   * Retry a failed job. It goes on where it was, with as many attempts as a new one. One that has not
   * failed: `409 conflict`.
   */
  retryJob(
    id: string,
    options?: RequestOptions,
  ): ApiPromise<Job, AdministrationError<R> | AnyBodyError | "conflict"> {
    return this.#connection.call({ method: "POST", path: pathWith`_admin/jobs/${id}/retry`, options });
  }

  /** List migrations. By collection and number, as the store records them. */
  listMigrations(options: PageOptions = {}): ApiPromise<EntryPage<Migration>, AdministrationError<R>> {
    return this.#connection.call({ method: "GET", path: "_admin/migrations", ...read(options) });
  }

  /**
   * Slow a migration down, pause it or let it go on. Of all collections that have one of this number,
   * and with those that run together with it. Whoever runs it reads this before the next batch.
   */
  patchMigration(
    number: string,
    patch: MigrationPace,
    options?: RequestOptions,
  ): ApiPromise<EntryPage<Migration>, AdministrationError<R> | BodyError | "write_conflict"> {
    return this.#connection.call({
      method: "PATCH",
      path: pathWith`_admin/migrations/${number}`,
      body: patch,
      options,
    });
  }

  /** List functions. With counts of their invocations. */
  listFunctions(options: PageOptions = {}): ApiPromise<EntryPage<RealmFunction>, AdministrationError<R>> {
    return this.#connection.call({ method: "GET", path: "_admin/functions", ...read(options) });
  }

  /** List invocations of a function. Newest first. Inputs, outputs and secrets are not kept. */
  listInvocations(
    database: string,
    fn: string,
    options: InvocationOptions = {},
  ): ApiPromise<EntryPage<Invocation>, AdministrationError<R>> {
    return this.#connection.call({
      method: "GET",
      path: pathWith`_admin/functions/${database}/${fn}/invocations`,
      ...read(options),
    });
  }

  /**
   * Run an event function by hand. As if its schedule were due, or as if the event had just happened to
   * the document.
   */
  runFunction(
    database: string,
    fn: string,
    body: FunctionRun,
    options?: RequestOptions,
  ): ApiPromise<{ job: string }, AdministrationError<R> | BodyError> {
    return this.#connection.call({
      method: "POST",
      path: pathWith`_admin/functions/${database}/${fn}/run`,
      body,
      options,
    });
  }
}

export function administration<R extends RealmTypes>(connected: Connected<R>): Administration<R> {
  return new Administration(connected);
}
