/** What is known of a rule before anybody asks. */
import type { Realm } from "../model/model.ts";
import { contextOf } from "../plans/callers.ts";
import type { CompiledRule } from "../rules/compiled.ts";
import { truth } from "../rules/form/evaluate.ts";
import { leavesIn, type Value, valuesIn } from "../rules/form/form.ts";
import { membershipHelpers } from "../rules/helpers/memberships.ts";

export interface RuleDescription {
  /** Who may ever satisfy it: `anonymous`, `user` (any who is signed in), or the realm roles of which one is needed. */
  readonly passes: readonly ("anonymous" | "user" | `role ${string}`)[];
  /** Fields of the stored document, and of what is written, that it reads; sorted. */
  readonly document: readonly string[];
  readonly data: readonly string[];
  readonly clock: boolean;
  readonly appConfig: boolean;
  readonly memberships: boolean;
  /** It asks about the very organization that the document belongs to. */
  readonly ownOrganization: boolean;
}

export function describeRule(realm: Realm, { form, facts }: CompiledRule): RuleDescription {
  const values = [...valuesIn(form.condition)];
  const own = [...leavesIn(form.condition)].some(
    (leaf) =>
      leaf.kind === "membership" && membershipHelpers[leaf.helper].in === "organization" && isOwnOrg(leaf.id),
  );
  const data = values.flatMap((value) =>
    value.kind === "read" && value.root === "data" && value.path.length > 0 ? [value.path.join(".")] : [],
  );
  return {
    passes: passing(realm, { form, facts }),
    document: facts.documentFields,
    data: [...new Set(data)].sort(),
    clock: facts.readsClock,
    appConfig: facts.readsAppConfig,
    memberships: facts.memberships,
    ownOrganization: own || values.some((value) => value.kind === "claim" && isOwnOrg(value.org)),
  };
}

function isOwnOrg(id: Value): boolean {
  return id.kind === "read" && id.path.join(".") === "_meta.org";
}

function passing(
  realm: Realm,
  { form, facts }: Pick<CompiledRule, "form" | "facts">,
): RuleDescription["passes"] {
  /** Of somebody with these roles, whatever else is true of them. */
  const may = (roles: readonly string[]): boolean => {
    const world = { context: contextOf({ roles }, realm), document: undefined, data: undefined };
    const isKnown = ({ root, path }: { readonly root: string; readonly path: readonly string[] }) =>
      root === "user" && (path.length === 0 || path[0] === "roles");
    return truth(form.condition, world, isKnown) !== false;
  };
  const users = may([])
    ? (["user"] as const)
    : realm.roles.filter(({ name }) => may([name])).map(({ name }) => `role ${name}` as const);
  return [...(facts.anonymous ? (["anonymous"] as const) : []), ...users];
}
