/** Checks that need the facts derived from compiled rules. */
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Collection } from "../model/model.ts";
import type { RuleFacts } from "../rules/compiled.ts";

/**
 * Public caching needs a read rule that anonymous callers can satisfy and that does not depend on the clock. `facts`: of
 * the read rule; absent where it has mistakes of its own.
 */
export function publicCacheFacts(collection: Collection, facts: RuleFacts | undefined): Diagnostic[] {
  const { publicCache } = collection;
  if (publicCache === undefined || facts === undefined) return [];
  const rule = collection.rules.read;
  const related = rule === undefined ? [] : [{ message: "the read rule stands here", span: rule.span }];
  const found: Diagnostic[] = [];
  if (!facts.anonymous) found.push(diagnose("cache-anonymous", publicCache.span, {}, { related }));
  if (facts.readsClock) found.push(diagnose("cache-clock", publicCache.span, {}, { related }));
  return found;
}
