import { keyFields } from "../auth/collections.ts";
import { ending } from "../auth/key-changes.ts";
import type { KeyRecord } from "../auth/key-records.ts";
import { type ApiError, invalidBody } from "../errors.ts";
import { eq, isIn } from "../filter/algebra.ts";
import { documentFields } from "../filter/fields.ts";
import { isId } from "../ids.ts";
import type { NewService, RealmInstance, RealmOrganizations } from "../realm/exchange.ts";
import type { OrganizationSettings } from "../realm/organizations.ts";
import { Outdated } from "../retry.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { changeOrganization } from "./change.ts";
import { collections } from "./collections.ts";
import { requireGivable } from "./granting.ts";
import { newMember } from "./member-change.ts";
import { type MemberRecord, memberId, type OrganizationRecord, readMember, writeMember } from "./records.ts";
import { isOrganizationRole } from "./roles.ts";
import type { Standing } from "./route.ts";
import { requireTeams, requireTeamsWithin } from "./teams.ts";

/**
 * Members of an organization that are keys: they come with their key, and end with it. The organization's record is the
 * lock of both, so that neither is ever there without the other.
 */

type Realm = Pick<RealmInstance, "store" | "clock">;

/** What a service member is given. */
export type ServiceGrant = Pick<NewService, "roles" | "teams">;

/**
 * Whether a service member may be given this.
 * @param granter who gives only what they could give members; absent: anything
 * @throws ApiError `validation_error` | `forbidden` | `team_limit_reached`
 */
export function requireServiceGrant(
  settings: OrganizationSettings,
  org: OrganizationRecord,
  { roles, teams: ids }: ServiceGrant,
  granter?: Pick<Standing, "manage">,
): void {
  const teams = requireTeams(org, ids);
  if (granter !== undefined) requireGivable(settings, granter, roles, teams);
  requireTeamsWithin(settings, ids);
}

/** The member that a key is in its organization. */
export function serviceMember(
  realm: Pick<RealmInstance, "clock">,
  org: string,
  { key, name }: Pick<KeyRecord, "key" | "name">,
  { roles, teams }: ServiceGrant,
): MemberRecord {
  return { ...newMember(realm, org, key), service: name, roles, teams };
}

/**
 * Removes service members of an organization whose keys end.
 * @param keys ids
 * @returns to be called in the transaction of a change of the organization
 */
export async function leavingServices(
  { store }: Pick<RealmInstance, "store">,
  org: string,
  keys: readonly string[],
): Promise<(transaction: Transaction) => Promise<void>> {
  if (keys.length === 0) return async () => undefined;
  const ids = keys.map((key) => memberId(org, key));
  const query = { visibility: "live", limit: ids.length, skip: 0 } as const;
  const found = await store
    .collection(collections.members)
    .find({ ...query, filter: isIn(documentFields.id, ids) });
  const members = found.map(readMember);
  return async (transaction) => {
    const all = transaction.collection(collections.members);
    for (const { record, version } of members)
      if (!(await all.remove(record.id, version))) throw new Outdated();
  };
}

/** See {@link RealmOrganizations.addService}. */
export function addService(
  realm: Realm & { readonly settings: OrganizationSettings },
): RealmOrganizations["addService"] {
  const { settings } = realm;
  return async ({ org: id, key, name, roles, teams }, along) => {
    const unknown = roles.flatMap((role, at) =>
      isOrganizationRole(settings, role)
        ? []
        : [{ path: `roles.${at}`, reason: "is no role of organizations in this realm" }],
    );
    if (unknown.length > 0) throw invalidBody(unknown);
    if (!isId(id)) throw noSuchOrganization();
    await changeOrganization(
      realm,
      id,
      async ({ record: org }) => {
        if (org.status === "deleted") throw noSuchOrganization();
        requireServiceGrant(settings, org, { roles, teams });
        const member = serviceMember(realm, id, { key, name }, { roles, teams });
        return {
          org,
          result: undefined,
          along: async (transaction) => {
            await transaction.collection(collections.members).insert(writeMember(member, 1));
            await along(transaction);
          },
        };
      },
      noSuchOrganization,
    );
  };
}

function noSuchOrganization(): ApiError {
  return invalidBody([{ path: "org", reason: "must be an organization that is not deleted" }]);
}

/** See {@link RealmOrganizations.endService}. */
export function endService(realm: Realm): RealmOrganizations["endService"] {
  return (org, key, along) =>
    changeOrganization(realm, org, async ({ record }) => {
      const leave = await leavingServices(realm, org, [key]);
      const ended = await ending(realm.store, eq(keyFields.key, key));
      return {
        org: record,
        result: undefined,
        along: async (transaction) => {
          await leave(transaction);
          await ended.write(transaction);
          await along(transaction);
        },
      };
    });
}
