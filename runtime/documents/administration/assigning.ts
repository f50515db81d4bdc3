import { timestamp } from "../../clock.ts";
import { ApiError } from "../../errors.ts";
import { and, exists, type Filter, not } from "../../filter/algebra.ts";
import { organizationFields } from "../../filter/fields.ts";
import { defaultOrder, type Position, positionOf } from "../../filter/order.ts";
import { auditJob } from "../../jobs/audit.ts";
import { JobFailure, type JobKind, type JobRealm } from "../../jobs/kind.ts";
import type { NewJob } from "../../jobs/queue.ts";
import type { JobRecord } from "../../jobs/records.ts";
import { collections } from "../../organizations/collections.ts";
import { readOrganization } from "../../organizations/records.ts";
import { type CollectionDefinition, storeNameOf } from "../../realm/definition.ts";
import type { Modification } from "../../store/contract/collection.ts";
import type { DocumentWrite, StoredDocument } from "../../store/contract/document.ts";
import { UniqueViolation } from "../../store/contract/errors.ts";
import type { Transaction, TransactionCollection } from "../../store/contract/transaction.ts";
import { BATCH_CHARACTERS, findPage } from "../../store/page.ts";
import { parseDocument, splitDocument, withMeta } from "../encode.ts";
import { timesIn } from "../meta.ts";
import { everyField } from "../query/fields.ts";
import { readWhere } from "../query/where.ts";

/** Documents written in one transaction. */
const batch = 50;

/** Which documents an organization is given to. */
export interface Assignment {
  readonly org: string;
  readonly database: string;
  readonly collection: string;
  /** As the parameter `where` of a list. */
  readonly where: string;
  /** Of a `$search` in it. */
  readonly language: string | undefined;
}

/** Where the assignment goes on. */
interface Assigning extends Assignment {
  /** After this position of the default order. */
  readonly after: Position | undefined;
  /** Somebody else wrote documents at the same time: all is to be gone through once more. */
  readonly missed: boolean;
  /** Documents that were given the organization. */
  readonly count: number;
}

/**
 * The job that gives an organization to documents that have none (spec: Administrator routes).
 * @param by who asks for it, as the audit trail names them
 */
export function assigningOf(assignment: Assignment, by: string): NewJob {
  const state: Assigning = { ...assignment, after: undefined, missed: false, count: 0 };
  const target = `collection:${assignment.database}/${assignment.collection}`;
  return { kind: assignOrganization.name, target, state, by };
}

/** The documents that an organization may be given to, among those that a `where` wants: deleted ones too. */
export const assignable = {
  filter: (where: Filter): Filter => and(where, not(exists(organizationFields["_meta.org"]))),
  visibility: "all",
} as const;

export const assignOrganization: JobKind = {
  name: "assign_org",
  limit: 4,
  async step(realm, job) {
    const state: Assigning = JSON.parse(job.state);
    const definition = collectionOf(realm, state);
    const stored = storeNameOf(definition);
    const { found, hasMore } = await findPage(realm.store.collection(stored), {
      filter: assignable.filter(filterOf(definition, state)),
      visibility: assignable.visibility,
      order: defaultOrder,
      after: state.after,
      limit: batch,
      skip: 0,
      characters: BATCH_CHARACTERS,
    });
    return async (transaction) => {
      await requireOrganization(transaction, state.org);
      const documents = transaction.collection(stored);
      let { count, missed } = state;
      for (const document of found) {
        const next = await replaced(documents, document, (same) =>
          assigned(same, state.org, job.created_by, realm.clock.now()),
        );
        if (next !== undefined) {
          count += 1;
          if (definition.files !== undefined) await follow(realm, transaction, stored, next);
        } else missed = true;
      }
      const last = found.at(-1);
      if (hasMore && last !== undefined) {
        const after = positionOf(defaultOrder, parseDocument(last.text));
        return { state: { ...state, count, missed, after } };
      }
      if (missed) return { state: { ...state, count, missed: false, after: undefined } };
      await audit(realm, job, { ...state, count }, transaction);
      return { result: { count } };
    };
  },
  async failed(realm, job, transaction) {
    const state: Assigning = JSON.parse(job.state);
    if (state.count > 0) await audit(realm, job, state, transaction);
  },
};

/** @throws JobFailure */
function collectionOf({ definition }: JobRealm, { database, collection }: Assigning): CollectionDefinition {
  const found = definition.collections.find((own) => own.database === database && own.name === collection);
  if (found?.organization === undefined)
    throw new JobFailure("The collection has no organizations any more.");
  return found;
}

/** @throws JobFailure where the configuration has changed so that the condition can be read no longer */
function filterOf(definition: CollectionDefinition, { where, language }: Assigning): Filter {
  const read = readWhere(where, everyField(definition), () => language);
  if ("problems" in read) throw new JobFailure("Its where does not fit the collection any more.");
  return read.filter;
}

/** @throws JobFailure */
async function requireOrganization(transaction: Transaction, id: string): Promise<void> {
  const document = await transaction.collection(collections.organizations).get(id, "live");
  if (document === undefined || readOrganization(document).record.status === "deleted")
    throw new JobFailure("The organization is deleted.");
}

/** The document's next version, in whatever state it is. */
function assigned(
  { id, version, text, form }: StoredDocument,
  org: string,
  by: string,
  now: number,
): DocumentWrite {
  const parts = splitDocument(text);
  const { chain: _, ...meta } = parts.meta;
  const next = {
    ...meta,
    updated_at: timestamp(now),
    version: version + 1,
    updated_by: by,
    org,
  };
  return {
    id,
    version: version + 1,
    text: withMeta(parts, JSON.stringify(next)),
    ...timesIn(meta),
    ...(form !== undefined && { form }),
  };
}

/**
 * What was written in place of a document, if it is still the one that was found.
 * @throws JobFailure
 */
async function replaced(
  documents: TransactionCollection,
  { id, version }: StoredDocument,
  next: (found: StoredDocument) => DocumentWrite,
): Promise<DocumentWrite | undefined> {
  try {
    const done = await documents.modify(id, "all", (found): Modification => {
      return found?.version === version ? { kind: "replace", document: next(found) } : { kind: "keep" };
    });
    return done?.kind === "replace" ? done.document : undefined;
  } catch (error) {
    if (!(error instanceof UniqueViolation)) throw error;
    throw new JobFailure(`Documents would clash in the organization under the unique index ${error.index}.`);
  }
}

/**
 * The organization has the files of the document, too.
 * @throws JobFailure
 */
async function follow(
  { files }: JobRealm,
  transaction: Transaction,
  collection: string,
  { id, text }: DocumentWrite,
): Promise<void> {
  try {
    await files?.ledger.follow(transaction, collection, id, text);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new JobFailure(error.message);
  }
}

function audit(
  realm: JobRealm,
  job: JobRecord,
  { org, database, collection, count }: Assigning,
  transaction: Transaction,
): Promise<void> {
  const details = { collection: `${database}/${collection}`, count };
  return auditJob(realm, transaction, job, { action: "data.assign_org", target: `org:${org}`, details });
}
