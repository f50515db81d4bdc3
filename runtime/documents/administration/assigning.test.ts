import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { collections as accountCollections } from "../../auth/collections.ts";
import { readAudit } from "../../auth/records.ts";
import { timestamp } from "../../clock.ts";
import { TRUE } from "../../filter/algebra.ts";
import { documentFields, field, organizationFields } from "../../filter/fields.ts";
import { textIndex } from "../../filter/search/index.ts";
import { silent } from "../../http/testing/server.ts";
import { idGenerator } from "../../ids.ts";
import { realmCollections } from "../../instance/realm.ts";
import { type HeldClock, heldClock } from "../../instance/testing/servers.ts";
import type { JobRealm } from "../../jobs/kind.ts";
import { findJob, queueJob } from "../../jobs/queue.ts";
import type { JobRecord } from "../../jobs/records.ts";
import { type GoOn, runJobs } from "../../jobs/testing/run.ts";
import type { JsonObject } from "../../json.ts";
import { eraseOrganization } from "../../organizations/erasing.ts";
import type { OrganizationRecord } from "../../organizations/records.ts";
import { definitionOf, organizationsIn } from "../../organizations/testing/realm.ts";
import type { Store } from "../../store/contract/store.ts";
import { testStore } from "../../store/testing/stores.ts";
import { collection } from "../testing/shop.ts";
import { assigningOf, assignOrganization } from "./assigning.ts";

const title = field("title", "string");
const slug = field("slug", "string");
const { "_meta.org": orgField } = organizationFields;
const tickets = collection("tickets", {
  fields: { ...documentFields, ...organizationFields, title, slug },
  organization: { required: true, onDelete: "delete" },
  text: textIndex({ fields: [{ field: title, weight: 1 }], defaultLanguage: "en" }),
  indexes: [
    { name: "slug", keys: [orgField, slug].map((key) => ({ field: key, descending: false })), unique: true },
  ],
});
const definition = definitionOf([tickets]);

let clock: HeldClock;
let store: Store;
let realm: JobRealm;
let org: OrganizationRecord;
let made: ReturnType<typeof organizationsIn>;
beforeEach(async () => {
  clock = heldClock();
  store = await testStore({ clock, collections: realmCollections(definition) });
  realm = { definition, store, clock, newId: idGenerator(clock), log: silent };
  made = organizationsIn(realm);
  org = await made.createOrg({ id: "ada" });
});
afterEach(() => store.close());

interface Given extends JsonObject {
  readonly title: string;
}

/** Stores a document as an older configuration let it be; answers its id. */
async function ticket(given: Given, meta: JsonObject = {}): Promise<string> {
  const id = realm.newId();
  const at = timestamp(clock.now());
  const _meta = { created_at: at, updated_at: at, version: 1, owner: "ada", ...meta };
  const deleted = meta["deleted_at"] === undefined ? {} : { deletedAt: clock.now() };
  const purge = typeof meta["purge_at"] === "string" ? { purgeAt: Date.parse(meta["purge_at"]) } : {};
  const text = JSON.stringify({ id, ...given, _meta });
  const write = { id, version: 1, text, createdAt: clock.now(), ...deleted, ...purge };
  await store.collection("main.tickets").insert(write);
  return id;
}

async function stored(id: string): Promise<JsonObject> {
  const found = await store.collection("main.tickets").get(id, "all");
  if (found === undefined) throw new Error(`no ticket ${id}`);
  const document: JsonObject = JSON.parse(found.text);
  expect(Object(document["_meta"])).toMatchObject({ version: found.version });
  return document;
}

const queue = (where: JsonObject = {}, to = org.id): Promise<string> =>
  store.transaction((transaction) => {
    const assignment = { org: to, database: "main", collection: "tickets", language: "en" };
    return queueJob(
      realm,
      transaction,
      assigningOf({ ...assignment, where: JSON.stringify(where) }, "key:admin"),
    );
  });

const kinds = [eraseOrganization, assignOrganization];
const run = (goOn?: GoOn): Promise<void> => runJobs(realm, kinds, goOn);

const job = async (id: string): Promise<JobRecord | undefined> => findJob(store, id);

async function audit(): Promise<readonly JsonObject[]> {
  const all = { filter: TRUE, visibility: "live", limit: 100, skip: 0 } as const;
  const found = await store.collection(accountCollections.audit).find(all);
  return found.map((document) => {
    const { action, actor, target, details } = readAudit(document).record;
    return { action, actor, target, details };
  });
}

describe("Administrator routes: _assign_org", () => {
  test("Administrator routes: _assign_org gives documents that match and have none the organization, and nothing else", async () => {
    const other = await made.createOrg({ id: "bob" });
    const wanted = await ticket({ title: "a", slug: "x" });
    const owned = await ticket({ title: "a" }, { org: other.id });
    const unmatched = await ticket({ title: "b" });
    const before = await Promise.all([wanted, owned, unmatched].map(stored));
    clock.advance(1_000);
    const id = await queue({ title: "a" });
    await run();
    expect(await job(id)).toMatchObject({ kind: "assign_org", status: "succeeded", result: { count: 1 } });
    expect((await job(id))?.target).toBe("collection:main/tickets");
    expect(await Promise.all([owned, unmatched].map(stored))).toEqual(before.slice(1));
    const [first] = before;
    expect(await stored(wanted)).toEqual({
      ...first,
      _meta: {
        ...Object(first?.["_meta"]),
        updated_at: timestamp(clock.now()),
        updated_by: "key:admin",
        version: 2,
        org: org.id,
      },
    });
    expect(await audit()).toEqual([
      {
        action: "data.assign_org",
        actor: "key:admin",
        target: `org:${org.id}`,
        details: { collection: "main/tickets", count: 1, job: id },
      },
    ]);
  });

  test("Administrator routes: _assign_org gives it to deleted documents, which stay deleted", async () => {
    const purge_at = timestamp(clock.now() + 1_000);
    const marks = { deleted_at: timestamp(clock.now()), deleted_by: "user:ada", purge_at };
    const id = await ticket({ title: "a" }, marks);
    await queue();
    await run();
    expect((await stored(id))["_meta"]).toMatchObject({ ...marks, org: org.id, version: 2 });
    expect(await store.collection("main.tickets").get(id, "deleted")).toBeDefined();
    clock.advance(1_000);
    expect(await store.collection("main.tickets").get(id, "all")).toBeUndefined();
  });

  test("Administrator routes: _assign_org goes on after an interruption and counts right", async () => {
    for (let n = 0; n < 170; n += 1) await ticket({ title: n % 4 === 0 ? "b" : "a" });
    const id = await queue({ title: "a" });
    let interruptions = 0;
    while ((await job(id))?.status !== "succeeded" && interruptions < 100) {
      let left = 1;
      await run(async () => left-- > 0);
      interruptions += 1;
    }
    expect(interruptions).toBeGreaterThan(2);
    expect((await job(id))?.result).toEqual({ count: 127 });
    expect((await audit()).length).toBe(1);
  });

  test("Administrator routes: _assign_org tries documents again that were changed meanwhile", async () => {
    const id = await ticket({ title: "a" });
    const transaction = store.transaction.bind(store);
    let meddled = false;
    const assigned = await queue();
    vi.spyOn(store, "transaction").mockImplementation(async (work) => {
      if (!meddled) {
        meddled = true;
        const { text } = (await store.collection("main.tickets").get(id, "live")) ?? { text: "" };
        const next = text.replace('"version":1', '"version":2').replace('"a"', '"changed"');
        const write = { id, version: 2, text: next, createdAt: clock.now() };
        await store.collection("main.tickets").replace(1, write);
      }
      return transaction(work);
    });
    await run();
    vi.restoreAllMocks();
    expect(await stored(id)).toMatchObject({ title: "changed", _meta: { version: 3, org: org.id } });
    expect((await job(assigned))?.result).toEqual({ count: 1 });
  });

  test("Administrator routes: _assign_org finds by a search what matches it", async () => {
    const [found, other] = [await ticket({ title: "Printing paper" }), await ticket({ title: "Toner" })];
    await queue({ $search: "print" });
    await run();
    expect(await stored(found)).toMatchObject({ _meta: { org: org.id } });
    expect((await stored(other))["_meta"]).not.toHaveProperty("org");
  });

  test("Administrator routes: _assign_org ends where the organization is deleted, and says what it did", async () => {
    for (let n = 0; n < 60; n += 1) await ticket({ title: "a" });
    const id = await queue();
    let left = 1;
    await run(async () => left-- > 0);
    await made.changeOrg(org, (record) => ({ ...record, status: "deleted", slug_key: null }));
    await run();
    expect(await job(id)).toMatchObject({ status: "failed", error: expect.stringContaining("deleted") });
    expect(await audit()).toMatchObject([{ action: "data.assign_org", details: { count: 50 } }]);
  });

  test("Administrator routes: _assign_org ends where a unique index of the organization is in the way", async () => {
    await ticket({ title: "a", slug: "x" }, { org: org.id });
    const second = await ticket({ title: "a", slug: "x" });
    const id = await queue();
    await run();
    expect(await job(id)).toMatchObject({ status: "failed", error: expect.stringContaining("index slug") });
    expect((await stored(second))["_meta"]).not.toHaveProperty("org");
    expect(await audit()).toEqual([]);
  });

  test("Administrator routes: _assign_org ends where the configuration has changed so that it cannot go on", async () => {
    await ticket({ title: "a" });
    const [unknown, gone] = [await queue({ colour: "red" }), await queue()];
    let left = 1;
    await run(async () => left-- > 0);
    expect(await job(unknown)).toMatchObject({ status: "failed", error: expect.stringContaining("where") });
    const without = { ...realm, definition: { ...definition, collections: [] } };
    await runJobs(without, kinds);
    expect(await job(gone)).toMatchObject({ status: "failed", error: expect.stringContaining("collection") });
  });
});
