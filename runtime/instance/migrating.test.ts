import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { code, collection, type Shop, startShop, text, validatorOf } from "../documents/testing/shop.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { recordOf } from "../migrations/records.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import type { MigrationDefinition, MigrationMode } from "../realm/migrations.ts";
import { allowed } from "../rules/index.ts";
import { type TestPlace, testPlace } from "../store/testing/stores.ts";

const rules = { read: allowed, create: allowed, update: allowed, delete: allowed };

/** `title` becomes `name`, which becomes `label.text`. */
const rename: MigrationDefinition = {
  number: "0001",
  name: "name",
  forward: ({ title, ...rest }) => ({ ...rest, name: title ?? null }),
  back: ({ name, ...rest }) => ({ ...rest, title: name ?? null }),
};
const nest: MigrationDefinition = {
  number: "0003",
  name: "label",
  forward({ name, ...rest }) {
    if (name === "bad") throw new Error("no label for bad");
    return { ...rest, label: { text: name ?? null } };
  },
};

const before = collection("notes", { rules });
const labelled: JsonObject = {
  type: "object",
  properties: {
    label: { type: "object", properties: { text: { type: "string", minLength: 3 } }, required: ["text"] },
    qty: { type: "integer" },
  },
  required: ["label"],
  additionalProperties: false,
};
const after: CollectionDefinition = {
  ...before,
  validate: validatorOf(labelled),
  migrations: [rename, nest],
};

let place: TestPlace;
let shop: Shop | undefined;
beforeEach(() => {
  place = testPlace();
});
afterEach(async () => {
  await shop?.stop();
  await place.discard();
});

async function start(definition: CollectionDefinition, migrations?: MigrationMode): Promise<Shop> {
  await shop?.stop();
  shop = await startShop("enabled", [definition], {
    settings: { store: place.location },
    definition: { ...(migrations !== undefined && { migrations }) },
  });
  return shop;
}

async function create(on: Shop, ...bodies: readonly JsonObject[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const body of bodies) {
    const made = await on.send("POST", "notes", { body, token: await on.key({ replace: true }) });
    expect(made.status).toBe(201);
    ids.push(text(made.body, "id"));
  }
  return ids;
}

const read = async (on: Shop, id: string | undefined) => {
  const { body } = await on.send("GET", `notes/${id}`, { token: await on.key({ replace: true }) });
  const { _meta, ...members } = body;
  return { members, meta: isJsonObject(_meta) ? _meta : {} };
};

const recorded = async (on: Shop) => (await recordOf(on.store("shop"), after)).migrations;

describe("A server whose realm migrates at the start", () => {
  test("serves every document in its newest form, written once by all of its migrations together", async () => {
    const old = await start(before);
    const [id] = await create(old, { title: "printers", qty: 2 });
    const { meta } = await read(old, id);
    const now = await start(after, "start");
    expect(await read(now, id)).toEqual({
      members: { id, qty: 2, label: { text: "printers" } },
      meta: { ...meta, version: 2, updated_by: "key:migration/0003" },
    });
    expect(await recorded(now)).toEqual([
      expect.objectContaining({ number: "0001", state: "done", done: 1, total: 1, failures: 0 }),
      expect.objectContaining({ number: "0003", state: "done", done: 1, total: 1, failures: 0 }),
    ]);
    const again = await start(after, "start");
    expect((await read(again, id)).meta["version"]).toBe(2);
  });

  test("leaves documents as they are that a migration throws on, or whose result does not fit, and names them", async () => {
    const old = await start(before);
    const [good, bad, short] = await create(old, { title: "good" }, { title: "bad" }, { title: "x" });
    const now = await start(after, "start");
    expect((await read(now, good)).members).toEqual({ id: good, label: { text: "good" } });
    expect(await read(now, bad)).toMatchObject({ members: { title: "bad" }, meta: { version: 1 } });
    expect(await read(now, short)).toMatchObject({ members: { title: "x" }, meta: { version: 1 } });
    for (const entry of await recorded(now)) {
      expect(entry).toMatchObject({ state: "failed", done: 1, total: 3, failures: 2 });
      expect([...entry.failed].sort()).toEqual([bad, short].sort());
    }
  });

  test("is refused where documents are in a later form that has no way back", async () => {
    await create(await start(before), { title: "printers" });
    await start(after, "start");
    await shop?.stop();
    shop = undefined;
    await expect(start(before)).rejects.toThrow("0003-label, which this configuration does not have");
  });

  test("is refused where a migration is new that comes before one that has run", async () => {
    const [id] = await create(await start(before), { title: "printers" });
    const now = await start(after, "start");
    await create(now, { label: { text: "paper" } });
    await shop?.stop();
    shop = undefined;
    const between: MigrationDefinition = { number: "0002", name: "late", forward: (document) => document };
    const late = { ...after, migrations: [rename, between, nest] };
    await expect(start(late, "start")).rejects.toThrow(
      "0002-late of main.notes is new and would come before 0003-label, which has run: documents that it has migrated would be left out; number what is new from 0004 on",
    );
    // Nothing of the refused one stays: the configuration before goes on, and one with the next number is taken.
    const again = await start(
      { ...after, migrations: [rename, nest, { ...between, number: "0004" }] },
      "start",
    );
    expect((await read(again, id)).meta["version"]).toBe(3);
  });

  test("shares the store with documents in a later form that has a way back", async () => {
    const named = { ...after, migrations: [rename], validate: () => true };
    const [id] = await create(await start(before), { title: "printers" });
    await start(named, "start");
    const old = await start(before);
    expect((await read(old, id)).members).toEqual({ id, name: "printers" });
    // What it merged would be taken for a document of its own, and migrated again.
    const merged = await old.send("PATCH", `notes/${id}`, {
      body: { qty: 1 },
      token: await old.key({ replace: true }),
    });
    expect([merged.status, code(merged)]).toEqual([503, "unavailable"]);
    const put = await old.send("PUT", `notes/${id}`, {
      body: { title: "ink" },
      token: await old.key({ replace: true }),
    });
    expect(put.status).toBe(200);
    const again = await start(named, "start");
    const patched = await again.send("PATCH", `notes/${id}`, {
      body: { qty: 1 },
      token: await again.key({ replace: true }),
    });
    expect(patched.body).toMatchObject({ name: "ink", qty: 1 });
  });
});

describe("A server that is yet to migrate", () => {
  test("an import merges into what the migrations make of a document", async () => {
    const [id] = await create(await start(before), { title: "printers" });
    const now = await start(after, "manual");
    const merged = await now.send("POST", "../_admin/data/main/notes/_import", {
      body: { mode: "merge", documents: [{ id: id ?? "", qty: 3 }] },
      token: await now.key({ name: "admin", admin: ["data"] }),
    });
    expect(merged.body).toEqual({ written: 1, replaced: 1, rejected: [] });
    expect((await read(now, id)).members).toEqual({ id, qty: 3, label: { text: "printers" } });
  });

  test("answers with what is stored, and writes to what the migrations make of it", async () => {
    const [id, other] = await create(await start(before), { title: "printers" }, { title: "ink" });
    const now = await start(after, "manual");
    expect((await read(now, id)).members).toEqual({ id, title: "printers" });
    const token = await now.key({ replace: true });
    const patched = await now.send("PATCH", `notes/${id}`, { body: { qty: 3 }, token });
    expect(patched.body).toMatchObject({ label: { text: "printers" }, qty: 3, _meta: { version: 2 } });
    const unfit = await now.send("PATCH", `notes/${id}`, { body: { label: { text: "x" } }, token });
    expect(code(unfit)).toBe("validation_error");
    const batch = { operations: [{ op: "patch", collection: "notes", id: other ?? "", patch: { qty: 4 } }] };
    const done = await now.send("POST", "_batch", { body: batch, token });
    expect([done.status, done.text]).toEqual([200, expect.stringContaining('"label":{"text":"ink"}')]);
    const migrated = await start(after, "start");
    expect((await read(migrated, id)).meta["version"]).toBe(2);
    expect((await recorded(migrated))[0]).toMatchObject({ state: "done", done: 2, total: 2 });
  });
});
