import { unauthenticated } from "../auth/authenticate.ts";
import { permits } from "../auth/scopes.ts";
import { ApiError, type Detail } from "../errors.ts";
import { always, FALSE, type Filter } from "../filter/algebra.ts";
import type { JsonObject } from "../json.ts";
import type { Caller } from "../realm/caller.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import type { Exchange, RealmInstance } from "../realm/exchange.ts";
import type { ReadRule, RuleContext, WriteRule } from "../realm/rule.ts";
import { filterFor, ruleContext } from "../rules/context.ts";

/** Who sends a request, and what the rules are evaluated with. */
export interface Access {
  /** Undefined in realms with `auth: disabled`. */
  readonly caller: Caller | undefined;
  /** Undefined where no rules apply: in realms with `auth: disabled`, and to API keys (spec: Authentication 2). */
  readonly context: RuleContext | undefined;
}

const open: Access = { caller: undefined, context: undefined };

/** @returns what answers who sends a request, or throws ApiError as `realm.authenticate` does. */
export function accessTo(realm: RealmInstance): (exchange: Exchange) => Access | Promise<Access> {
  const { authenticate } = realm;
  if (authenticate === undefined) return () => open;
  return async (exchange) => {
    const caller = await authenticate(exchange);
    return { caller, context: caller.kind === "key" ? undefined : ruleContext(realm, caller) };
  };
}

/** What stands for the document where there is none (creates), and for the data where nothing is written. */
export const nothing: JsonObject = { _meta: {} };

/** The error of an operation that the rules refuse: 401 without a credential, else 403. */
export function refusal({ caller }: Access, details: readonly Detail[] = []): ApiError {
  if (caller?.kind === "anonymous") return unauthenticated();
  return new ApiError("forbidden", "This operation is not allowed.", { details });
}

/**
 * Refuses a write that this caller may do to no document, whatever is written: the rule is constantly false, or the API
 * key's scopes do not cover it.
 * @throws ApiError `unauthenticated` | `forbidden`
 */
export function requireWrite(
  definition: CollectionDefinition,
  access: Access,
  rule: WriteRule | ReadRule | undefined,
): void {
  const { context } = access;
  if (context === undefined) requireScope(definition, access, "write");
  else if (rule === undefined || !isPossible(rule, context)) throw refusal(access);
}

function isPossible(rule: WriteRule | ReadRule, context: RuleContext): boolean {
  return "filter" in rule ? filterFor(rule, context).op !== "false" : rule.possible?.(context) !== false;
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
  if (filter.op === "false") throw refusal(access);
  return filter;
}

/** The documents that a caller may read; FALSE where these are none whatever is stored. */
export function readFilter(
  definition: CollectionDefinition,
  access: Access,
  rule: ReadRule | undefined,
): Filter {
  const { context } = access;
  if (context === undefined) return always(isInScope(definition, access, "read"));
  return rule === undefined ? FALSE : filterFor(rule, context);
}

function requireScope(definition: CollectionDefinition, access: Access, kind: "read" | "write"): void {
  if (!isInScope(definition, access, kind)) throw refusal(access);
}

/** Authentication 3: a key can only do what its scopes grant. */
function isInScope(
  { database, name }: CollectionDefinition,
  { caller }: Access,
  kind: "read" | "write",
): boolean {
  return caller?.kind !== "key" || permits(caller, kind, database, name);
}

/** Whether the caller's rules allow it, for this document and data. A missing rule denies. */
export function allows(
  rule: Pick<WriteRule, "check"> | undefined,
  { context }: Access,
  document: JsonObject,
  data: JsonObject = nothing,
): boolean {
  return context === undefined || rule?.check(context, document, data) === true;
}
