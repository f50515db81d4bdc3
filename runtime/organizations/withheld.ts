import { walk } from "../auth/matching.ts";
import { timestamp } from "../clock.ts";
import { and, compare, eq, exists, isIn, or, TRUE } from "../filter/algebra.ts";
import { documentFields } from "../filter/fields.ts";
import { defaultOrder } from "../filter/order.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import { Outdated } from "../retry.ts";
import { DuplicateId } from "../store/contract/errors.ts";
import type { Transaction } from "../store/contract/transaction.ts";
import { collections, organizationFields } from "./collections.ts";
import { type OrganizationRecord, readOrganization, withheldMark, writeMark } from "./records.ts";

/**
 * Milliseconds after which what was left by writes that were under way when an organization was deleted is erased, once
 * its documents were.
 */
export const settlingTime = 120_000;

/** Milliseconds for which the organization is still withheld then: till those are erased too. */
export const afterErasing = 5 * settlingTime;

/** Organizations read at once. */
const page = 1_000;

type Withholding = Pick<RealmInstance, "store" | "clock" | "definition">;

/**
 * The deleted organizations of a realm that may still have documents. They are read anew when the mark says that one was
 * deleted, erased or came back, or when the time of one is over; the very same set is answered until they differ.
 */
export class Withheld {
  readonly #realm: Withholding;
  readonly #keeps: boolean;
  #set: ReadonlySet<string> = new Set();
  /** What the store said of the marks when the mark was read. */
  #revision: number | undefined;
  /** The mark's version when they were read; 0: there was none. */
  #version: number | undefined;
  /** When the next of them is over. */
  #until = Number.POSITIVE_INFINITY;

  constructor(realm: Withholding) {
    this.#realm = realm;
    this.#keeps = realm.definition.collections.some(({ organization }) => organization?.onDelete === "keep");
  }

  /**
   * At once where nothing can have changed.
   * @param mark the mark's version, where it was read just now
   */
  current(mark?: number): ReadonlySet<string> | Promise<ReadonlySet<string>> {
    const revision = mark === undefined ? this.#realm.store.revision(collections.marks) : undefined;
    const stands =
      mark === undefined ? revision !== undefined && revision === this.#revision : mark === this.#version;
    return stands && this.#realm.clock.now() < this.#until ? this.#set : this.#read(revision, mark);
  }

  async #read(revision: number | undefined, mark: number | undefined): Promise<ReadonlySet<string>> {
    const now = this.#realm.clock.now();
    // Read before the organizations: a change in between is read again by the next request.
    const version = mark ?? (await this.#mark());
    if (version === this.#version && now < this.#until) {
      this.#revision = revision;
      return this.#set;
    }
    const found = await this.#deleted(now);
    // Another request may have read, meanwhile, what is newer: versions only grow.
    if (version >= (this.#version ?? 0)) {
      this.#until = found.reduce((until, org) => Math.min(until, this.#end(org)), Number.POSITIVE_INFINITY);
      this.#version = version;
      this.#revision = revision;
      const ids = new Set(found.map(({ id }) => id));
      if (!same(ids, this.#set)) this.#set = ids;
    }
    return this.#set;
  }

  async #mark(): Promise<number> {
    const document = await this.#realm.store.collection(collections.marks).get(withheldMark, "live");
    return document?.version ?? 0;
  }

  async #deleted(now: number): Promise<readonly OrganizationRecord[]> {
    const { status, erased_at, cleanup_job } = organizationFields;
    const since = timestamp(now - afterErasing);
    const mayHave = this.#keeps ? TRUE : or(compare("gt", erased_at, since), exists(cleanup_job));
    const filter = and(eq(status, "deleted"), mayHave);
    const found: OrganizationRecord[] = [];
    const walked = walk(this.#realm.store, {
      collection: collections.organizations,
      filter,
      order: defaultOrder,
      read: (document) => readOrganization(document).record,
      position: ({ created_at, id }) => [created_at, id],
      page,
    });
    for await (const records of walked) found.push(...records);
    return found;
  }

  #end({ erased_at, cleanup }: OrganizationRecord): number {
    if (this.#keeps || cleanup !== null || erased_at === undefined) return Number.POSITIVE_INFINITY;
    return Date.parse(erased_at) + afterErasing;
  }
}

/** Whether one of these organizations is deleted, withheld still or not. */
export async function isAnyDeleted(store: RealmInstance["store"], ids: readonly string[]): Promise<boolean> {
  if (ids.length === 0) return false;
  const filter = and(isIn(documentFields.id, [...new Set(ids)]), eq(organizationFields.status, "deleted"));
  return (await store.collection(collections.organizations).count(filter, "live")) > 0;
}

function same(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((value) => other.has(value));
}

/** Says, in the transaction that deletes an organization, ends its erasing or brings it back, that one did. */
export async function markWithheld(transaction: Transaction, now: string): Promise<void> {
  const marks = transaction.collection(collections.marks);
  const before = await marks.get(withheldMark, "live");
  const version = before?.version ?? 0;
  const document = writeMark({ id: withheldMark, created_at: now }, version + 1);
  if (before !== undefined) {
    if (!(await marks.replace(version, document))) throw new Outdated();
    return;
  }
  try {
    await marks.insert(document);
  } catch (error) {
    // Where the store is shared, another made the first one in between.
    if (error instanceof DuplicateId) throw new Outdated();
    throw error;
  }
}
