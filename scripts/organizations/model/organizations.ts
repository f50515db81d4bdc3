import type { Operation } from "./operations.ts";
import {
  changed,
  enter,
  inPlace,
  isFree,
  requireGivable,
  requireMember,
  requireProof,
  rolesOfTeams,
  sessionOf,
  settle,
} from "./standing.ts";
import { accountOf, creatorRole, limits, type Org, refuse, unverified, type World } from "./world.ts";

type OrganizationOperation = Extract<
  Operation,
  { kind: "create" | "patch" | "delete" | "roles" | "remove" | "leave" }
>;

export function applyOrganization(world: World, operation: OrganizationOperation): string {
  switch (operation.kind) {
    case "create": {
      const { account } = sessionOf(world, operation.by);
      if (unverified.includes(account.person)) refuse("403 forbidden");
      const made = [...world.orgs.values()].filter(
        ({ creator, status }) => creator === account.id && status !== "deleted",
      );
      if (made.length >= limits.created) refuse("409 org_limit_reached");
      createOrg(world, operation, account.id);
      return "201";
    }
    case "patch": {
      const standing = enter(world, operation.by, operation.org, { manage: ["org"] });
      const { org, mfa } = standing;
      const { name = org.name, slug = org.slug, requireMfa = org.requireMfa } = operation;
      if (requireMfa && !org.requireMfa) {
        if (!mfa) refuse("403 org_requires_mfa");
        requireProof(standing, operation.proof);
      }
      if (!isFree(world, slug, org)) refuse("409 slug_taken");
      Object.assign(org, { name, slug, requireMfa });
      return "200";
    }
    case "delete": {
      const standing = enter(world, operation.by, operation.org, { manage: ["org"] });
      requireProof(standing, operation.proof);
      deleteOrg(world, operation.org);
      return "204";
    }
    case "roles": {
      const standing = enter(world, operation.by, operation.org, { manage: ["members", "roles"] });
      const { org } = standing;
      const member = requireMember(org, accountOf(world, operation.person).id);
      requireGivable(standing, changed(member.roles, operation.roles));
      settle(world, org, () => {
        member.roles = inPlace(member.roles, operation.roles);
      });
      return "200";
    }
    case "remove": {
      const standing = enter(world, operation.by, operation.org, { manage: ["members"] });
      const { org } = standing;
      const { id } = accountOf(world, operation.person);
      const member = requireMember(org, id);
      requireGivable(standing, [...member.roles, ...rolesOfTeams(org, member.teams)]);
      settle(world, org, () => org.members.delete(id));
      return "204";
    }
    case "leave": {
      const { org, account } = enter(world, operation.by, operation.org, { withoutFactor: true });
      settle(world, org, () => org.members.delete(account.id));
      return "204";
    }
  }
}

/** Makes an organization with its first member; without a slug it gets one of its name. */
export function createOrg(
  world: World,
  { org: id, name, slug }: { readonly org: string; readonly name: string; readonly slug?: string },
  owner: string,
): void {
  if (slug !== undefined && !isFree(world, slug)) refuse("409 slug_taken");
  const org: Org = {
    name,
    slug: slug ?? freeSlug(world, name),
    status: world.accounts.get(owner)?.status === "active" ? "active" : "orphaned",
    requireMfa: false,
    returned: false,
    claims: {},
    creator: owner,
    teams: new Map(),
    members: new Map([[owner, { roles: [creatorRole], teams: [], teamRoles: [] }]]),
    invitations: new Map(),
  };
  world.orgs.set(id, org);
}

function freeSlug(world: World, name: string): string {
  const base = name.toLowerCase().replaceAll(" ", "-");
  for (let number = 1; ; number += 1) {
    const slug = number === 1 ? base : `${base}-${number}`;
    if (isFree(world, slug)) return slug;
  }
}

/** States: access ends at once; members, teams and invitations are gone; `on_org_delete` decides about documents. */
export function deleteOrg(world: World, id: string): void {
  const org = world.orgs.get(id);
  if (org === undefined) return;
  org.status = "deleted";
  org.teams.clear();
  org.members.clear();
  org.invitations.clear();
  for (const [handle, document] of world.documents) {
    if (document.org === id && !kept.includes(document.collection)) world.documents.delete(handle);
  }
}

/** With `on_org_delete: keep`. */
const kept: readonly string[] = ["ledgers", "reviews", "plans"];
