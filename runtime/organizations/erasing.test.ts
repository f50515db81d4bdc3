import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { collections as accountCollections } from "../auth/collections.ts";
import { type AuditRecord, readAudit } from "../auth/records.ts";
import { timestamp } from "../clock.ts";
import { assignOrganization } from "../documents/administration/assigning.ts";
import { collection } from "../documents/testing/shop.ts";
import { TRUE } from "../filter/algebra.ts";
import { documentFields, organizationFields } from "../filter/fields.ts";
import { silent } from "../http/testing/server.ts";
import { idGenerator } from "../ids.ts";
import { realmCollections } from "../instance/realm.ts";
import { type HeldClock, heldClock } from "../instance/testing/servers.ts";
import type { JobRealm } from "../jobs/kind.ts";
import { findJob, queueJob } from "../jobs/queue.ts";
import { type GoOn, runJobs } from "../jobs/testing/run.ts";
import { type CollectionDefinition, storeNameOf } from "../realm/definition.ts";
import type { Visibility } from "../store/contract/document.ts";
import { QueryTimeout } from "../store/contract/errors.ts";
import type { Store } from "../store/contract/store.ts";
import { testStore } from "../store/testing/stores.ts";
import { collections } from "./collections.ts";
import { eraseOrganization, erasingOf } from "./erasing.ts";
import { finishErasing } from "./finish-erasing.ts";
import type { OrganizationRecord } from "./records.ts";
import { definitionOf, organizationsIn } from "./testing/realm.ts";
import { settlingTime } from "./withheld.ts";

const fields = { ...documentFields, ...organizationFields };
const tickets = collection("tickets", { fields, organization: { required: true, onDelete: "delete" } });
const notes = collection("notes", { fields, organization: { required: false, onDelete: "delete" } });
const invoices = collection("invoices", { fields, organization: { required: true, onDelete: "keep" } });
const plain = collection("plain");
// Not in the order of their names, in which they are gone through.
const definition = definitionOf([tickets, plain, notes, invoices]);

let clock: HeldClock;
let store: Store;
let realm: JobRealm;
let made: ReturnType<typeof organizationsIn>;
let org: OrganizationRecord;
let other: OrganizationRecord;
beforeEach(async () => {
  clock = heldClock();
  store = await testStore({ clock, collections: realmCollections(definition) });
  realm = { definition, store, clock, newId: idGenerator(clock), log: silent };
  made = organizationsIn(realm);
  org = await made.createOrg({ id: "ada" });
  other = await made.createOrg({ id: "bob" });
});
afterEach(() => store.close());

const stored = (of: CollectionDefinition) => store.collection(storeNameOf(of));

const count = (of: CollectionDefinition, visibility: Visibility = "all") =>
  stored(of).count(TRUE, visibility);

/** Deletes an organization as its routes do; answers the job. */
async function remove({ id }: OrganizationRecord): Promise<string> {
  const job = realm.newId();
  await made.changeOrg({ id }, (record) => ({
    ...record,
    status: "deleted",
    slug_key: null,
    deleted_at: timestamp(clock.now()),
    cleanup: { job },
  }));
  return store.transaction((transaction) =>
    queueJob(realm, transaction, { ...erasingOf(id, "user:ada"), id: job }),
  );
}

const run = (goOn: GoOn = async () => true, on: JobRealm = realm): Promise<void> =>
  runJobs(on, [eraseOrganization, assignOrganization], goOn);

async function audit(): Promise<readonly AuditRecord[]> {
  const all = { filter: TRUE, visibility: "live", limit: 100, skip: 0 } as const;
  const found = await store.collection(accountCollections.audit).find(all);
  return found.map((document) => readAudit(document).record);
}

describe("Organization: what is left of a deleted one", () => {
  test("Organization: documents are erased or kept as each collection says, and it is audited once, with counts", async () => {
    await made.fill(tickets, org.id, 450, 230);
    await made.fill(tickets, other.id, 30, 20);
    await made.fill(notes, org.id, 3);
    await made.fill(notes, undefined, 5, 1);
    await made.fill(invoices, org.id, 7, 2);
    await made.fill(plain, undefined, 4);
    const job = await remove(org);
    await run();

    expect([await count(tickets, "live"), await count(tickets, "deleted")]).toEqual([30, 20]);
    expect([await count(notes), await count(invoices), await count(plain)]).toEqual([6, 9, 4]);
    const counts = {
      deleted: { "main/notes": 3, "main/tickets": 680 },
      kept: { "main/invoices": 9 },
    };
    expect(await findJob(store, job)).toMatchObject({
      status: "succeeded",
      target: `org:${org.id}`,
      result: counts,
    });
    expect((await made.org(org))?.cleanup).toBeNull();
    expect(await audit()).toMatchObject([
      { action: "org.deleted", actor: "user:ada", target: `org:${org.id}`, details: { ...counts, job } },
    ]);
    expect(await made.org(other)).toMatchObject({ status: "active" });
  });

  test("Organization: one without documents is done, too", async () => {
    const job = await remove(org);
    await run();
    const counts = { deleted: { "main/notes": 0, "main/tickets": 0 }, kept: { "main/invoices": 0 } };
    expect(await findJob(store, job)).toMatchObject({ status: "succeeded", result: counts });
  });

  test("Organization: members and invitations that are left over go as well, others' stay", async () => {
    for (let n = 0; n < 250; n += 1) await made.join(org, { id: `user${n}` });
    await made.join(other, { id: "carol" });
    await remove(org);
    await run();
    expect(await store.collection(collections.members).count(TRUE, "all")).toBe(2);
    expect(await made.member(other, { id: "carol" })).toBeDefined();
  });

  test("Organization: interrupted after any step, it goes on and counts right", async () => {
    await made.fill(tickets, org.id, 450, 230);
    await made.fill(invoices, org.id, 7);
    const job = await remove(org);
    let interruptions = 0;
    while ((await findJob(store, job))?.status !== "succeeded" && interruptions < 100) {
      let left = 1;
      await run(async () => left-- > 0);
      interruptions += 1;
    }
    expect(interruptions).toBeGreaterThan(6);
    expect((await findJob(store, job))?.result).toEqual({
      deleted: { "main/notes": 0, "main/tickets": 680 },
      kept: { "main/invoices": 7 },
    });
    expect((await audit()).map(({ action }) => action)).toEqual(["org.deleted"]);
    expect(await count(tickets)).toBe(0);
  });

  test("Organization: a document that is written while it is to be erased is erased as it is then, if it still is its", async () => {
    await made.fill(tickets, org.id, 2);
    await remove(org);
    const [moved, changed] = await stored(tickets).find({
      filter: TRUE,
      visibility: "live",
      limit: 2,
      skip: 0,
    });
    if (moved === undefined || changed === undefined) throw new Error("no tickets");
    const transaction = store.transaction.bind(store);
    let transactions = 0;
    vi.spyOn(store, "transaction").mockImplementation(async (work) => {
      transactions += 1;
      // Invoices come first, then notes and their trash; this one is about the tickets that were found.
      if (transactions === 4) {
        const createdAt = clock.now();
        const to = moved.text.replace(org.id, other.id).replace('"version":1', '"version":2');
        await stored(tickets).replace(1, { id: moved.id, version: 2, text: to, createdAt });
        const text = changed.text.replace('"version":1', '"version":2');
        await stored(tickets).replace(1, { id: changed.id, version: 2, text, createdAt });
      }
      return transaction(work);
    });
    await run();
    vi.restoreAllMocks();
    const left = await stored(tickets).find({ filter: TRUE, visibility: "all", limit: 10, skip: 0 });
    expect(left.map(({ id, version }) => [id, version])).toEqual([[moved.id, 2]]);
    expect((await audit())[0]?.details).toMatchObject({ deleted: { "main/tickets": 1 } });
  });

  test("Organization: writes that were under way at the DELETE are erased later, silently", async () => {
    const job = await remove(org);
    await run();
    await made.fill(tickets, org.id, 3, 1);
    await made.fill(tickets, other.id, 1);
    const finished = (await findJob(store, job))?.finished_at;
    clock.advance(settlingTime - 1);
    await run();
    expect(await count(tickets)).toBe(5);
    clock.advance(1);
    await run();
    expect(await count(tickets)).toBe(1);
    expect(await audit()).toHaveLength(1);
    const after = await findJob(store, job);
    expect(after).toMatchObject({ status: "succeeded", finished_at: finished, due_at: null });
    expect(after?.result).toMatchObject({ deleted: { "main/tickets": 0 } });
  });

  test("Organization: one that was reactivated keeps its documents, also when it is deleted once more", async () => {
    await remove(org);
    await run();
    await made.changeOrg(org, (record) => ({
      ...record,
      status: "active",
      slug_key: "back",
      deleted_at: null,
    }));
    await made.fill(tickets, org.id, 3);
    clock.advance(settlingTime);
    await run();
    expect(await count(tickets)).toBe(3);

    const [first, second] = [await remove(org), await remove(other)];
    await made.fill(tickets, other.id, 2);
    await run();
    expect((await findJob(store, first))?.result).toMatchObject({ deleted: { "main/tickets": 3 } });
    expect((await findJob(store, second))?.result).toMatchObject({ deleted: { "main/tickets": 2 } });
  });

  test("Organization: a collection that the configuration no longer has does not stop it", async () => {
    await made.fill(tickets, org.id, 250);
    const job = await remove(org);
    let left = 4;
    await run(async () => left-- > 0);
    const without = { ...realm, definition: { ...definition, collections: [plain] } };
    await run(undefined, without);
    expect(await findJob(store, job)).toMatchObject({ status: "succeeded" });
    expect((await made.org(org))?.cleanup).toBeNull();
  });
});

describe("Organization: reactivation waits for the erasing", () => {
  const waiting = (wakeJobs: () => void) => finishErasing({ ...realm, wakeJobs }, org.id);

  test("Organization: of which nothing may be left", async () => {
    await made.fill(tickets, org.id, 250);
    await remove(org);
    let running: Promise<void> | undefined;
    await waiting(() => {
      running = run();
    });
    expect(await count(tickets)).toBe(0);
    await running;
    await waiting(() => {
      throw new Error("there is nothing to wait for");
    });
  });

  test("Organization: one that failed is tried again", async () => {
    const job = await remove(org);
    vi.spyOn(stored(tickets), "find").mockRejectedValue(new QueryTimeout());
    for (let minutes = 0; minutes < 5; minutes += 1) {
      await run();
      clock.advance(60_000);
    }
    vi.restoreAllMocks();
    expect(await findJob(store, job)).toMatchObject({
      status: "failed",
      error: expect.stringContaining("time limit"),
    });
    expect((await made.org(org))?.cleanup).toEqual({ job });
    let running: Promise<void> | undefined;
    await waiting(() => {
      running = run();
    });
    await running;
    expect(await findJob(store, job)).toMatchObject({ status: "succeeded" });
  });

  test("Organization: where it takes too long it is refused, naming the job", async () => {
    const job = await remove(org);
    await expect(finishErasing({ ...realm, wakeJobs: () => undefined }, org.id, 0)).rejects.toMatchObject({
      code: "conflict",
      message: expect.stringContaining(job),
    });
  });
});
