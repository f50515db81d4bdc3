import type { Read } from "../auth/records.ts";
import { timestamp } from "../clock.ts";
import type { ApiError } from "../errors.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import { longBackoff, Outdated, optimistic } from "../retry.ts";
import { UniqueViolation } from "../store/contract/errors.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { collections, uniqueIndexes } from "./collections.ts";
import { notOrgMember, slugTaken } from "./errors.ts";
import { type OrganizationRecord, readOrganization, writeOrganization } from "./records.ts";
import { markWithheld } from "./withheld.ts";

/** What is to become of an organization. */
export type Decision<T> =
  | {
      /** As it will be; written anew also where only its members or invitations change. */
      readonly org: OrganizationRecord;
      /** Writes what belongs to the change, in its transaction; may throw Outdated to have it decided again. */
      readonly along?: (transaction: Transaction) => Promise<void>;
      readonly result: T;
    }
  /** Nothing changes. */
  | { readonly org?: undefined; readonly result: T };

/**
 * Changes an organization, or its members, teams or invitations. The organization's record is the lock of them all:
 * `decide` reads what it needs after the record that it is given, and what it decides is written only if the record still
 * is that one; else it decides again. So whatever it found is so at the moment of the change, also across instances.
 * `decide` changes nothing by itself.
 *
 * @param missing what is thrown where there is no organization of this id
 * @throws ApiError `slug_taken` | `write_conflict` | what `decide` throws
 */
export async function changeOrganization<T>(
  realm: Pick<RealmInstance, "store" | "clock">,
  id: string,
  decide: (org: Read<OrganizationRecord>) => Promise<Decision<T>>,
  missing: () => ApiError = notOrgMember,
): Promise<T> {
  const { result } = await optimistic(longBackoff, async () => {
    const read = await findOrganization(realm, id);
    if (read === undefined) throw missing();
    const decision = await decided(realm, read, decide);
    const { org } = decision;
    if (org === undefined) return decision;
    await withFreeSlug(() =>
      realm.store.transaction(async (transaction) => {
        await replaceOrganization(realm, transaction, read, org);
        await decision.along?.(transaction);
      }),
    );
    return decision;
  });
  return result;
}

/**
 * What is refused may rest on what was read before another change and on what was read after it, so a refusal stands only
 * where none came in between.
 * @throws Outdated | what `decide` throws
 */
async function decided<T>(
  realm: Pick<RealmInstance, "store">,
  read: Read<OrganizationRecord>,
  decide: (org: Read<OrganizationRecord>) => Promise<Decision<T>>,
): Promise<Decision<T>> {
  try {
    return await decide(read);
  } catch (error) {
    const now = await findOrganization(realm, read.record.id);
    if (now?.version !== read.version) throw new Outdated();
    throw error;
  }
}

/** The organization of this id, of any status. */
export async function findOrganization(
  { store }: Pick<RealmInstance, "store">,
  id: string,
): Promise<Read<OrganizationRecord> | undefined> {
  const document = await store.collection(collections.organizations).get(id, "live");
  return document === undefined ? undefined : readOrganization(document);
}

/**
 * Writes an organization anew in a transaction.
 * @throws Outdated when it was changed since it was read
 */
export async function replaceOrganization(
  { clock }: Pick<RealmInstance, "clock">,
  transaction: Transaction,
  { record, version }: Read<OrganizationRecord>,
  org: OrganizationRecord,
): Promise<void> {
  const organizations = transaction.collection(collections.organizations);
  if (!(await organizations.replace(version, writeOrganization(org, version + 1)))) throw new Outdated();
  if (isDeleted(org) !== isDeleted(record) || org.cleanup?.job !== record.cleanup?.job) {
    await markWithheld(transaction, timestamp(clock.now()));
  }
}

function isDeleted({ status }: OrganizationRecord): boolean {
  return status === "deleted";
}

/**
 * What an organization is written in: of two with one slug, or where the slug is taken, one is refused.
 * @param refused what is thrown for it
 * @throws ApiError `slug_taken` | what `work` throws
 */
export async function withFreeSlug<T>(work: () => Promise<T>, refused: () => Error = slugTaken): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof UniqueViolation && error.index === uniqueIndexes.slug) throw refused();
    throw error;
  }
}
