import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../clock.ts";
import { search } from "../../../filter/algebra.ts";
import { field } from "../../../filter/fields.ts";
import { textIndex } from "../../../filter/search/index.ts";
import type { TextIndex } from "../../../filter/search/text-index.ts";
import { IndexBuilding } from "../../contract/errors.ts";
import type { Store } from "../../contract/store.ts";
import { fillTexts } from "../../testing/texts.ts";
import { openDatabase } from "../driver.ts";
import { openSqliteStore } from "../store.ts";

let folder: string;
let stores: Store[];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "realmc-text-"));
  stores = [];
});
afterEach(async () => {
  await Promise.all(stores.map((store) => store.close()));
  rmSync(folder, { recursive: true, force: true });
});

const title = field("title", "string");
const tags = field("tags", "string", ["tags"]);
const english = textIndex({ fields: [{ field: title, weight: 1 }], defaultLanguage: "en" });
const german = textIndex({ fields: [{ field: title, weight: 1 }], defaultLanguage: "de" });

async function opened(text: TextIndex | undefined, location = folder) {
  const store = await openSqliteStore({ location, realm: "realm", clock: systemClock, queryTime: 5_000 });
  stores.push(store);
  await store.provision([
    { name: "app.notes", fields: {}, indexes: [], feed: false, ...(text === undefined ? {} : { text }) },
  ]);
  return { store, notes: store.collection("app.notes") };
}
type Notes = Awaited<ReturnType<typeof opened>>["notes"];

test("other weights: what is indexed stays, and is searched at once", async () => {
  const { notes } = await opened(english);
  await insert(notes, 50, "running");
  const heavier = textIndex({ fields: [{ field: title, weight: 7 }], defaultLanguage: "en" });
  const { notes: again } = await opened(heavier);
  const terms = heavier.parse("run", undefined);
  if ("problem" in terms) throw new Error(terms.problem);
  expect(await again.count(search(heavier, terms), "live")).toBe(50);
});

const document = (id: string, body: object, version = 1) => ({
  id,
  version,
  createdAt: 0,
  text: JSON.stringify({ id, ...body }),
});
const insert = (notes: Notes, count: number, text: string) =>
  Promise.all(
    Array.from({ length: count }, (_, n) => notes.insert(document(`${n}`, { title: `${text} ${n}` }))),
  );

function counting(notes: Notes, index: TextIndex, value: string): Promise<number> {
  const terms = index.parse(value, undefined);
  if ("problem" in terms) throw new Error(terms.problem);
  return notes.count(search(index, terms), "all");
}
/** An index whose stemming takes milliseconds, so that a build is many pieces. */
function slow(index: TextIndex): TextIndex & { calls: number } {
  const slowed = {
    ...index,
    calls: 0,
    stems: (document: Parameters<TextIndex["stems"]>[0]) => {
      slowed.calls += 1;
      const end = performance.now() + 1;
      while (performance.now() < end);
      return index.stems(document);
    },
  };
  return slowed;
}

/** What the file says of a build: the row it has come to, and the row it goes to. */
function progress(location = folder): { readonly filled: unknown; readonly goal: unknown } {
  const database = openDatabase(join(location, "realm.sqlite"), { readOnly: true });
  try {
    const row = database.prepare("SELECT filled, goal FROM svc_text").get();
    return { filled: row?.["filled"], goal: row?.["goal"] };
  } finally {
    database.close();
  }
}

test("Full-text search 7: a build goes on where a closed store left it", async () => {
  const { store, notes } = await opened(undefined);
  await insert(notes, 60, "running");
  await store.close();

  const first = slow(english);
  const begun = await opened(first);
  expect(begun.store.unfilledTexts()).toEqual(["app.notes"]);
  expect(await begun.store.fillText("app.notes")).toBe(true);
  await begun.store.close();
  const { filled, goal } = progress();
  expect([Number(filled) > 0, Number(filled) < 60, goal]).toEqual([true, true, 60]);

  const second = slow(english);
  const resumed = await opened(second);
  await expect(counting(resumed.notes, second, "run")).rejects.toBeInstanceOf(IndexBuilding);
  await fillTexts(resumed.store);
  expect(await counting(resumed.notes, second, "run")).toBe(60);
  // The rest, and nothing twice.
  expect(second.calls).toBe(60 - Number(filled));
  expect(progress()).toEqual({ filled: 60, goal: 60 });
});

test("Full-text search 7: a process that dies while it builds loses nothing", async () => {
  const { notes, store } = await opened(english);
  await insert(notes, 60, "running");
  await store.close();

  const begun = await opened(slow(german));
  await begun.notes.replace(1, document("59", { title: "changed" }, 2));
  await begun.store.fillText("app.notes");
  // What a death leaves behind: the files as they are between two commits.
  const dead = mkdtempSync(join(tmpdir(), "realmc-text-dead-"));
  try {
    for (const file of ["realm.sqlite", "realm.sqlite-wal"]) cpSync(join(folder, file), join(dead, file));
    const { filled } = progress(dead);
    expect([Number(filled) > 0, Number(filled) < 60]).toEqual([true, true]);
    const after = await opened(german, dead);
    await fillTexts(after.store);
    expect(await counting(after.notes, german, "running")).toBe(59);
    expect(await counting(after.notes, german, "changed")).toBe(1);
    await after.notes.remove("59", 2);
    expect(await counting(after.notes, german, "changed")).toBe(0);
    await after.store.close();
  } finally {
    rmSync(dead, { recursive: true, force: true });
  }
});

test("Full-text search 7: while an index is built, reads and writes go on between its pieces", async () => {
  const { notes, store } = await opened(undefined);
  await insert(notes, 100, "running");
  await store.close();

  const index = slow(english);
  const begun = await opened(index);
  let [reads, writes] = [0, 0];
  while (await begun.store.fillText("app.notes")) {
    await expect(counting(begun.notes, index, "run")).rejects.toBeInstanceOf(IndexBuilding);
    expect(await begun.notes.get("5", "live")).toBeDefined();
    reads += 1;
    await begun.notes.insert(document(`new ${writes}`, { title: "running" }));
    writes += 1;
  }
  expect(Math.min(reads, writes)).toBeGreaterThan(5);
  expect(await counting(begun.notes, index, "run")).toBe(100 + writes);
});

test("an index that is declared no longer leaves nothing behind", async () => {
  const { notes, store } = await opened(english);
  await notes.insert(document("a", { title: "running" }));
  await store.close();
  const without = await opened(undefined);
  await without.notes.insert(document("b", { title: "running" }));
  await without.store.close();
  const database = openDatabase(join(folder, "realm.sqlite"), { readOnly: true });
  const left = database.prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'svc_text.%'").all();
  database.close();
  expect(left).toEqual([]);
});

test("a write that changes no text costs no stemming", async () => {
  const lang = field("lang", "string");
  const index = slow(
    textIndex({
      fields: [
        { field: title, weight: 2 },
        { field: tags, weight: 1 },
      ],
      defaultLanguage: "en",
      languageField: lang,
    }),
  );
  const { notes } = await opened(index);
  await notes.insert(document("a", { title: "running", tags: ["x"], size: 1 }));
  expect(index.calls).toBe(1);
  await notes.replace(1, document("a", { tags: ["x"], title: "running", size: 2 }, 2));
  expect(index.calls).toBe(1);
  await notes.replace(2, document("a", { title: "running", tags: ["x"], lang: "de", size: 2 }, 3));
  expect(index.calls).toBe(2);
  await notes.replace(3, document("a", { title: "running", tags: ["x", "y"], lang: "de" }, 4));
  expect(index.calls).toBe(3);
  await notes.remove("a", 4);
  expect(index.calls).toBe(3);
});

test("collections whose names look like tables of an index have indexes of their own", async () => {
  const store = await openSqliteStore({
    location: folder,
    realm: "realm",
    clock: systemClock,
    queryTime: 5_000,
  });
  stores.push(store);
  const names = ["app.a", "app.a_data", "app.a_docsize", "app.a-config"];
  await store.provision(names.map((name) => ({ name, fields: {}, indexes: [], feed: false, text: english })));
  for (const name of names) await store.collection(name).insert(document("1", { title: name.slice(4) }));
  expect(await Promise.all(names.map((name) => counting(store.collection(name), english, "a")))).toEqual([
    1, 1, 1, 1,
  ]);
});
