import type { Caller } from "../auth/caller.ts";
import type { RealmInstance } from "../http/exchange.ts";
import type { RuleContext } from "./rule.ts";

/**
 * What a request's rules are evaluated with; made once per request, so that all of them see one instant. API keys are
 * nobody: whether a key bypasses the rules is decided before.
 */
export function ruleContext(realm: RealmInstance, caller: Caller | undefined): RuleContext {
  return {
    user: caller?.kind === "user" ? caller.user : undefined,
    now: new Date(realm.clock.now()).toISOString(),
    appConfig: realm.definition.appConfig,
  };
}
