import type { Operation } from "./operations.ts";
import { createOrg, deleteOrg } from "./organizations.ts";
import { inPlace, isFree, requireMember, settle } from "./standing.ts";
import { accountOf, creatorRole, type Member, type Org, type Role, refuse, type World } from "./world.ts";

type AdministrationOperation = Extract<
  Operation,
  {
    kind:
      | "admin create"
      | "admin delete"
      | "admin reactivate"
      | "admin put"
      | "admin remove"
      | "admin claims"
      | "admin manager";
  }
>;

/** Administrator routes, used by a full administrator's key. */
export function applyAdministration(world: World, operation: AdministrationOperation): string {
  if (operation.kind === "admin create") {
    const owner = accountOf(world, operation.person);
    if (owner.status === "deleted") refuse("400 validation_error");
    createOrg(world, operation, owner.id);
    return "201";
  }
  const { kind } = operation;
  // Named in the body, the user is looked for before the organization.
  if (kind === "admin manager" && accountOf(world, operation.person).status === "deleted") {
    refuse("400 validation_error");
  }
  const org = world.orgs.get(operation.org) ?? refuse("404 not_found");
  if (kind === "admin reactivate") {
    if (org.status !== "deleted") refuse("409 conflict");
    const { slug = org.slug } = operation;
    if (!isFree(world, slug)) refuse("409 slug_taken");
    Object.assign(org, { slug, status: "active", returned: true });
    return "200";
  }
  if (org.status === "deleted") refuse("409 conflict");
  switch (kind) {
    case "admin delete":
      deleteOrg(world, operation.org);
      return "204";
    case "admin claims":
      org.claims = operation.plan === undefined ? {} : { plan: operation.plan };
      return "200";
    case "admin remove": {
      const { id } = accountOf(world, operation.person);
      requireMember(org, id);
      settle(world, org, () => org.members.delete(id));
      return "204";
    }
    case "admin put":
      return put(world, org, operation.person, () => operation.roles);
    case "admin manager":
      return put(world, org, operation.person, ({ roles }) => [...new Set([...roles, creatorRole])]);
  }
}

/** Members may come without invitation, but not people whose account is there no more. */
function put(
  world: World,
  org: Org,
  person: Parameters<typeof accountOf>[1],
  rolesAfter: (member: Member) => readonly Role[],
): string {
  const { id, status } = accountOf(world, person);
  if (status === "deleted") refuse("404 not_found");
  const member = org.members.get(id) ?? { roles: [], teams: [], teamRoles: [] };
  settle(world, org, () => {
    member.roles = inPlace(member.roles, rolesAfter(member));
    org.members.set(id, member);
  });
  return "200";
}
