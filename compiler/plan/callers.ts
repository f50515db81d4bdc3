/** Kinds of callers that rules tell apart, made up anew for each document: its owner, the members of its organization. */
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import type { RuleContext } from "../../runtime/realm/rule.ts";
import type { Realm } from "../model/model.ts";
import { contextOf, type GivenCaller, type GivenOrganization } from "../plans/callers.ts";
import { valueIn } from "../rules/form/evaluate.ts";
import {
  asksMemberships,
  type Condition,
  type Leaf,
  leavesIn,
  operands,
  type Value,
  valuesIn,
} from "../rules/form/form.ts";
import { membershipHelpers } from "../rules/helpers/memberships.ts";

export interface CallerKind {
  /** `anonymous`, `signed in`, `owner`, `role lead`, `member`, `org role agent`, `team`, `team role lead`. */
  readonly name: string;
  /** `anonymous callers`, `members of their organization`. */
  readonly words: string;
  /** The kind that is all that this one is but for one thing: what it may this one may, as rules go. */
  readonly base?: string;
  /** Who they are to a document; undefined where there is nobody like that. */
  readonly caller: (document: JsonObject) => GivenCaller | undefined;
  /** Whoever the document is of. */
  readonly isSame: boolean;
}

/** No user has it. */
const nobodys = "_nobody";

/** Those that any of the rules may tell from others. */
export function callerKinds(
  realms: readonly [old: Realm, now: Realm],
  rules: readonly Condition[],
): readonly CallerKind[] {
  const leaves = rules.flatMap((rule) => [...leavesIn(rule)]);
  const values = rules.flatMap((rule) => [...valuesIn(rule)]);
  const signedIn: CallerKind = {
    ...{ name: "signed in", words: "every signed-in user", isSame: true },
    caller: () => ({ id: nobodys }),
  };
  const anonymous: CallerKind = {
    ...{ name: "anonymous", words: "anonymous callers", isSame: true },
    caller: () => "anonymous",
  };
  const roles = rolesAsked(
    leaves.filter(({ kind }) => kind === "hasRole"),
    values.some((value) => value.kind === "read" && value.root === "user" && value.path[0] === "roles"),
    realms.flatMap(({ roles }) => roles.map(({ name }) => name)),
  );
  return [
    anonymous,
    signedIn,
    ...ownersIn(leaves),
    ...roles.map(
      (role): CallerKind => ({
        ...{ name: `role ${role}`, words: `users with the role ${role}`, base: "signed in", isSame: true },
        caller: () => ({ id: nobodys, roles: [role] }),
      }),
    ),
    ...(rules.some(asksMemberships) ? memberKinds(realms, leaves, values) : []),
  ];
}

/** Whoever a field of the document names, where rules compare it with the caller. */
function ownersIn(leaves: readonly Leaf[]): readonly CallerKind[] {
  const paths = new Map<string, readonly string[]>();
  for (const leaf of leaves) {
    if (leaf.kind !== "equal" && leaf.kind !== "includes") continue;
    const sides = operands(leaf);
    if (!sides.some(isUserId)) continue;
    for (const side of sides)
      if (side.kind === "read" && side.root === "document" && side.path.length > 0)
        paths.set(side.path.join("."), side.path);
  }
  return [...paths].map(([path, segments]): CallerKind => {
    const isOwner = path === "_meta.owner" || path === "_meta.created_by";
    return {
      ...{ name: isOwner ? "owner" : `user in ${path}`, base: "signed in", isSame: false },
      words: isOwner ? "their owners" : `the users whom ${path} names`,
      caller(document) {
        const named = valueAt(document, segments);
        const [id] = (Array.isArray(named) ? named : [named]).filter((each) => typeof each === "string");
        return id === undefined ? undefined : { id: id.replace(/^user:/, "") };
      },
    };
  });
}

function isUserId(value: Value): boolean {
  return value.kind === "read" && value.root === "user" && value.path[0] === "id";
}

function memberKinds(
  [old, now]: readonly [Realm, Realm],
  leaves: readonly Leaf[],
  values: readonly Value[],
): readonly CallerKind[] {
  const ids = placesIn(leaves, values);
  const rolesOf = (helper: "hasOrgRole" | "hasTeamRole"): readonly string[] => {
    const own = leaves.filter((leaf) => leaf.kind === "membership" && leaf.helper === helper);
    const declared = [old, now].flatMap(({ organizations }) =>
      ((helper === "hasOrgRole" ? organizations?.roles : organizations?.teamRoles) ?? []).map(
        ({ name }) => name,
      ),
    );
    return rolesAsked(own, false, declared);
  };
  const kind = (
    [name, words]: readonly [string, string],
    base: string,
    given: (teams: readonly string[]) => GivenOrganization,
  ): CallerKind => ({
    ...{ name, words, base, isSame: false },
    caller(document) {
      const { organizations, teams } = ids(document);
      if (organizations.length === 0) return undefined;
      const own = given(teams);
      return { id: nobodys, orgs: Object.fromEntries(organizations.map((id) => [id, own])) };
    },
  });
  const inTeams = (teams: readonly string[], held: readonly string[]): GivenOrganization => ({
    teams: Object.fromEntries(teams.map((id) => [id, { roles: held }])),
  });
  const asksTeams = leaves.some(
    (leaf) => leaf.kind === "membership" && membershipHelpers[leaf.helper].in === "team",
  );
  return [
    kind(["member", "members of their organization"], "signed in", () => ({})),
    ...rolesOf("hasOrgRole").map((role) =>
      kind([`org role ${role}`, `members of their organization with the role ${role}`], "member", () => ({
        roles: [role],
      })),
    ),
    ...(asksTeams ? [kind(["team", "members of their team"], "member", (teams) => inTeams(teams, []))] : []),
    ...rolesOf("hasTeamRole").map((role) =>
      kind([`team role ${role}`, `members of their team with the role ${role}`], "team", (teams) =>
        inTeams(teams, [role]),
      ),
    ),
  ];
}

/** Answers the organizations and teams that rules ask of a document's readers, and its own. */
function placesIn(leaves: readonly Leaf[], values: readonly Value[]) {
  const of = (place: "organization" | "team"): readonly Value[] => [
    ...leaves.flatMap((leaf) =>
      leaf.kind === "membership" && membershipHelpers[leaf.helper].in === place ? [leaf.id] : [],
    ),
    ...(place === "organization"
      ? values.flatMap((value) => (value.kind === "claim" ? [value.org] : []))
      : []),
  ];
  const [organizations, teams] = [of("organization"), of("team")];
  return (document: JsonObject) => {
    const { _meta: meta } = document;
    const own = isJsonObject(meta) ? meta : {};
    const asked = (all: readonly Value[], mine: unknown): readonly string[] => {
      const world = { context: noCaller, document, data: undefined };
      const named = [mine, ...all.map((value) => valueIn(value, world))];
      return [...new Set(named.filter((id) => typeof id === "string"))];
    };
    return { organizations: asked(organizations, own["org"]), teams: asked(teams, own["team"]) };
  };
}

const noCaller: RuleContext = { user: undefined, now: "", appConfig: {}, memberships: new Map() };

/** Those that rules name; where documents name them, or something else is asked of roles, all that are declared. */
function rolesAsked(
  leaves: readonly Leaf[],
  isRead: boolean,
  declared: readonly string[],
): readonly string[] {
  const asked = leaves.flatMap((leaf) =>
    leaf.kind === "hasRole" || leaf.kind === "membership" ? leaf.roles : [],
  );
  const named = asked.flatMap((value) =>
    value.kind === "literal" && typeof value.value === "string" ? [value.value] : [],
  );
  const isOpen = isRead || named.length < asked.length;
  return [...new Set([...named, ...(isOpen ? declared : [])])].sort();
}

function valueAt(document: JsonObject, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (inside, name) => (isJsonObject(inside) && Object.hasOwn(inside, name) ? inside[name] : undefined),
    document,
  );
}

/** What rules see of a caller of this kind who comes to a document. @param now RFC 3339 */
export function contextMaker(
  { caller, isSame }: CallerKind,
  realm: Realm,
  now: string,
): (document: JsonObject) => RuleContext | undefined {
  const made = (document: JsonObject): RuleContext | undefined => {
    const given = caller(document);
    return given === undefined ? undefined : { ...contextOf(given, realm), now };
  };
  if (!isSame) return made;
  const always = made({});
  return () => always;
}
