import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import { documentFields, field } from "../filter/fields.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import type { RealmModule } from "../realm/exchange.ts";
import type { MigrationDefinition } from "../realm/migrations.ts";
import type { DocumentWrite } from "../store/contract/document.ts";
import type { Store } from "../store/contract/store.ts";
import { openStores } from "../store/engines.ts";
import { type ProcessPlace, processPlace } from "../store/testing/stores.ts";
import { run } from "./main.ts";
import { realmCollections } from "./realm.ts";
import { shopModule, uniqueSku } from "./testing/fixture.ts";

const upper: MigrationDefinition = {
  number: "0001",
  name: "upper",
  forward: ({ sku, ...rest }) => ({ ...rest, sku: String(sku).toUpperCase() }),
  back: ({ sku, ...rest }) => ({ ...rest, sku: String(sku).toLowerCase() }),
};
const price: MigrationDefinition = {
  number: "0002",
  name: "price",
  forward: (document) => ({ ...document, price: 1 }),
};

let place: ProcessPlace;
beforeEach(() => {
  place = processPlace();
});
afterEach(() => place.discard());

function moduleOf(migrations: readonly MigrationDefinition[] = [], more: Partial<CollectionDefinition> = {}) {
  const { definition, ...rest } = shopModule({ realm: place.realm, indexes: [uniqueSku] });
  const fields = { ...documentFields, sku: field("sku", "string") };
  const collections = definition.collections.map((items): CollectionDefinition => {
    return { ...items, fields, ...(migrations.length > 0 && { migrations }), ...more };
  });
  return { ...rest, definition: { ...definition, collections } };
}

function written(id: string, body: JsonObject, more: Partial<DocumentWrite> = {}): DocumentWrite {
  const meta = { created_at: "2026-01-01T00:00:00.000Z", updated_at: "2026-01-01T00:00:00.000Z", version: 1 };
  const text = JSON.stringify({ id, ...body, _meta: meta });
  return { id, version: 1, text, createdAt: Date.parse(meta.created_at), ...more };
}

async function opened<T>(module: RealmModule, work: (store: Store) => Promise<T>): Promise<T> {
  const { location } = place;
  const stores = await openStores({ location, setting: "a place", clock: systemClock, queryTime: 5_000 });
  try {
    const store = await stores.open(place.realm);
    await store.provision(realmCollections(module.definition));
    return await work(store);
  } finally {
    await stores.close();
  }
}

const fill = (...documents: readonly DocumentWrite[]) =>
  opened(moduleOf(), (store) => store.collection("main.items").load(documents));

/** What is stored, by id: its own members and its version. */
const stored = () =>
  opened(moduleOf(), async (store) => {
    const all = await store.collection("main.items").scan(undefined, 10_000);
    return Object.fromEntries(
      all.map(({ id, text, version }) => {
        const { id: _, _meta, ...members }: JsonObject = JSON.parse(text);
        expect(isJsonObject(_meta) && _meta["version"]).toBe(version);
        expect(isJsonObject(_meta) && _meta["updated_at"]).toBe("2026-01-01T00:00:00.000Z");
        return [id, [members, version]];
      }),
    );
  });

async function migrate(module: RealmModule, ...words: readonly string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const program = { fingerprint: "f", realms: [module] };
  const code = await run(program, ["migrate", "--store", place.setting, ...words], {
    environment: {},
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  });
  return { code, out: out.join("\n"), err: err.join("\n") };
}

describe("migrate", () => {
  test("writes each document once, whatever the number of migrations, and nothing when run again", async () => {
    const many = Array.from({ length: 1_000 }, (_, at) => written(`n${at}`, { sku: `s${at}` }));
    await fill(...many);
    const module = moduleOf([upper, price]);
    const line = `${place.realm} main/items: 0001-upper, 0002-price: 1000 of 1000 documents, 0 refused`;
    expect(await migrate(module)).toMatchObject({ code: 0, out: line });
    expect(await migrate(module)).toMatchObject({ code: 0, out: line });
    const after = await stored();
    expect(Object.keys(after)).toHaveLength(1_000);
    for (const { id } of many) expect(after[id]).toEqual([{ sku: `S${id.slice(1)}`, price: 1 }, 2]);
  });

  test("a dry run writes nothing and shows what would become of the first documents", async () => {
    await fill(written("a", { sku: "x" }), written("b", { sku: "y", kept: true }));
    const { code, out } = await migrate(moduleOf([upper, price]), "--dry-run");
    expect([code, out.replaceAll(place.realm, "shop")]).toEqual([
      0,
      [
        "shop main/items a",
        '  - sku: "x"',
        '  + sku: "X"',
        "  + price: 1",
        "shop main/items b",
        '  - sku: "y"',
        '  + sku: "Y"',
        "  + price: 1",
        "shop main/items: 0001-upper, 0002-price: 2 of 2 documents would be migrated, 0 refused",
      ].join("\n"),
    ]);
    expect(await stored()).toEqual({ a: [{ sku: "x" }, 1], b: [{ sku: "y", kept: true }, 1] });
  });

  test("--back undoes the migrations after one, and the others can be done again", async () => {
    await fill(written("a", { sku: "x" }));
    const module = moduleOf([upper]);
    await migrate(module);
    expect(await migrate(module, "--back", "0000")).toMatchObject({ code: 0 });
    expect(await stored()).toEqual({ a: [{ sku: "x" }, 3] });
    expect(await migrate(module)).toMatchObject({ code: 0 });
    expect(await stored()).toEqual({ a: [{ sku: "X" }, 4] });
  });

  test("--back is refused where a migration has no way back, and for a number that is none", async () => {
    const module = moduleOf([upper, price]);
    const refused = await migrate(module, "--back", "0001");
    expect([refused.code, refused.err]).toEqual([2, expect.stringContaining("0002-price has no way back")]);
    for (const given of ["7", "0009", "one"]) expect((await migrate(module, "--back", given)).code).toBe(2);
    expect((await migrate(module, "--rate", "fast")).code).toBe(2);
  });

  test("a document that would clash under a unique index is left as it is; others of its batch are not", async () => {
    await fill(written("a", { sku: "x" }), written("b", { sku: "X" }), written("c", { sku: "y" }));
    const { code, out, err } = await migrate(moduleOf([upper]));
    expect([code, out]).toEqual([1, expect.stringContaining("2 of 3 documents, 1 refused")]);
    expect(err).toContain(" a: unique index sku violated");
    expect(await stored()).toEqual({ a: [{ sku: "x" }, 1], b: [{ sku: "X" }, 2], c: [{ sku: "Y" }, 2] });
    await opened(moduleOf(), (store) =>
      store
        .collection("main.items")
        .remove("b")
        .then(() => undefined),
    );
    expect(await migrate(moduleOf([upper]))).toMatchObject({ code: 0 });
    expect((await stored())["a"]).toEqual([{ sku: "X" }, 2]);
  });

  test("--strict ends at a document that does not fit; a dry run says so before", async () => {
    const many = Array.from({ length: 900 }, (_, at) => written(`n${1_000 + at}`, { sku: `s${at}` }));
    await fill(written("a", { sku: "bad" }), ...many);
    const picky: MigrationDefinition = {
      ...upper,
      forward(document) {
        if (document["sku"] === "bad") throw new Error("no bad ones");
        return upper.forward(document, { id: "" });
      },
    };
    const dry = await migrate(moduleOf([picky]), "--dry-run", "--strict", "--format", "json");
    expect([dry.code, JSON.parse(dry.out)]).toMatchObject([
      1,
      {
        collections: [
          { refused: 1, failed: [{ id: "a", reason: "migration 0001-upper throws: no bad ones" }] },
        ],
      },
    ]);
    expect((await migrate(moduleOf([picky]), "--strict")).code).toBe(1);
    expect((await stored())["n1000"]).toEqual([{ sku: "s0" }, 1]);
    expect((await stored())["n1899"]).toEqual([{ sku: "s899" }, 1]);
    expect((await migrate(moduleOf([picky]))).code).toBe(1);
    expect((await stored())["n1899"]).toEqual([{ sku: "S899" }, 2]);
  });

  test("--strict writes what comes before the document, and nothing after it, also where an index refuses it", async () => {
    await fill(...["w", "x", "X", "y"].map((sku, at) => written(`n${at}`, { sku })));
    const { code, out, err } = await migrate(moduleOf([upper]), "--strict");
    expect([code, out]).toEqual([1, expect.stringContaining("1 of 4 documents, 1 refused")]);
    expect(err).toContain(" n1: unique index sku violated");
    const after = await stored();
    expect(after["n0"]).toEqual([{ sku: "W" }, 2]);
    expect([after["n1"], after["n3"]]).toEqual([
      [{ sku: "x" }, 1],
      [{ sku: "y" }, 1],
    ]);
  });

  test("a dry run counts what would be written: nothing where all is migrated", async () => {
    await fill(written("a", { sku: "x" }), written("b", { sku: "y" }));
    await migrate(moduleOf([upper]));
    const all = await migrate(moduleOf([upper]), "--dry-run", "--format", "json");
    expect(JSON.parse(all.out)).toMatchObject({ collections: [{ writes: 0, done: 2, total: 2 }] });
    const { out } = await migrate(moduleOf([upper, price]), "--dry-run");
    expect(out).toContain(": 2 of 2 documents would be migrated, 0 refused");
  });

  test("deleted documents are migrated too, and stay deleted", async () => {
    const deletedAt = Date.UTC(2026, 0, 2);
    const deleted = written("a", { sku: "x" });
    const text = deleted.text.replace('"version":1', '"version":1,"deleted_at":"2026-01-02T00:00:00.000Z"');
    await fill({ ...deleted, text, deletedAt });
    expect(await migrate(moduleOf([upper]))).toMatchObject({ code: 0 });
    const [found] = await opened(moduleOf(), (store) => store.collection("main.items").scan(undefined, 10));
    expect(found).toMatchObject({ deletedAt, version: 2, text: expect.stringContaining('"sku":"X"') });
  });
});
