/** A realm on which handlers are tested: its members, as `realmc/testing` has them. */
import type { LogLine } from "../functions/invocation.ts";
import type { JsonValue } from "../json.ts";
import type { Mail } from "../realm/mail.ts";
import type { ContextOptions, TestCaller } from "./context.ts";
import type { AllCollections, AllReached } from "./documents.ts";
import type { TestOrganization, TestUser } from "./people.ts";

export interface TestRealmOptions {
  /** Where its time stands until `advance` moves it on; default: when it is made. */
  readonly now?: string | Date;
}

/** What a webhook is sent. */
export interface TestRequest {
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

/** A call that a handler has queued. */
export interface QueuedCall {
  readonly id: string;
  /** `<database>/<function>`. */
  readonly function: string;
  readonly input: JsonValue;
  /** When it is to be run. */
  readonly due_at: string | null;
}

/** A handler, as `$types.ts` types it. */
export type AnyHandler = (input: never, context: never) => unknown;
/** Anything, where it does not look. */
export type InputOf<Handler extends AnyHandler> =
  Parameters<Handler> extends [] ? unknown : Parameters<Handler>[0];
export type ContextOf<Handler extends AnyHandler> = Parameters<Handler>[1];
export type OutputOf<Handler extends AnyHandler> = Awaited<ReturnType<Handler>>;

/** Options may be left out where none is required. */
export type Optional<Options> = object extends Options ? [options?: Options] : [options: Options];

/** What a handler is run with. */
export type OptionsOf<Handler extends AnyHandler> = ContextOptions<ContextOf<Handler>>;

/** How often an event has come: what handlers see as `attempt`; default: 1. */
export interface Attempt {
  readonly attempt?: number;
}

/**
 * A realm on which handlers are tested, in this thread: they are given the `ctx` of a server, on the documents layer and the
 * embedded engine of one, in a temporary folder. Nothing is faked but what the test gives (secrets, `ctx.fetch`, who calls), the time, and mail,
 * which is kept. Functions are named `<database>/<function>`.
 */
export interface TestRealm<All extends AllCollections = AllCollections> {
  /** All documents, past the rules: to seed, and to see what a handler did. */
  readonly db: AllReached<All>;
  /**
   * All documents under the rules, as somebody sees them.
   * @throws (rejects with) Error where there is no such user
   */
  as(caller: TestCaller): Promise<AllReached<All>>;
  /** @throws (rejects with) Error for a role that there is not */
  addUser(user?: TestUser): Promise<{ readonly id: string; readonly email: string }>;
  /** @throws (rejects with) Error for a role that there is not */
  addOrganization(organization: TestOrganization): Promise<{ readonly id: string }>;
  /**
   * Has a call run as a request does: `invoke` allows its caller, the input fits its schema, and so does the output.
   * @throws (rejects with) what the handler throws; else an Error with `status`, `code`, `message` and `details`, as the
   *   request is answered, and for what the test gives wrong Error
   * @example const { reply } = await realm.call("support/close", close, { ticket, reason }, { caller: { user: ada.id } });
   */
  call<Handler extends AnyHandler>(
    name: string,
    handler: Handler,
    input: InputOf<Handler>,
    ...options: Optional<OptionsOf<Handler>>
  ): Promise<OutputOf<Handler>>;
  /**
   * Has a webhook run as a request does.
   * @returns what is answered: also what `ctx.error` says
   * @throws (rejects with) what else the handler throws
   */
  webhook<Handler extends AnyHandler>(
    name: string,
    handler: Handler,
    request: TestRequest,
    ...options: Optional<OptionsOf<Handler>>
  ): Promise<Response>;
  /**
   * Has an event function run for what its triggers have been told of, in the order of the changes: once for each.
   * @returns what it was run for
   * @throws (rejects with) what the handler throws; events after it wait for the next time
   */
  trigger<Handler extends AnyHandler>(
    name: string,
    handler: Handler,
    ...options: Optional<OptionsOf<Handler> & Attempt>
  ): Promise<readonly InputOf<Handler>[]>;
  /**
   * Moves the time on to when a schedule is due next, and has its function run.
   * @returns that time
   * @throws (rejects with) what the handler throws
   */
  schedule<Handler extends AnyHandler>(
    name: string,
    handler: Handler,
    ...options: Optional<OptionsOf<Handler> & Attempt>
  ): Promise<Date>;
  /**
   * What a handler of that function is given beside its input, to call it without all that: neither `invoke` nor a schema is
   * asked.
   * @throws (rejects with) Error where there is no such function or caller, or a secret is missing
   * @example const ctx = await realm.context<Handler>("support/close", { caller: { user: ada.id } });
   */
  context<Handler extends AnyHandler>(
    name: string,
    ...options: Optional<OptionsOf<Handler>>
  ): Promise<ContextOf<Handler>>;
  /** What was sent by `ctx.mail`, oldest first. */
  readonly mails: readonly Mail[];
  /** What was logged by `ctx.log`, oldest first. */
  readonly logs: readonly LogLine[];
  /** What was queued by `ctx.jobs` and is not run: nothing is, in tests. Oldest first. */
  queued(): Promise<readonly QueuedCall[]>;
  /** What `ctx.now()` says. */
  readonly now: Date;
  /** Moves the time on, by such as `10m`. */
  advance(duration: string): void;
  /** Ends it; nothing of it is left. */
  close(): Promise<void>;
}
