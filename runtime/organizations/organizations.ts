import { requireProof } from "../auth/accounts/proof.ts";
import { sessionRoute } from "../auth/accounts/route.ts";
import { type AuditEntry, appendAudit } from "../auth/administration/audit.ts";
import { BodyReader } from "../auth/input.ts";
import { answerEntries, pageParameters, pageRequest, type RecordList } from "../auth/paging.ts";
import { ApiError } from "../errors.ts";
import { eq, isIn } from "../filter/algebra.ts";
import { documentFields } from "../filter/fields.ts";
import type { JsonObject } from "../json.ts";
import type { RuleUser, SessionCaller } from "../realm/caller.ts";
import type { Exchange, Received, Route } from "../realm/exchange.ts";
import { collections, memberFields } from "./collections.ts";
import { orgRequiresMfa } from "./errors.ts";
import { readOptionalName, readSlug } from "./names.ts";
import { type MemberRecord, type OrganizationRecord, readMember, readOrganization } from "./records.ts";
import { changeAs, type Need, type OrganizationRealm, organizationRoute } from "./route.ts";
import { organizationView, ownOrganizationView } from "./views.ts";

/** By organization, so the oldest first. */
const ownMemberships: RecordList<MemberRecord> = {
  collection: collections.members,
  read: readMember,
  order: [{ field: memberFields.org, descending: false }],
  position: ({ org }) => [org],
  context: `${collections.members}, by organization`,
};

/** GET `/_orgs`: the caller's organizations, also those that do not count for their session. */
export function listOwnOrganizations(realm: OrganizationRealm): Route {
  return sessionRoute(
    realm,
    async (_, { user }, query) => {
      const entries = (members: readonly MemberRecord[]) => ownEntries(realm, user, members);
      return answerEntries(
        realm,
        ownMemberships,
        eq(memberFields.user, user.id),
        pageRequest(query),
        entries,
      );
    },
    pageParameters,
  );
}

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

/** GET `/_orgs/{org}`. */
export function getOrganization(realm: OrganizationRealm): Route {
  return organizationRoute(realm, {}, async (_, { org }) => ({
    status: 200,
    body: JSON.stringify(organizationView(org.record)),
  }));
}

const managesOrg: Need = { manage: ["org"] };

/**
 * PATCH `/_orgs/{org}`: another `name` or `slug`, and whether members must use a second factor (spec: Organization
 * endpoints 6).
 */
export function patchOrganization(realm: OrganizationRealm): Route {
  return organizationRoute(realm, managesOrg, async (exchange, standing) => {
    const patch = read(exchange);
    const org = await changeAs(realm, managesOrg, standing, async ({ org: { record: before } }) => {
      const after = changed(before, patch);
      if (after.require_mfa && !before.require_mfa) await requireFactor(realm, exchange, standing.caller);
      const entries = changes(before, after);
      if (entries.length === 0) return { result: before };
      return {
        org: after,
        result: after,
        along: async (transaction) => {
          for (const entry of entries)
            await appendAudit(realm, transaction, exchange, standing.caller, entry);
        },
      };
    });
    return { status: 200, body: JSON.stringify(organizationView(org)) };
  });
}

/** What is to change; absent: nothing. */
interface Patch {
  readonly name: string | undefined;
  readonly slug: string | undefined;
  readonly require_mfa: boolean | undefined;
}

function read(exchange: Received): Patch {
  const body = new BodyReader(exchange, "either");
  const patch = {
    name: readOptionalName(body),
    slug: readSlug(body),
    require_mfa: body.optionalBoolean("require_mfa"),
  };
  body.finish();
  return patch;
}

function changed(before: OrganizationRecord, { name, slug, require_mfa }: Patch): OrganizationRecord {
  return {
    ...before,
    ...(name !== undefined && { name }),
    ...(slug !== undefined && { slug, slug_key: slug }),
    ...(require_mfa !== undefined && { require_mfa }),
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

/** What the audit trail tells of a change: of name and slug that they changed. */
function changes(before: OrganizationRecord, after: OrganizationRecord): readonly AuditEntry[] {
  const target = `org:${before.id}`;
  const members = (["name", "slug"] as const).filter((member) => before[member] !== after[member]);
  const { require_mfa } = after;
  return [
    ...(members.length > 0 ? [{ action: "org.update", target, details: { members } } as const] : []),
    ...(require_mfa !== before.require_mfa
      ? [{ action: "org.require_mfa", target, details: { require_mfa } } as const]
      : []),
  ];
}
