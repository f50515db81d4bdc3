/** Roles that mean nothing: they administer and manage nothing, and no rule or handler names them. */
import { diagnose } from "../../diagnostics/catalogue.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Realm } from "../../model/model.ts";
import type { CompiledRule, RulesStage } from "../../rules/compiled.ts";
import { leavesIn, type Value, valuesIn } from "../../rules/form/form.ts";
import { membershipHelpers } from "../../rules/helpers/memberships.ts";
import { locate, type Path, type SourceFile } from "../../source/source.ts";

/** What a role is of: users, members of organizations, members of teams. */
type Of = "realm" | "organization" | "team";

/** @param settings realm.yaml */
export function unnamedRoles(realm: Realm, rules: RulesStage, settings: SourceFile): Diagnostic[] {
  const all = compiledRules(rules);
  if (all.length === 0 || (realm.unknown ?? []).length > 0) return [];
  const named = namedIn(all);
  const code = realm.functions.flatMap(({ handler }) => (handler?.files ?? []).map(({ text }) => text));
  const unnamed = (of: Of, roles: readonly string[], path: Path): Diagnostic[] => {
    const names = named[of];
    if (names === "any") return [];
    return roles
      .filter((role) => !names.has(role) && !code.some((text) => quotes(text, role)))
      .map((role) =>
        diagnose("role-unnamed", locate(settings, [...path, role], "key"), { role, helper: helpers[of] }),
      );
  };
  const { organizations } = realm;
  return [
    ...unnamed(
      "realm",
      without(
        realm.roles.filter(({ admin }) => admin === undefined),
        realm.defaultRoles,
      ),
      ["roles"],
    ),
    ...unnamed(
      "organization",
      without(
        (organizations?.roles ?? []).filter(({ manage }) => manage.length === 0),
        organizations?.defaultRoles,
      ),
      ["organizations", "roles"],
    ),
    ...unnamed(
      "team",
      without((organizations?.teamRoles ?? []).filter(({ grants }) => grants.length === 0)),
      ["organizations", "team_roles"],
    ),
  ];
}

const helpers: Readonly<Record<Of, string>> = {
  realm: "hasRole",
  organization: "hasOrgRole",
  team: "hasTeamRole",
};

/** What everybody has from the start is a name for being there. */
function without(
  roles: readonly { readonly name: string }[],
  byDefault: readonly string[] = [],
): readonly string[] {
  return roles.map(({ name }) => name).filter((name) => !byDefault.includes(name));
}

/** Handlers are shown what roles their caller has. */
function quotes(text: string, role: string): boolean {
  return (
    ['"', "'", "`"].some((quote) => text.includes(`${quote}${role}${quote}`)) || text.includes(`.${role}`)
  );
}

function compiledRules({
  collections,
  functions,
  migrations,
  createOrganization,
}: RulesStage): readonly CompiledRule[] {
  const all = [
    ...[...collections.values()].flatMap(({ rules, fieldRules }) => [
      ...Object.values(rules),
      ...fieldRules.flatMap(({ read, write }) => [read, write]),
    ]),
    ...[...functions.values()].flatMap(({ invoke, whens }) => [invoke, ...whens]),
    ...[...migrations.values()].flat(),
    createOrganization,
  ];
  return all.filter((rule) => rule !== undefined);
}

/** `any`: what documents or callers hold is taken for a role. */
function namedIn(rules: readonly CompiledRule[]): Record<Of, ReadonlySet<string> | "any"> {
  const found = { realm: new Set<string>(), organization: new Set<string>(), team: new Set<string>() };
  const any = new Set<Of>();
  const name = (of: Of, value: Value): void => {
    const texts = value.kind === "literal" ? [value.value] : value.kind === "list" ? value.items : undefined;
    if (texts === undefined) any.add(of);
    for (const text of texts ?? []) if (typeof text === "string") found[of].add(text);
  };
  for (const { written } of rules) {
    for (const leaf of leavesIn(written)) {
      if (leaf.kind === "hasRole") for (const role of leaf.roles) name("realm", role);
      else if (leaf.kind === "membership")
        for (const role of leaf.roles) name(membershipHelpers[leaf.helper].in, role);
      else if (leaf.kind === "includes" && isRoles(leaf.list)) name("realm", leaf.item);
      else if (leaf.kind !== "absent" && [...valuesIn(leaf)].some(isRoles)) any.add("realm");
    }
  }
  return {
    realm: any.has("realm") ? "any" : found.realm,
    organization: any.has("organization") ? "any" : found.organization,
    team: any.has("team") ? "any" : found.team,
  };
}

function isRoles(value: Value): boolean {
  return value.kind === "read" && value.root === "user" && value.path[0] === "roles";
}
