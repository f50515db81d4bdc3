import { requireProof } from "../auth/accounts/proof.ts";
import { type AuditEntry, appendAudit } from "../auth/administration/audit.ts";
import { sessionRoute } from "../auth/contracted.ts";
import { answerEntries, pageRequest, type RecordList } from "../auth/paging.ts";
import * as contract from "../contract/organizations.ts";
import { ApiError } from "../errors.ts";
import { eq, isIn } from "../filter/algebra.ts";
import { documentFields } from "../filter/fields.ts";
import type { BodyOf } from "../http/contract-body.ts";
import type { JsonObject } from "../json.ts";
import type { RuleUser, SessionCaller } from "../realm/caller.ts";
import type { Exchange } from "../realm/exchange.ts";
import type { Decision } from "./change.ts";
import { collections, memberFields } from "./collections.ts";
import { orgRequiresMfa } from "./errors.ts";
import { type MemberRecord, type OrganizationRecord, readMember, readOrganization } from "./records.ts";
import { changeAs, memberRoute, type OrganizationRealm, ofOrganizations, type Standing } from "./route.ts";
import { organizationView, ownOrganizationView } from "./views.ts";

/** By organization, so the oldest first. */
const ownMemberships: RecordList<MemberRecord> = {
  collection: collections.members,
  read: readMember,
  order: [{ field: memberFields.org, descending: false }],
  position: ({ org }) => [org],
  context: `${collections.members}, by organization`,
};

export const listOwnOrganizations = sessionRoute(
  contract.listOwnOrganizations,
  ofOrganizations((realm) => async ({ query }, { user }) => {
    const entries = (members: readonly MemberRecord[]) => ownEntries(realm, user, members);
    return answerEntries(realm, ownMemberships, eq(memberFields.user, user.id), pageRequest(query), entries);
  }),
);

/** Those that were deleted just now are left out. */
async function ownEntries(
  { store, settings }: OrganizationRealm,
  { mfa }: RuleUser,
  members: readonly MemberRecord[],
): Promise<readonly JsonObject[]> {
  const ids = members.map(({ org }) => org);
  const documents = await store
    .collection(collections.organizations)
    .find({ filter: isIn(documentFields.id, ids), visibility: "live", limit: ids.length, skip: 0 });
  const orgs = new Map(
    documents.map((document) => [document.id, readOrganization(document).record] as const),
  );
  return members.flatMap((member) => {
    const org = orgs.get(member.org);
    if (org === undefined || org.status === "deleted") return [];
    return [ownOrganizationView(settings, org, member, mfa)];
  });
}

export const getOrganization = memberRoute(
  contract.getOrganization,
  () =>
    async (_, { org }) =>
      organizationView(org.record),
);

export const patchOrganization = memberRoute(
  contract.patchOrganization,
  (realm) => async (asked, standing) => {
    const { exchange } = asked;
    const { caller } = standing;
    const patch = asked.body();
    const decide = async ({ org: { record: before } }: Standing): Promise<Decision<OrganizationRecord>> => {
      const after = changed(before, patch);
      if (after.require_mfa && !before.require_mfa) await requireFactor(realm, exchange, caller);
      if (after.allow_keys && !before.allow_keys) await requireProof(realm, exchange, caller);
      const entries = changes(before, after);
      if (entries.length === 0) return { result: before };
      return {
        org: after,
        result: after,
        along: async (transaction) => {
          for (const entry of entries) await appendAudit(realm, transaction, exchange, caller, entry);
        },
      };
    };
    const org = await changeAs(realm, standing, decide);
    return organizationView(org);
  },
);

/** What is to change; absent: nothing. */
type Patch = BodyOf<typeof contract.patchOrganization>;

function changed(
  before: OrganizationRecord,
  { name, slug, require_mfa, allow_keys }: Patch,
): OrganizationRecord {
  return {
    ...before,
    ...(name !== undefined && { name }),
    ...(slug !== undefined && { slug, slug_key: slug }),
    ...(require_mfa !== undefined && { require_mfa }),
    ...(allow_keys !== undefined && { allow_keys }),
  };
}

/** @throws ApiError `forbidden` | `org_requires_mfa` | `reauth_required` */
async function requireFactor(
  realm: OrganizationRealm,
  exchange: Exchange,
  caller: SessionCaller,
): Promise<void> {
  if (!realm.settings.allowRequireMfa) {
    throw new ApiError("forbidden", "Organizations of this realm cannot require a second factor.");
  }
  // They would lock themselves out.
  if (!caller.user.mfa) throw orgRequiresMfa();
  await requireProof(realm, exchange, caller);
}

/** What the audit trail tells of a change: of name and slug that they changed, of the rest to what. */
function changes(before: OrganizationRecord, after: OrganizationRecord): readonly AuditEntry[] {
  const target = `org:${before.id}`;
  const members = (["name", "slug"] as const).filter((member) => before[member] !== after[member]);
  const { require_mfa, allow_keys = false } = after;
  const isAllowing = allow_keys !== (before.allow_keys ?? false);
  return [
    ...(members.length > 0 ? [{ action: "org.update", target, details: { members } } as const] : []),
    ...(isAllowing ? [{ action: "org.update", target, details: { allow_keys } } as const] : []),
    ...(require_mfa !== before.require_mfa
      ? [{ action: "org.require_mfa", target, details: { require_mfa } } as const]
      : []),
  ];
}
