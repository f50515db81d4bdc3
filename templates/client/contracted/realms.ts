/** What realms can be, as far as contracts look at it, and which routes they have. */
import type { RouteContract } from "../../../runtime/contract/contract.ts";
import { contracts, contractsOf } from "../../../runtime/contract/index.ts";
import { inRealm, type RealmTraits, type Varying } from "../../../runtime/contract/traits.ts";

/** Each kind of realm has all that those before it have: what the types of its client are told of it. */
export const realmKinds = ["RealmTypes", "RealmWithAccounts", "RealmWithOrganizations"] as const;

/** A place in {@link realmKinds}. */
export type Kind = 0 | 1 | 2;

export function kindOf({ auth, organizations }: Pick<RealmTraits, "auth" | "organizations">): Kind {
  return organizations !== undefined ? 2 : auth ? 1 : 0;
}

const withoutAccounts: RealmTraits = {
  auth: false,
  signup: "closed",
  totp: false,
  tokens: false,
  sessions: {},
  roles: [],
  openapi: "users",
};

const organizations = {
  membersVisibleTo: "members",
  membersShow: ["name"],
  allowRequireMfa: true,
  keys: true,
  invitationsSignUp: true,
  roles: [],
  teamRoles: [],
} as const;
const links = { resetLink: "https://app.example.com/", verifyLink: "https://app.example.com/" };

/** What one realm with accounts has and another has not. */
const differences: readonly Partial<RealmTraits>[] = [
  { signup: "open" },
  { signup: "invite" },
  { signup: "closed" },
  { totp: true },
  { totp: false },
  { tokens: true },
  { tokens: false },
  { sessions: { cookie: {} } },
  { sessions: {} },
  { email: links },
  { organizations },
  { organizations: { ...organizations, membersVisibleTo: "managers" } },
  { organizations: { ...organizations, membersVisibleTo: "nobody" } },
  { organizations: { ...organizations, membersShow: [] } },
  { organizations: { ...organizations, allowRequireMfa: false } },
  { organizations: { ...organizations, keys: false } },
  { organizations: { ...organizations, invitationsSignUp: false } },
  { functions: [{}] },
  { storage: { driver: { kind: "local" } } },
];

const much: RealmTraits = {
  ...withoutAccounts,
  auth: true,
  signup: "open",
  totp: true,
  tokens: true,
  sessions: { cookie: {} },
  organizations,
};
const little: RealmTraits = { ...withoutAccounts, auth: true };

/** Realms with much and with little, and every difference from them; the first stands for all where only words differ. */
const realms: readonly RealmTraits[] = [
  ...[much, little].flatMap((realm) => [realm, ...differences.map((each) => ({ ...realm, ...each }))]),
  { ...withoutAccounts, functions: [{}] },
  withoutAccounts,
];

/** By contract: the realms that have it. */
const having = new Map<RouteContract, RealmTraits[]>(contracts.map((route) => [route, []]));
for (const realm of realms) for (const route of contractsOf(realm)) having.get(route)?.push(realm);

/** @throws Error where what its `when` looks at is no difference here */
export function realmsWith(route: RouteContract): readonly RealmTraits[] {
  const found = having.get(route) ?? [];
  if (found.length === 0)
    throw new Error(`${route.id}: no realm of templates/client/contracted/realms.ts has it`);
  return found;
}

/** The first kind of realms that have it. */
export function kindOfRoute(route: RouteContract): Kind {
  const kinds = new Set(realmsWith(route).map(kindOf));
  return kinds.has(0) ? 0 : kinds.has(1) ? 1 : 2;
}

/** What varies by realm, as it is in any of them; each once. */
export function variants<T extends object | string>(
  varying: Varying<T>,
  among: readonly RealmTraits[] = realms,
): readonly T[] {
  if (typeof varying !== "function") return [varying];
  return [
    ...new Map(
      among.map((realm) => inRealm(varying, realm)).map((each) => [JSON.stringify(each), each]),
    ).values(),
  ];
}
