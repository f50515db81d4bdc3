import { assuranceOf, type Caller, type KeyScopes } from "../../realm/caller.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import { type CallDefinition, functionName } from "../../realm/functions.ts";
import type { RuleContext } from "../../realm/rule.ts";
import { ruleContext } from "../../rules/context.ts";
import { permits } from "../scopes.ts";

/**
 * A call that these scopes permit and that the caller may not invoke, as `database/function`; undefined where there is none.
 * A call whose rule asks for its input counts as one that they may invoke where some input passes.
 */
export async function callBeyond(
  realm: RealmInstance,
  caller: Caller,
  scopes: KeyScopes | undefined,
): Promise<string | undefined> {
  const permitted = (realm.definition.functions ?? []).filter(
    ({ mode, database, name }) => mode === "call" && permits(scopes, "call", database, name),
  );
  // What a key of an operator may invoke is what its scopes say.
  if (permitted.length === 0 || caller.kind === "key") return undefined;
  const context = await contextOf(realm, caller);
  const beyond = permitted.find((each) => each.mode === "call" && !mayPass(each, context));
  return beyond && functionName(beyond);
}

/** Nobody passes where there is no rule. */
function mayPass({ invoke }: CallDefinition, context: RuleContext): boolean {
  return invoke !== undefined && (invoke.possible === undefined || invoke.possible(context));
}

async function contextOf(
  { clock, appConfig, organizations }: RealmInstance,
  caller: Exclude<Caller, { kind: "key" }>,
): Promise<RuleContext> {
  const memberships =
    caller.kind === "user"
      ? await organizations?.membershipsOf(caller.user.id, assuranceOf(caller))
      : undefined;
  return ruleContext(clock, await appConfig.forRules(), caller, memberships);
}
