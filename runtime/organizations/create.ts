import { gone } from "../auth/accounts/me.ts";
import { appendAudit } from "../auth/administration/audit.ts";
import { sessionRoute } from "../auth/contracted.ts";
import { timestamp } from "../clock.ts";
import * as contract from "../contract/organizations.ts";
import { ApiError } from "../errors.ts";
import { and, eq, not } from "../filter/algebra.ts";
import { assuranceOf, type Caller, type SessionCaller } from "../realm/caller.ts";
import type { Exchange } from "../realm/exchange.ts";
import { noMemberships } from "../realm/memberships.ts";
import { refusedBy } from "../realm/refused.ts";
import { longBackoff, Outdated, optimistic } from "../retry.ts";
import { ruleContext } from "../rules/context.ts";
import { withFreeSlug } from "./change.ts";
import { collections, organizationFields } from "./collections.ts";
import { slugTaken } from "./errors.ts";
import { newMember } from "./member-change.ts";
import { type MemberRecord, type OrganizationRecord, writeMember, writeOrganization } from "./records.ts";
import { type OrganizationRealm, ofOrganizations } from "./route.ts";
import { freeSlug, slugFrom } from "./slugs.ts";
import { findAccount, holdAccounts } from "./users.ts";
import { organizationView } from "./views.ts";

/** For whom the realm's `organizations.create` allows it, and at most `max_created_per_user` that are not deleted. */
export const createOwnOrganization = sessionRoute(
  contract.createOrganization,
  ofOrganizations((realm) => async ({ exchange, body }, caller) => {
    await requireCreator(realm, caller);
    const org = await createOrganization(realm, exchange, caller, {
      ...body(),
      owner: caller.user.id,
      noOwner: gone,
      limit: realm.settings.maxCreatedPerUser,
    });
    return organizationView(org);
  }),
);

/** @throws ApiError `forbidden` */
async function requireCreator(realm: OrganizationRealm, caller: SessionCaller): Promise<void> {
  const { clock, settings } = realm;
  const [memberships, config] = await Promise.all([
    realm.organizations?.membershipsOf(caller.user.id, assuranceOf(caller)) ?? noMemberships,
    realm.appConfig.forRules(),
  ]);
  const context = ruleContext(clock, config, caller, memberships);
  if (settings.create?.(context) === true) return;
  throw refusedBy(new ApiError("forbidden", "You may not create organizations in this realm."), {
    realm: realm.definition.name,
    of: "",
    rule: "organizations.create",
    context,
    document: {},
    data: {},
  });
}

export interface NewOrganization {
  readonly name: string;
  /** Undefined: made of the name. */
  readonly slug?: string | undefined;
  /** Id of the user who gets `creator_roles`, and whom it counts for as one that they created. */
  readonly owner: string;
  /** The error where there is no such user. */
  readonly noOwner: () => ApiError;
  /** How many the owner may have created; absent: any number. */
  readonly limit?: number | undefined;
}

/**
 * Makes an organization. The account of its owner is the lock of what they create: of two at the same moment each counts
 * the other.
 * @throws ApiError `noOwner` | `org_limit_reached` | `slug_taken` | `write_conflict`
 */
export async function createOrganization(
  realm: OrganizationRealm,
  exchange: Exchange,
  by: Caller,
  { name, slug: asked, owner: id, noOwner, limit }: NewOrganization,
): Promise<OrganizationRecord> {
  return optimistic(longBackoff, async () => {
    const owner = await findAccount(realm, id);
    if (owner === undefined) throw noOwner();
    if (limit !== undefined && (await countCreated(realm, id)) >= limit)
      throw new ApiError("org_limit_reached", `You may have created at most ${limit} organizations.`);
    const slug = asked ?? (await freeSlug(realm.store, slugFrom(name)));
    const [org, member] = records(realm, { name, slug, owner: id }, owner.record.disabled);
    const write = () =>
      realm.store.transaction(async (transaction) => {
        await holdAccounts(transaction, [owner]);
        await transaction.collection(collections.organizations).insert(writeOrganization(org, 1));
        await transaction.collection(collections.members).insert(writeMember(member, 1));
        await appendAudit(realm, transaction, exchange, by, {
          action: "org.create",
          target: `org:${org.id}`,
          details: { owner: id, roles: member.roles },
        });
      });
    // Another organization got the slug that was free: there is a next one.
    await withFreeSlug(write, asked === undefined ? () => new Outdated() : slugTaken);
    return org;
  });
}

function countCreated({ store }: Pick<OrganizationRealm, "store">, user: string): Promise<number> {
  const { created_by, status } = organizationFields;
  const filter = and(eq(created_by, user), not(eq(status, "deleted")));
  return store.collection(collections.organizations).count(filter, "live");
}

/** @param disabled whether the owner's account is, so that nobody can manage the organization until it is enabled */
function records(
  realm: OrganizationRealm,
  { name, slug, owner }: Pick<OrganizationRecord, "name" | "slug"> & { readonly owner: string },
  disabled: boolean,
): readonly [OrganizationRecord, MemberRecord] {
  const { clock, newId, settings } = realm;
  const created_at = timestamp(clock.now());
  const id = newId();
  const org: OrganizationRecord = {
    id,
    name,
    slug,
    slug_key: slug,
    status: disabled ? "orphaned" : "active",
    require_mfa: false,
    claims: {},
    teams: [],
    created_at,
    created_by: owner,
    deleted_at: null,
    cleanup: null,
  };
  return [org, { ...newMember(realm, id, owner), roles: settings.creatorRoles }];
}
