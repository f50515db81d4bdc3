import { requireProof } from "../auth/accounts/proof.ts";
import { requireSession } from "../auth/accounts/route.ts";
import { admittedRoute, type ContractHandler } from "../auth/contracted.ts";
import { type AccountRealm, accountRealm } from "../auth/realm.ts";
import type { Read } from "../auth/records.ts";
import type { MemberNeed, RouteContract } from "../contract/contract.ts";
import { ApiError } from "../errors.ts";
import type { ContractedRoute } from "../http/contracted-routes.ts";
import { isId } from "../ids.ts";
import type { Caller, SessionCaller } from "../realm/caller.ts";
import type { Exchange, RealmInstance } from "../realm/exchange.ts";
import type { Manage, OrganizationSettings } from "../realm/organizations.ts";
import { changeOrganization, type Decision, findOrganization } from "./change.ts";
import { collections } from "./collections.ts";
import { notOrgMember, orgRequiresMfa } from "./errors.ts";
import { type MemberRecord, memberId, type OrganizationRecord, readMember } from "./records.ts";
import { type EffectiveRole, effectiveRoles, manages } from "./roles.ts";

export interface OrganizationRealm extends AccountRealm {
  readonly settings: OrganizationSettings;
}

/** What is made for a realm that has organizations, as for any: no other has such routes. */
export function ofOrganizations<T>(make: (realm: OrganizationRealm) => T): (realm: RealmInstance) => T {
  return (realm) => make(organizationRealm(realm));
}

/** @throws Error for a realm without organizations, whose emitted routes have none such. */
function organizationRealm(realm: RealmInstance): OrganizationRealm {
  const accounts = accountRealm(realm);
  const settings = accounts.accounts.organizations;
  if (settings === undefined) throw new Error(`realm ${realm.definition.name} has no organizations`);
  return { ...accounts, settings };
}

/** Who acts in an organization, as they were read: the organization first, so that it is a lock of the member. */
export interface Standing {
  readonly caller: SessionCaller;
  readonly org: Read<OrganizationRecord>;
  readonly member: Read<MemberRecord>;
  /** Sorted by role. */
  readonly roles: readonly EffectiveRole[];
  readonly manage: ReadonlySet<Manage>;
  /** What the route asked of them. */
  readonly need: MemberNeed;
}

/**
 * A route of `/_orgs/{org}` (path parameter `org`): 401 without a session, 403 for API keys, `not_org_member` for who is
 * none, whether or not there is such an organization, `org_requires_mfa`, `forbidden` for a member who may not manage
 * this, 401 `reauth_required`; then the query and the other path parameters are judged.
 */
export function memberRoute<
  C extends RouteContract & { readonly who: MemberNeed & { readonly kind: "member" } },
>(contract: C, make: (realm: OrganizationRealm) => ContractHandler<C, Standing>): ContractedRoute {
  return admittedRoute(contract, ofOrganizations(make), (realm) => {
    const organizations = organizationRealm(realm);
    return (caller, exchange) => admitMember(organizations, contract.who, caller, exchange);
  });
}

/**
 * Changes the organization that a route is about, as {@link changeOrganization} does. Whenever it is decided the caller
 * is looked at again: what they may do no longer they do not.
 * @throws ApiError as the route and {@link changeOrganization} do
 */
export function changeAs<T>(
  realm: OrganizationRealm,
  { need, caller, org }: Standing,
  decide: (standing: Standing) => Promise<Decision<T>>,
): Promise<T> {
  return changeOrganization(realm, org.record.id, async (read) =>
    decide(await inside(realm, need, caller, read)),
  );
}

async function admitMember(
  realm: OrganizationRealm,
  need: MemberNeed,
  caller: Caller,
  exchange: Exchange,
): Promise<Standing> {
  const session = requireSession(caller);
  const { org: id = "" } = exchange.params;
  const org = isId(id) ? await findOrganization(realm, id) : undefined;
  if (org === undefined) throw notOrgMember();
  const standing = await inside(realm, need, session, org);
  if (need.proof) await requireProof(realm, exchange, session);
  return standing;
}

/** @throws ApiError `not_org_member` | `org_requires_mfa` | `forbidden` */
async function inside(
  realm: OrganizationRealm,
  need: MemberNeed,
  caller: SessionCaller,
  org: Read<OrganizationRecord>,
): Promise<Standing> {
  const { record } = org;
  const member = record.status === "deleted" ? undefined : await findMember(realm, record.id, caller.user.id);
  if (member === undefined) throw notOrgMember();
  if (record.require_mfa && !caller.user.mfa && need.withoutFactor === undefined) throw orgRequiresMfa();
  const roles = effectiveRoles(realm.settings, record, member.record);
  const held = roles.map(({ role }) => role);
  const manage = manages(realm.settings, held);
  if (need.manage !== undefined && !need.manage.some((entry) => manage.has(entry))) {
    throw new ApiError("forbidden", `This needs a role that manages ${need.manage.join(" or ")}.`);
  }
  return { caller, org, member, roles, manage, need };
}

export async function findMember(
  { store }: Pick<RealmInstance, "store">,
  org: string,
  user: string,
): Promise<Read<MemberRecord> | undefined> {
  const document = await store.collection(collections.members).get(memberId(org, user), "live");
  return document === undefined ? undefined : readMember(document);
}
