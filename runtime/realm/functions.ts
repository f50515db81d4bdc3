import type { Rate } from "../units.ts";
import type { KeyScopes } from "./caller.ts";
import type { RuleContext, WriteRule } from "./rule.ts";
import type { Seen } from "./seen.ts";
import type { Validator } from "./validator.ts";

/** A function as its emitted `function.ts` defines it. */
export type FunctionDefinition = WebhookDefinition | CallDefinition | EventDefinition;

interface AnyFunction {
  readonly realm: string;
  readonly database: string;
  readonly name: string;
  /** Milliseconds that a run may take. */
  readonly timeout: number;
  /** Bytes of a run's heap. */
  readonly memory: number;
  /** Runs at a time, in each instance. */
  readonly concurrency: number;
  /** What `ctx.db` reaches: databases, or collections as `<database>/<collection>`. */
  readonly scopes: Required<Pick<KeyScopes, "read" | "write">>;
  /** Names that `ctx.secrets` has. */
  readonly secrets: readonly string[];
  /** Hosts that `ctx.fetch` reaches: names, `*.<name>`, and addresses with their ports. */
  readonly network: readonly string[];
  /** It has `ctx.mail`. */
  readonly mail: boolean;
}

/** Called with raw bytes; its rule allows anonymous callers. */
export interface WebhookDefinition extends AnyFunction {
  readonly mode: "webhook";
  /** Absent in realms with `auth: disabled`. */
  readonly invoke?: InvokeRule;
}

/** Called with JSON, at once or in the background. */
export interface CallDefinition extends AnyFunction {
  readonly mode: "call";
  /** Absent: denies; in realms with `auth: disabled` everybody calls it. */
  readonly invoke?: InvokeRule;
  /** Absent: the empty object alone. */
  readonly validateInput?: Validator;
  /** Absent: anything that is JSON. */
  readonly validateOutput?: Validator;
  readonly idempotency: "required" | "optional" | "none";
  /** Of a queued call. */
  readonly attempts: number;
}

/** Run by what happens. */
export interface EventDefinition extends AnyFunction {
  readonly mode: "event";
  readonly triggers: readonly TriggerDefinition[];
  readonly schedule?: ScheduleDefinition;
  readonly attempts: number;
}

/** `invoke`: of `data`, the input of a call, and of the caller. */
export type InvokeRule<Input = never> = WriteRule<never, Input>;

/** What may happen to a document: restoring is a create, soft deletion a delete. */
export type DocumentEvent = "create" | "update" | "delete";

export interface TriggerDefinition {
  readonly database: string;
  readonly collection: string;
  readonly on: readonly DocumentEvent[];
  /** Absent: always. `previous` is an object without members where there is none. */
  readonly when?: TriggerRule;
  /** Runs for a document need not wait for those before them. */
  readonly unordered?: true;
}

/** `Document` is what its collection's documents are {@link Seen} as; without it, it is a rule of some collection. */
export interface TriggerRule<Document = never> {
  readonly check: (context: RuleContext, document: Document, previous: Document) => boolean;
}

export interface ScheduleDefinition {
  /** Five fields. */
  readonly cron: string;
  /** IANA name, such as `Europe/Berlin`. */
  readonly timezone: string;
}

/** `functions` of realm.yaml: of all functions of the realm together, in each instance. */
export interface FunctionLimits {
  /** Runs at a time. */
  readonly concurrency?: number;
  /** Calls that are taken. */
  readonly rate?: Rate;
}

/** Runs that came of one another: what a trigger's run writes, and what is run by that. */
export interface Chain {
  /** Id of the job that began it. */
  readonly root: string;
  /** 1 for the first run. */
  readonly depth: number;
}

/** As scopes, jobs, audit and logs name it. */
export function functionName({ database, name }: Pick<FunctionDefinition, "database" | "name">): string {
  return `${database}/${name}`;
}
