/** Which rule refused a request: kept beside the error, for who develops with the realm. Clients are never told of it so. */
import { ApiError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import type { RuleContext } from "./rule.ts";

export interface RefusedRule {
  readonly realm: string;
  /** `<database>/<collection>` or `<database>/<function>`; empty: the realm itself. */
  readonly of: string;
  /** Where it stands in the settings of that: `rules.update`, `fields.salary.write`, `invoke`, `organizations.create`. */
  readonly rule: string;
  /** Undefined where no rule was asked, but the scopes of the API key. */
  readonly context: RuleContext | undefined;
  /** As the rule saw it; without members where there is none, or nothing was read yet. */
  readonly document: JsonObject;
  /** What is written, as the rule saw it; without members where nothing is, or it was not looked at yet. */
  readonly data: JsonObject;
}

const refusals = new WeakMap<ApiError, RefusedRule>();

/** The same error, of which is known who is to blame. */
export function refusedBy(error: ApiError, by: RefusedRule): ApiError {
  refusals.set(error, by);
  return error;
}

/** Undefined where no rule refused. Of an operation of a batch the error stands behind that of the batch. */
export function ruleThatRefused(error: unknown): RefusedRule | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return refusals.get(error) ?? ruleThatRefused(error.cause);
}
