/** Callers made up of what a rule asks for, so that each of its parts has somebody whom it lets through. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import type { Realm } from "../model/model.ts";
import {
  asksMemberships,
  type Condition,
  type Leaf,
  leavesIn,
  type MembershipHelper,
  operands,
  type Value,
  valuesIn,
} from "../rules/form/form.ts";
import { classes, typeOf } from "../rules/form/values.ts";
import { membershipHelpers } from "../rules/helpers/memberships.ts";
import { exampleTime, type GivenCaller, type GivenOrganization, type GivenUser } from "./callers.ts";

export interface ExampleCaller {
  /** In the words of the access matrix: `anonymous`, `signed in`, `role lead`, `member`, `org role agent`. */
  readonly name: string;
  readonly caller: GivenCaller;
}

/** Nobody, somebody with an account and nothing else, and one for each thing that the rule asks a caller to be. */
export function exampleCallers(realm: Realm, rule: Condition): readonly ExampleCaller[] {
  const asked = new Asked(realm, rule);
  const { user } = asked;
  const inOrgs = (given: GivenOrganization): GivenUser => ({ ...user, orgs: asked.orgs(given) });
  const members = asksMemberships(rule)
    ? [
        { name: "member", caller: inOrgs({}) },
        ...asked.rolesOf("hasOrgRole").map((role) => ({
          name: `org role ${role}`,
          caller: inOrgs({ roles: [role] }),
        })),
        ...(asked.asks("inTeam") ? [{ name: "team", caller: inOrgs({ teams: asked.teams({}) }) }] : []),
        ...asked.rolesOf("hasTeamRole").map((role) => ({
          name: `team role ${role}`,
          caller: inOrgs({ teams: asked.teams({ roles: [role] }) }),
        })),
      ]
    : [];
  return [
    { name: "anonymous", caller: "anonymous" },
    { name: "signed in", caller: user },
    ...asked.roles.map((role) => ({ name: `role ${role}`, caller: { ...user, roles: [role] } })),
    ...members,
  ];
}

/** Somebody who is all that the rule asks a caller to be, in two organizations and two teams of each. */
export function everything(realm: Realm, rule: Condition): GivenUser {
  const asked = new Asked(realm, rule);
  const given = {
    roles: asked.rolesOf("hasOrgRole"),
    teams: asked.teams({ roles: asked.rolesOf("hasTeamRole") }),
  };
  const orgs = { ...asked.orgs(given), other: { ...given, claims: asked.claims } };
  return { ...asked.user, roles: asked.roles, orgs };
}

/** What a rule asks of callers. */
class Asked {
  readonly #realm: Realm;
  readonly #leaves: readonly Leaf[];
  /** Those to whom roles and organizations are added. */
  readonly user: GivenUser;
  /** Realm roles by name, and where documents name them any. */
  readonly roles: readonly string[];
  readonly claims: JsonObject;

  constructor(realm: Realm, rule: Condition) {
    this.#realm = realm;
    this.#leaves = [...leavesIn(rule)];
    const read = [...valuesIn(rule)].flatMap((value) =>
      value.kind === "read" && value.root === "user" ? [value.path] : [],
    );
    const has = (name: string) => read.some(([first]) => first === name);
    const profile = this.#members((value) =>
      value.kind === "read" && value.root === "user" && value.path[0] === "profile"
        ? value.path.slice(1)
        : undefined,
    );
    this.user = {
      id: "ada",
      ...(has("locale") && { locale: "en" }),
      ...(has("mfa") && { mfa: true }),
      ...(has("profile") && { profile }),
    };
    this.claims = this.#members((value) => (value.kind === "claim" ? value.path : undefined));
    const { named, ofDocuments } = this.#rolesIn(this.#leaves.filter(({ kind }) => kind === "hasRole"));
    this.roles = named.length > 0 || !ofDocuments ? named : realm.roles.slice(0, 1).map(({ name }) => name);
  }

  asks(helper: MembershipHelper): boolean {
    return this.#leaves.some((leaf) => leaf.kind === "membership" && leaf.helper === helper);
  }

  /** Roles that the helper names; where documents name them, the first that the realm declares. */
  rolesOf(helper: "hasOrgRole" | "hasTeamRole"): readonly string[] {
    const { named, ofDocuments } = this.#rolesIn(
      this.#leaves.filter((leaf) => leaf.kind === "membership" && leaf.helper === helper),
    );
    const { roles = [], teamRoles = [] } = this.#realm.organizations ?? {};
    const declared = (helper === "hasOrgRole" ? roles : teamRoles).map(({ name }) => name);
    return named.length > 0 || !ofDocuments ? named : declared.slice(0, 1);
  }

  /** The organization of examples, by its id. */
  orgs(given: GivenOrganization): Readonly<Record<string, GivenOrganization>> {
    const id = this.#idIn("organization") ?? exampleOrg;
    const hasClaims = Object.keys(this.claims).length > 0;
    return { [id]: { ...given, ...(hasClaims && { claims: this.claims }) } };
  }

  teams(given: { readonly roles?: readonly string[] }): NonNullable<GivenOrganization["teams"]> {
    return { [this.#idIn("team") ?? exampleTeam]: given };
  }

  #rolesIn(leaves: readonly Leaf[]): { readonly named: readonly string[]; readonly ofDocuments: boolean } {
    const values = leaves.flatMap((leaf) =>
      leaf.kind === "hasRole" || leaf.kind === "membership" ? leaf.roles : [],
    );
    const named = values.flatMap((value) =>
      value.kind === "literal" && typeof value.value === "string" ? [value.value] : [],
    );
    return { named: [...new Set(named)].sort(), ofDocuments: values.length > named.length };
  }

  /** An id that the rule itself names. */
  #idIn(place: "organization" | "team"): string | undefined {
    for (const leaf of this.#leaves) {
      if (leaf.kind !== "membership" || membershipHelpers[leaf.helper].in !== place) continue;
      if (leaf.id.kind === "literal" && typeof leaf.id.value === "string") return leaf.id.value;
    }
    return undefined;
  }

  /** An object that has what the rule reads of it, with values that its comparisons hold of. */
  #members(pathOf: (value: Value) => readonly string[] | undefined): JsonObject {
    const members: JsonObject = {};
    for (const leaf of this.#leaves) {
      for (const operand of operands(leaf)) {
        for (const value of valuesIn(operand)) {
          const path = pathOf(value);
          if (path !== undefined && path.length > 0) setAt(members, path, exampleOf(value, leaf, path));
        }
      }
    }
    return members;
  }
}

const exampleOrg = "acme";
const exampleTeam = "night";

function exampleOf(value: Value, leaf: Leaf, path: readonly string[]): JsonValue {
  if (leaf.kind === "membership" && leaf.id === value)
    return membershipHelpers[leaf.helper].in === "organization" ? exampleOrg : exampleTeam;
  for (const other of operands(leaf)) {
    if (leaf.kind === "order" && other.kind === "literal" && typeof other.value === "number")
      return other.value + ((leaf.left === other) === leaf.op.startsWith("<") ? 1 : -1);
    if (other.kind === "literal") return leaf.kind === "includes" ? [other.value] : other.value;
    if (other.kind === "list" && other.items[0] !== undefined) return other.items[0];
  }
  const { kinds, elements } = typeOf(value);
  const [kind] = classes(elements ?? kinds);
  const single =
    kind === "number" ? 7 : kind === "boolean" ? true : kind === "date" ? exampleTime : (path.at(-1) ?? "");
  return elements === undefined ? single : [single];
}

function setAt(members: JsonObject, [name = "", ...rest]: readonly string[], value: JsonValue): void {
  const before = Object.hasOwn(members, name) ? members[name] : undefined;
  if (rest.length === 0) {
    members[name] = before ?? value;
    return;
  }
  const inner = isJsonObject(before) ? before : {};
  setAt(inner, rest, value);
  members[name] = inner;
}
