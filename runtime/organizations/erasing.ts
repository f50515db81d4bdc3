import type { Read } from "../auth/records.ts";
import { timestamp } from "../clock.ts";
import { eq } from "../filter/algebra.ts";
import { type Field, organizationFields } from "../filter/fields.ts";
import { auditJob } from "../jobs/audit.ts";
import type { JobKind, JobRealm, Progress } from "../jobs/kind.ts";
import type { NewJob } from "../jobs/queue.ts";
import type { JobRecord } from "../jobs/records.ts";
import { type CollectionDefinition, storeNameOf } from "../realm/definition.ts";
import type { StoredDocument, Visibility } from "../store/contract/document.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { BATCH_CHARACTERS, findPage, type Page } from "../store/page.ts";
import { replaceOrganization } from "./change.ts";
import { collections, invitationFields, memberFields } from "./collections.ts";
import { type OrganizationRecord, readOrganization } from "./records.ts";
import { settlingTime } from "./withheld.ts";

/** Documents removed in one write, so that others get their turn in between. */
const batch = 200;

type Counts = Readonly<Record<string, number>>;

/** Where the erasing of an organization goes on. */
interface Erasing {
  readonly org: string;
  /** Collections are gone through by name; this was the last that is done, empty at the beginning. */
  readonly done: string;
  /** Its live documents are gone: the deleted ones come next. */
  readonly trash: boolean;
  /** By collection, `<database>/<collection>`. */
  readonly deleted: Counts;
  readonly kept: Counts;
  /** All was done; it is gone through once more, for writes that were under way when the organization was deleted. */
  readonly late: boolean;
}

/**
 * The job that applies `on_org_delete` to the documents of an organization that is being deleted (spec: States,
 * Organization). It goes into the organization's `cleanup`, which is null again when the job has succeeded.
 * @param by who deletes it, as the audit trail names them
 */
export function erasingOf(org: string, by: string): NewJob {
  const state: Erasing = { org, done: "", trash: false, deleted: {}, kept: {}, late: false };
  return { kind: eraseOrganization.name, target: `org:${org}`, state, by };
}

/** Erases the documents of a deleted organization, then what is left of its members and invitations. */
export const eraseOrganization: JobKind = {
  name: "org_delete",
  limit: 4,
  async step(realm, job) {
    const state: Erasing = JSON.parse(job.state);
    const next = nextCollection(realm, state.done);
    const step = next === undefined ? await afterDocuments(realm, job, state) : await of(realm, next, state);
    return async (transaction) => {
      const document = await transaction.collection(collections.organizations).get(state.org, "live");
      const org = document && readOrganization(document);
      return org !== undefined && isOurs(org.record, job) ? step(transaction, org) : {};
    };
  },
};

/** One that was reactivated has its documents for itself again; if it was deleted once more, to another job. */
function isOurs({ status, cleanup }: OrganizationRecord, job: JobRecord): boolean {
  return status === "deleted" && (cleanup === null || cleanup.job === job.id);
}

type OrganizationStep = (transaction: Transaction, org: Read<OrganizationRecord>) => Promise<Progress>;

function nextCollection({ definition }: JobRealm, done: string): CollectionDefinition | undefined {
  let next: CollectionDefinition | undefined;
  for (const collection of definition.collections) {
    if (collection.organization === undefined || nameOf(collection) <= done) continue;
    if (next === undefined || nameOf(collection) < nameOf(next)) next = collection;
  }
  return next;
}

function nameOf({ database, name }: CollectionDefinition): string {
  return `${database}/${name}`;
}

function of(realm: JobRealm, collection: CollectionDefinition, state: Erasing): Promise<OrganizationStep> {
  return collection.organization?.onDelete === "delete"
    ? erasedBatch(realm, collection, state)
    : counted(realm, collection, state);
}

async function counted(
  { store }: JobRealm,
  collection: CollectionDefinition,
  state: Erasing,
): Promise<OrganizationStep> {
  const name = nameOf(collection);
  const next = { ...state, done: name, trash: false };
  if (state.late) return async () => ({ state: next });
  const documents = store.collection(storeNameOf(collection));
  const count = await documents.count(eq(organizationFields["_meta.org"], state.org), "all");
  return async () => ({ state: { ...next, kept: plus(state.kept, name, count) } });
}

async function erasedBatch(
  realm: JobRealm,
  collection: CollectionDefinition,
  state: Erasing,
): Promise<OrganizationStep> {
  const [name, stored] = [nameOf(collection), storeNameOf(collection)];
  const visibility = state.trash ? "deleted" : "live";
  const { found, hasMore } = await belonging(
    realm,
    stored,
    organizationFields["_meta.org"],
    state.org,
    visibility,
  );
  return async (transaction) => {
    const removed = await erased(realm, transaction, collection, found);
    // One that was written meanwhile is looked for again.
    const isDone = !hasMore && removed === found.length;
    const place = isDone ? (state.trash ? { done: name, trash: false } : { trash: true }) : {};
    return { state: { ...state, ...place, deleted: plus(state.deleted, name, removed) } };
  };
}

/** How many of the documents are gone by it, and their files with them; others were written meanwhile. */
async function erased(
  { files }: JobRealm,
  transaction: Transaction,
  collection: CollectionDefinition,
  found: readonly StoredDocument[],
): Promise<number> {
  const stored = storeNameOf(collection);
  const documents = transaction.collection(stored);
  if (files === undefined || collection.files === undefined) return documents.removeAll(found);
  let removed = 0;
  for (const { id, version } of found) {
    if (!(await documents.remove(id, version))) continue;
    await files.ledger.follow(transaction, stored, id, undefined);
    removed += 1;
  }
  return removed;
}

/** What belongs to an organization, some of it. */
export function belonging(
  { store }: Pick<JobRealm, "store">,
  collection: string,
  field: Field,
  org: string,
  visibility: Visibility,
): Promise<Page> {
  const query = { filter: eq(field, org), visibility, limit: batch, skip: 0, characters: BATCH_CHARACTERS };
  return findPage(store.collection(collection), query);
}

function plus(counts: Counts, name: string, more: number): Counts {
  return { ...counts, [name]: (counts[name] ?? 0) + more };
}

async function afterDocuments(realm: JobRealm, job: JobRecord, state: Erasing): Promise<OrganizationStep> {
  if (state.late) return async () => ({});
  for (const [collection, field] of [
    [collections.members, memberFields.org],
    [collections.invitations, invitationFields.org],
  ] as const) {
    const { found } = await belonging(realm, collection, field, state.org, "live");
    if (found.length === 0) continue;
    return async (transaction) => {
      await transaction.collection(collection).removeAll(found);
      return { state };
    };
  }
  return (transaction, org) => finish(realm, job, state, transaction, org);
}

/** Audited once, in the transaction that ends the cleanup. */
async function finish(
  realm: JobRealm,
  job: JobRecord,
  { org: id, deleted, kept }: Erasing,
  transaction: Transaction,
  org: Read<OrganizationRecord>,
): Promise<Progress> {
  const counts = { deleted: { ...deleted }, kept: { ...kept } };
  await auditJob(realm, transaction, job, { action: "org.deleted", target: job.target, details: counts });
  if (org.record.cleanup?.job === job.id) {
    const erased = { cleanup: null, erased_at: timestamp(realm.clock.now()) };
    await replaceOrganization(realm, transaction, org, { ...org.record, ...erased });
  }
  const again: Erasing = { org: id, done: "", trash: false, deleted: {}, kept: {}, late: true };
  return { result: counts, state: again, pause: settlingTime };
}
