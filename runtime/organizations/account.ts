import { collections as accountCollections } from "../auth/collections.ts";
import { walk } from "../auth/matching.ts";
import type { Read, UserRecord } from "../auth/records.ts";
import { and, eq, exists } from "../filter/algebra.ts";
import { defaultOrder } from "../filter/order.ts";
import type { RealmInstance, RealmOrganizations } from "../realm/exchange.ts";
import type { OrganizationSettings } from "../realm/organizations.ts";
import { Outdated } from "../retry.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { replaceOrganization } from "./change.ts";
import { collections, invitationFields } from "./collections.ts";
import { findManagers } from "./managers.ts";
import { type MembershipRecords, membershipRecords } from "./memberships.ts";
import {
  type OrganizationInvitationRecord,
  type OrganizationRecord,
  type OrganizationStatus,
  readOrganizationInvitation,
  writeOrganizationInvitation,
} from "./records.ts";
import { managesAs } from "./roles.ts";
import { findAccount, holdAccounts } from "./users.ts";

type Realm = Pick<RealmInstance, "store" | "clock"> & { readonly settings: OrganizationSettings };

type AccountChange = RealmOrganizations["accountChange"];

/** See {@link RealmOrganizations.accountChange}. */
export function accountChanges(realm: Realm): AccountChange {
  return async (id, to) => {
    // Read before what is decided on it: what changes in between is met in the transaction.
    const account = await findAccount(realm, id);
    if (account === undefined) return async () => undefined;
    const memberships = await membershipRecords(realm, id);
    const managed = memberships.filter(({ org, member }) =>
      managesAs(realm.settings, org.record, member.record).has("org"),
    );
    const managedOrgs = managed.map(({ org }) => org.record);
    const others = to === "enabled" ? noOthers : await findManagers(realm, managedOrgs, [id]);
    const statuses = new Map(
      managedOrgs.map((org) => [org.id, statusAfter(org, to, account.record, others.has(org.id))] as const),
    );
    const held = new Map([...others.values()].map((other) => [other.record.id, other] as const));
    const changed = to === "deleted" ? memberships : managed;
    const forget = to === "deleted" ? await forgetting(realm, id, memberships) : undefined;

    return async (transaction) => {
      await requireUnchanged(transaction, account);
      await holdAccounts(transaction, [...held.values()]);
      for (const { org } of changed) {
        const status = statuses.get(org.record.id) ?? org.record.status;
        await replaceOrganization(realm, transaction, org, { ...org.record, status });
      }
      await forget?.(transaction);
    };
  };
}

const noOthers: ReadonlyMap<string, Read<UserRecord>> = new Map();

/** Of an organization that the user manages, if their account is active. */
function statusAfter(
  { status }: OrganizationRecord,
  to: Parameters<AccountChange>[1],
  account: UserRecord,
  hasOther: boolean,
): OrganizationStatus {
  if (to === "enabled") return status === "orphaned" ? "active" : status;
  // One who was disabled before could not manage it.
  return hasOther || account.disabled ? status : "orphaned";
}

/** @throws Outdated */
async function requireUnchanged(
  transaction: Transaction,
  { record, version }: Read<UserRecord>,
): Promise<void> {
  const document = await transaction.collection(accountCollections.users).get(record.id, "live");
  if (document?.version !== version) throw new Outdated();
}

/** Forgets a user: where they are a member, and the addresses that they were invited by. */
async function forgetting(
  { store }: Pick<Realm, "store">,
  user: string,
  memberships: readonly MembershipRecords[],
): Promise<(transaction: Transaction) => Promise<void>> {
  const accepted: Read<OrganizationInvitationRecord>[] = [];
  const walked = walk(store, {
    collection: collections.invitations,
    filter: and(eq(invitationFields.used_by, user), exists(invitationFields.email)),
    order: defaultOrder,
    read: readOrganizationInvitation,
    position: ({ record }) => [record.created_at, record.id],
    page: 100,
  });
  for await (const invitations of walked) accepted.push(...invitations);
  return async (transaction) => {
    const members = transaction.collection(collections.members);
    for (const { member } of memberships) await members.remove(member.record.id);
    for (const invitation of accepted) await forgetAddress(transaction, invitation);
  };
}

/** @throws Outdated */
async function forgetAddress(
  transaction: Transaction,
  { record, version }: Read<OrganizationInvitationRecord>,
): Promise<void> {
  const forgotten = writeOrganizationInvitation({ ...record, email: null }, version + 1);
  if (!(await transaction.collection(collections.invitations).replace(version, forgotten)))
    throw new Outdated();
}
