import type { Caller } from "../auth/caller.ts";
import type { Clock } from "../clock.ts";
import type { RealmDefinition } from "../documents/definition.ts";
import type { RuleContext } from "./rule.ts";

/**
 * What a request's rules are evaluated with; made once per request, so that all of them see one instant. API keys are
 * nobody: whether a key bypasses the rules is decided before.
 */
export function ruleContext(
  realm: { readonly clock: Clock; readonly definition: Pick<RealmDefinition, "appConfig"> },
  caller: Caller | undefined,
): RuleContext {
  return {
    user: caller?.kind === "user" ? caller.user : undefined,
    now: new Date(realm.clock.now()).toISOString(),
    appConfig: realm.definition.appConfig,
  };
}
