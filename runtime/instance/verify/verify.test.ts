import { randomBytes } from "node:crypto";
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../clock.ts";
import { documentFields, field } from "../../filter/fields.ts";
import type { RealmModule } from "../../realm/exchange.ts";
import type { Validator } from "../../realm/validator.ts";
import { openDatabase } from "../../store/sqlite/driver.ts";
import { openSqliteStore } from "../../store/sqlite/store.ts";
import { realmCollections } from "../realm.ts";
import { commandOf, dataModule, kept } from "../transfer/testing/shop.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "realmc-verify-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** `main/items` with a unique index, one over an array, and texts; a price below zero does not fit. */
function shop(): RealmModule {
  const { definition, ...rest } = dataModule("shop");
  const [items, ...others] = definition.collections;
  if (items === undefined) throw new Error("there are items");
  const tags = field("tags", "string", ["tags"]);
  const indexes = [
    ...items.indexes,
    { name: "tags", keys: [{ field: tags, descending: false }], unique: false },
  ];
  const validate: Validator = (body) => {
    const fits = !`${JSON.stringify(body)}`.includes('"price":-');
    const error = { instancePath: "/price", keyword: "minimum", params: {}, message: "must be >= 0" };
    validate.errors = fits ? null : [error];
    return fits;
  };
  const fields = { ...documentFields, ...items.fields, tags };
  return {
    ...rest,
    definition: { ...definition, collections: [{ ...items, fields, indexes, validate }, ...others] },
  };
}

async function fill(): Promise<void> {
  const options = { location: folder, realm: "shop", clock: systemClock, queryTime: 5_000 };
  const store = await openSqliteStore(options);
  await store.provision(realmCollections(shop().definition));
  const bodies = Array.from({ length: 300 }, (_, n) => ({
    sku: `s${n}`,
    price: n,
    title: `title ${n}`,
    tags: [`t${n}`],
  }));
  await store.collection("main.items").load(bodies.map((body, n) => kept(`i${n}`, body)));
  while (await store.fillText("main.items"));
  await store.close();
}

/** Works past the server. */
function tamper(...statements: readonly string[]): void {
  const database = openDatabase(join(folder, "shop.sqlite"), { readOnly: false });
  // Triggers of text indexes ask for it, whatever is written.
  database.function("svc_stems", (_collection: unknown, _document: unknown) => "[]");
  for (const statement of statements) database.exec(statement);
  database.close();
}

/** Harms the entry of `i250` under the unique index. */
function loseEntry(): void {
  // Its key there, which no quotation mark stands before as in the document.
  const path = join(folder, "shop.sqlite");
  const bytes = readFileSync(path);
  let at = bytes.indexOf("s250");
  while (bytes[at - 1] === '"'.charCodeAt(0)) at = bytes.indexOf("s250", at + 1);
  bytes.write("s25x", at);
  writeFileSync(path, bytes);
}

const verify = (...words: readonly string[]) => commandOf([shop()], ["verify", `sqlite:${folder}`, ...words]);

describe("verify", () => {
  it("finds nothing in a store that is well, and says what it has looked at", async () => {
    await fill();
    const { code, out } = await verify();
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(
        /^shop: 300 documents in \d+ collections, 0 files\nsqlite:.*: nothing is wrong\n$/,
      ),
    ]);
  });

  it("names a document that does not fit its schema, and one that says otherwise beside its text", async () => {
    await fill();
    tamper(
      `UPDATE "c.main.items" SET doc = replace(doc, '"price":7,', '"price":-7,') WHERE id = 'i7'`,
      `UPDATE "c.main.items" SET version = 5 WHERE id = 'i8'`,
    );
    const { code, out } = await verify("--format", "json");
    const { findings, count } = JSON.parse(out);
    expect(code).toBe(1);
    expect(count).toBe(2);
    expect(findings).toEqual([
      { realm: "shop", collection: "main/items", id: "i7", reason: expect.any(String) },
      { realm: "shop", collection: "main/items", id: "i8", reason: "_meta.version is 1, and 5 beside it" },
    ]);
  });

  it("names documents whose entries under indexes are not theirs", async () => {
    await fill();
    tamper(
      `DELETE FROM "svc_values.main.items.tags" WHERE value = 't3'`,
      `INSERT INTO "svc_values.main.items.tags" SELECT 'other', seq FROM "c.main.items" WHERE id = 'i4'`,
      `DELETE FROM "svc_text.main.items." WHERE rowid = (SELECT seq FROM "c.main.items" WHERE id = 'i5')`,
    );
    const { code, out } = await verify();
    expect(code).toBe(1);
    expect(out).toContain("shop main/items i3: the index over tags has other values\n");
    expect(out).toContain("shop main/items i4: the index over tags has other values\n");
    expect(out).toContain("shop main/items i5: the text index does not have it\n");
    expect(out).toContain(": 3 findings\n");
  });

  it("names a row that an index of the engine lacks", async () => {
    await fill();
    loseEntry();
    const { code, out } = await verify();
    expect(code).toBe(1);
    expect(out).toMatch(/shop main\/items i250: row \d+ missing from index svc_index.main.items.sku/);
  });

  it("a backup is read back at once, so that what the engine finds wrong is told by it; not with --no-verify", async () => {
    await fill();
    const to = mkdtempSync(join(tmpdir(), "realmc-verify-backup-"));
    const backup = (...words: readonly string[]) =>
      commandOf([shop()], ["backup", `--store=sqlite:${folder}`, `--to=${to}`, ...words]);
    expect(JSON.parse((await backup("--format=json")).out)).toMatchObject({ verified: true });
    loseEntry();
    const missing = /shop main\/items i250: row \d+ missing from index svc_index.main.items.sku/;
    const told = await backup("--format=json");
    expect([told.code, JSON.parse(told.out).verified, told.err]).toEqual([
      1,
      false,
      expect.stringMatching(missing),
    ]);
    const untold = await backup("--no-verify", "--format=json");
    expect([untold.code, JSON.parse(untold.out).verified]).toEqual([0, null]);
    rmSync(to, { recursive: true, force: true });
  });

  it("tells pages that cannot be read, and what is no database", async () => {
    await fill();
    const path = join(folder, "shop.sqlite");
    const database = openDatabase(path, { readOnly: false });
    const size = Number(database.prepare("PRAGMA page_size").get()?.["page_size"]);
    database.close();
    const file = openSync(path, "r+");
    const pages = statSync(path).size / size;
    for (let page = 8; page < pages; page += 3) writeSync(file, randomBytes(size), 0, size, page * size);
    closeSync(file);
    expect(await verify()).toMatchObject({ code: 1, out: expect.stringContaining("shop") });
    writeFileSync(path, "this is no database, however long it may be, and whatever else it says".repeat(99));
    expect(await verify()).toMatchObject({ code: 1, out: expect.stringContaining("cannot be read") });
  });

  it("wrong words are 2, and so is what is neither a store nor a backup", async () => {
    await fill();
    expect(await commandOf([shop()], ["verify"])).toMatchObject({ code: 2 });
    expect(await commandOf([shop()], ["verify", folder])).toMatchObject({
      code: 2,
      err: expect.stringContaining("there is no backup in"),
    });
    expect(await commandOf([shop()], ["verify", `sqlite:${folder}/none`])).toMatchObject({ code: 2 });
    expect(await verify("--format", "xml")).toMatchObject({ code: 2 });
  });
});
