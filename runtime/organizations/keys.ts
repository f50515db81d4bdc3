import { appendAudit } from "../auth/administration/audit.ts";
import { keyFields, collections as realmCollections } from "../auth/collections.ts";
import { findKey } from "../auth/credentials/keys.ts";
import { rotation } from "../auth/key-changes.ts";
import { type KeyRecord, readKey, writeKey } from "../auth/key-records.ts";
import { keyView, keyViews, shownOnce } from "../auth/key-views.ts";
import { makeKey } from "../auth/keys.ts";
import { askedKey, judgeKey, readOverlap, roomForKey, withFreeKeyName } from "../auth/own-keys.ts";
import { answerEntries, currentKeys, lists, pageRequest } from "../auth/paging.ts";
import type { Read } from "../auth/records.ts";
import * as contract from "../contract/organization-keys.ts";
import { ApiError } from "../errors.ts";
import { and, eq, type Filter, isIn } from "../filter/algebra.ts";
import { documentFields } from "../filter/fields.ts";
import type { JsonObject } from "../json.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import type { Decision } from "./change.ts";
import { collections } from "./collections.ts";
import { requireGivable, teamsOf } from "./granting.ts";
import { memberDecision } from "./member-change.ts";
import { requireMember } from "./members.ts";
import { type MemberRecord, memberId, type OrganizationRecord, readMember, writeMember } from "./records.ts";
import { changeAs, memberRoute, type OrganizationRealm, type Standing } from "./route.ts";
import { leavingServices, requireServiceGrant, serviceMember } from "./service-members.ts";
import { requireTeamGranter } from "./team-roles.ts";
import { givenView } from "./views.ts";

/**
 * Keys that members make for their organization. Who manages members makes, rotates and revokes them, as far as they
 * could give members what the key's service member has.
 */

/** The keys that members of an organization made, but no former ones. */
function ownKeys({ id }: Pick<OrganizationRecord, "id">): Filter {
  return and(eq(keyFields.org, id), eq(keyFields.kind, "organization"), currentKeys);
}

export const listOrganizationKeys = memberRoute(
  contract.listOrganizationKeys,
  (realm) =>
    async ({ query }, { org: { record: org } }) =>
      answerEntries(realm, lists.keys, ownKeys(org), pageRequest(query), (keys) =>
        entriesOf(realm, org, keys),
      ),
);

/** Keys with what their service members have. */
async function entriesOf(
  { store, settings }: OrganizationRealm,
  org: OrganizationRecord,
  keys: readonly KeyRecord[],
): Promise<readonly JsonObject[]> {
  const ids = keys.map(({ key }) => memberId(org.id, key));
  const query = { visibility: "live", limit: ids.length, skip: 0 } as const;
  const found =
    ids.length === 0
      ? []
      : await store.collection(collections.members).find({ ...query, filter: isIn(documentFields.id, ids) });
  const members = new Map(found.map((document) => [document.id, readMember(document).record]));
  return keyViews(store, keys, (key, use) => {
    const member = members.get(memberId(org.id, key.key));
    return { ...keyView(key, use), ...(member && givenView(settings, org, member)) };
  });
}

export const createOrganizationKey = memberRoute(
  contract.createOrganizationKey,
  (realm) =>
    async ({ exchange, body }, standing) => {
      const asked = body((given, tell) => judgeKey(realm, given, tell));
      const grant = { roles: asked.roles ?? [], teams: [...new Set(asked.teams)] };
      const { org: inOrg, caller: by } = standing;
      const binding = { kind: "organization", org: inOrg.record.id } as const;
      const key = { ...askedKey(realm, asked), binding };
      const { token, record } = makeKey(key, by.actor, realm.clock.now(), realm.newId);
      const decide = async ({
        org: { record: org },
        caller,
        manage,
      }: Standing): Promise<Decision<OrganizationRecord>> => {
        requireServiceGrant(realm.settings, org, grant, { manage });
        const room = await roomForKey(realm, ownKeys(org), (over) =>
          leavingServices(
            realm,
            org.id,
            over.map(({ key }) => key),
          ),
        );
        const member = serviceMember(realm, org.id, record, grant);
        return {
          org,
          result: org,
          along: async (transaction) => {
            await room(transaction);
            await transaction.collection(realmCollections.keys).insert(writeKey(record, 1));
            await transaction.collection(collections.members).insert(writeMember(member, 1));
            const { key: user, name, scopes, networks, expires_at } = record;
            await appendAudit(realm, transaction, exchange, caller, {
              action: "org.key.create",
              target: `org:${org.id}`,
              details: { user, name, ...grant, scopes: scopes && { ...scopes }, networks, expires_at },
            });
          },
        };
      };
      const org = await withFreeKeyName(() => changeAs(realm, standing, decide));
      return answerMade(realm, org, token, record);
    },
);

async function answerMade(
  realm: OrganizationRealm,
  org: OrganizationRecord,
  token: string,
  record: KeyRecord,
): Promise<JsonObject> {
  const [entry = {}] = await entriesOf(realm, org, [record]);
  return shownOnce(token, entry);
}

export const rotateOrganizationKey = memberRoute(
  contract.rotateOrganizationKey,
  (realm) =>
    async ({ exchange, params, body }, standing) => {
      const overlap = readOverlap(body);
      const { org, rotated } = await changeAs(realm, standing, async (now) => {
        const { org, caller } = now;
        const key = await requireKey(realm, org.record, params.id);
        const { record: member } = await requireMember(realm, org.record, params.id);
        requireHoldable(realm, now, member);
        const rotated = await rotation(realm, key, overlap);
        return {
          org: org.record,
          result: { org: org.record, rotated },
          along: async (transaction) => {
            await rotated.write(transaction);
            await appendAudit(realm, transaction, exchange, caller, {
              action: "org.key.rotate",
              target: `org:${org.record.id}`,
              details: { user: member.user, name: rotated.record.name },
            });
          },
        };
      });
      return answerMade(realm, org, rotated.token, rotated.record);
    },
);

/**
 * Who has the key acts as its service member: nobody gets so what they could not give one.
 * @throws ApiError `forbidden`
 */
function requireHoldable(realm: OrganizationRealm, now: Standing, member: MemberRecord): void {
  const { settings, clock } = realm;
  const { record: org } = now.org;
  requireGivable(settings, now, member.roles, teamsOf(org, member.teams));
  for (const { team, role, until } of member.team_roles) {
    const isOver = until !== null && Date.parse(until) <= clock.now();
    if (!isOver && org.teams.some(({ id }) => id === team)) requireTeamGranter(realm, now, team, role);
  }
}

export const revokeOrganizationKey = memberRoute(
  contract.revokeOrganizationKey,
  (realm) =>
    async ({ exchange, params }, standing) => {
      await changeAs(realm, standing, async ({ org, caller }) => {
        const { record } = await requireKey(realm, org.record, params.id);
        const before = await requireMember(realm, org.record, params.id);
        const { user } = before.record;
        const details = { name: record.name };
        const change = { org, user, before, after: undefined, action: "org.key.revoke", details } as const;
        return memberDecision(realm, exchange, caller, change, undefined);
      });
    },
);

/**
 * A key that members of the organization made.
 * @throws ApiError `not_found`
 */
async function requireKey(
  realm: Pick<RealmInstance, "store">,
  { id }: OrganizationRecord,
  key: string,
): Promise<Read<KeyRecord>> {
  const document = await findKey(realm, key);
  const found = document && readKey(document);
  if (found?.record.binding?.kind === "organization" && found.record.binding.org === id) return found;
  throw new ApiError("not_found", "The organization has no such key.");
}
