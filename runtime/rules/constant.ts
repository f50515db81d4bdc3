import { always, FALSE, TRUE } from "../filter/algebra.ts";
import type { FieldReadRule, ReadRule, RuleContext, WriteRule } from "../realm/rule.ts";

/** A rule that serves every operation: what does not look at the document. */
export type CallerRule = WriteRule<unknown, unknown> &
  ReadRule<unknown> &
  FieldReadRule<unknown> & { readonly check: (context: RuleContext) => boolean };

/** The rule `true`, and every rule that folds to it. */
export const allowed: CallerRule = {
  possible: () => true,
  certain: () => true,
  basis: () => [],
  filter: () => TRUE,
  check: () => true,
};

/** The rule `false`, and every rule that folds to it. */
export const denied: CallerRule = {
  possible: () => false,
  certain: () => false,
  basis: () => [],
  filter: () => FALSE,
  check: () => false,
};

/**
 * A rule that depends on the caller, the clock and `appConfig` alone.
 * @param possible where it asks for memberships: whether there are any with which it would hold
 */
export function byCaller(
  holds: (context: RuleContext) => boolean,
  possible: (context: RuleContext) => boolean = holds,
): CallerRule {
  return {
    possible,
    certain: holds,
    basis: (context) => [holds(context)],
    filter: (context) => always(holds(context)),
    check: holds,
  };
}
