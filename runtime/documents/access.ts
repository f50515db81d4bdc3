import { unauthenticated } from "../auth/authenticate.ts";
import { permits } from "../auth/scopes.ts";
import { ApiError, type Detail } from "../errors.ts";
import { FALSE, type Filter, TRUE } from "../filter/algebra.ts";
import type { JsonObject } from "../json.ts";
import type { Caller, KeyScopes } from "../realm/caller.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import type { Chain } from "../realm/functions.ts";
import { refusedBy } from "../realm/refused.ts";
import { holds, type ReadRule, type RuleContext, type Rules, type WriteRule } from "../realm/rule.ts";
import { filterFor } from "../rules/context.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { notWithheld, type Withheld } from "./withheld.ts";

/** Who sends a request, what limits them, and what their writes leave behind. */
export interface Access extends Withheld {
  /** Undefined where nobody is asked: on document routes of realms with `auth: disabled`. */
  readonly caller: Caller | undefined;
  /** Undefined where no rules apply: to nobody, to API keys (spec: Authentication 2), and to administrators. */
  readonly context: RuleContext | undefined;
  /** Of the API key, also of one that acts for a user; undefined: everything. */
  readonly scopes: KeyScopes | undefined;
  /** Undefined in realms with `auth: disabled`, but for triggers' runs: their documents name nobody. */
  readonly author: Author | undefined;
  /** Undefined where writes leave no audit record. */
  readonly audit: Audit | undefined;
}

/** Whom the documents name that are written. */
export interface Author {
  /** `user:<id>`, `key:<name>` or `anonymous`; undefined in realms with `auth: disabled`. */
  readonly actor: string | undefined;
  /** Id of the user whom new documents belong to; null: nobody; undefined as before. */
  readonly owner: string | null | undefined;
  /** Of writes by runs of triggers, and by what these have run. */
  readonly chain?: Chain | undefined;
}

/** Appends audit records of writes, in the transaction that they are made in. */
export type Audit = (transaction: Transaction, writes: readonly Write[]) => Promise<void>;

/** A write as the audit trail tells of it. */
export interface Write extends Written {
  readonly action: WriteAction;
  readonly collection: CollectionDefinition;
}

export type WriteAction =
  | ("create" | "replace" | "patch" | "delete" | "purge" | "restore" | "transfer")
  | ("upload" | "remove_file");

/** What a write left. */
export interface Written {
  readonly id: string;
  /** Absent where nothing is left. */
  readonly version?: number | undefined;
  /** Of the document as it is now, as its version. */
  readonly text?: string;
  /** Facts for the audit trail that the version does not tell. */
  readonly details?: JsonObject;
}

/** What stands for the document where there is none (creates), and for the data where nothing is written. */
export const nothing: JsonObject = { _meta: {} };

/** The error of an operation that the rules refuse: 401 without a credential, else 403. */
export function refusal({ caller }: Access, details: readonly Detail[] = []): ApiError {
  if (caller?.kind === "anonymous") return unauthenticated();
  return new ApiError("forbidden", "This operation is not allowed.", { details });
}

/** The rule of an operation, by its name in the settings. */
export type Operation = keyof Rules;

/** What a rule was asked about. */
interface Asked {
  readonly document?: JsonObject;
  readonly data?: JsonObject;
}

/**
 * The error of an operation that one of the collection's rules refuses, or in its place the scopes of the caller's key.
 * @param rule of an operation, or of a field: `fields.salary.write`
 */
export function refusalBy(
  definition: CollectionDefinition,
  access: Access,
  rule: Operation | `fields.${string}`,
  { document = nothing, data = nothing }: Asked = {},
  details: readonly Detail[] = [],
): ApiError {
  return blamed(refusal(access, details), definition, access, rule, { document, data });
}

/** The same error, of which is known that a rule of the collection is to blame. */
export function blamed(
  error: ApiError,
  { realm, database, name }: CollectionDefinition,
  { context }: Access,
  rule: Operation | `fields.${string}`,
  { document = nothing, data = nothing }: Asked = {},
): ApiError {
  const place = rule.startsWith("fields.") ? rule : `rules.${rule}`;
  return refusedBy(error, { realm, of: `${database}/${name}`, rule: place, context, document, data });
}

/**
 * Whether this caller may write some document somehow: the rule is not constantly false, and the API key's scopes cover
 * the collection.
 * @param operation undefined: those of administrators, whom no rule is about
 */
export function mayWrite(
  definition: CollectionDefinition,
  access: Access,
  operation: Operation | undefined,
): boolean {
  const { context } = access;
  const rule = operation && definition.rules?.[operation];
  if (!isInScope(definition, access, "write")) return false;
  return context === undefined || (rule !== undefined && isPossible(rule, context));
}

/**
 * Refuses a write that this caller may do to no document, whatever is written (see {@link mayWrite}).
 * @throws ApiError `unauthenticated` | `forbidden`
 */
export function requireWrite(
  definition: CollectionDefinition,
  access: Access,
  operation: Operation | undefined,
): void {
  if (mayWrite(definition, access, operation)) return;
  throw operation === undefined ? refusal(access) : refusalBy(definition, access, operation);
}

/** Whether a rule is not constantly false for the caller. */
export function isPossible(rule: WriteRule | ReadRule, context: RuleContext): boolean {
  if (rule.possible !== undefined) return rule.possible(context);
  return !("filter" in rule) || filterFor(rule, context).op !== "false";
}

/**
 * The documents that a caller may read.
 * @throws ApiError `unauthenticated` | `forbidden` where these are none whatever is stored
 */
export function readable(
  definition: CollectionDefinition,
  access: Access,
  rule: ReadRule | undefined,
): Filter {
  const filter = readFilter(definition, access, rule);
  if (filter.op === "false" && !mayRead(definition, access, rule))
    throw refusalBy(definition, access, "read");
  return filter;
}

/**
 * Whether this caller may read some document at some time: a caller who is in no organization reads nothing where one would
 * have to be, and is not refused.
 */
export function mayRead(
  definition: CollectionDefinition,
  access: Access,
  rule: ReadRule | undefined = definition.rules?.read,
): boolean {
  const { context } = access;
  if (!isInScope(definition, access, "read")) return false;
  return context === undefined || (rule !== undefined && isPossible(rule, context));
}

/** The documents that a caller may read; FALSE where these are none. */
export function readFilter(
  definition: CollectionDefinition,
  access: Access,
  rule: ReadRule | undefined,
): Filter {
  const { context } = access;
  if (!isInScope(definition, access, "read")) return FALSE;
  if (context === undefined) return notWithheld(definition, access, TRUE);
  return rule === undefined ? FALSE : notWithheld(definition, access, filterFor(rule, context));
}

/** Authentication 3: a key can only do what its scopes grant. */
function isInScope(
  { database, name }: CollectionDefinition,
  { scopes }: Access,
  kind: "read" | "write",
): boolean {
  return permits(scopes, kind, database, name);
}

/** Whether the caller's rules allow it, for this document and data. A missing rule denies. */
export function allows(
  rule: Pick<WriteRule, "check"> | undefined,
  { context }: Access,
  document: JsonObject,
  data: JsonObject = nothing,
): boolean {
  return context === undefined || (rule !== undefined && holds(rule, context, document, data));
}
