import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { open, readdir, truncate } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../clock.ts";
import { openStores } from "../../store/engines.ts";
import { openSqliteReader } from "../../store/sqlite/beside.ts";
import { readManifest, writeManifest } from "./manifest.ts";
import { writeChanges } from "./pages.ts";
import { BackupPlace, put, some } from "./testing/place.ts";

let place: BackupPlace;
beforeEach(() => {
  place = new BackupPlace();
});
afterEach(() => place.discard());

const written = (out: string) => /(\d+) written; .* (\d+) written/.exec(out)?.slice(1).map(Number);

/** A store with documents and files. */
async function fill(documents = 300): Promise<void> {
  await place.serving(place.store, async (server) => {
    await put(server, place.realm, { title: "a" }, Buffer.from("the same"));
    await put(server, place.realm, { title: "b" }, Buffer.from("the same"));
    await put(server, place.realm, { title: "c" }, some(100_000));
    await server
      .store(place.realm)
      .collection("main.papers")
      .load(
        Array.from({ length: documents }, (_, n) => ({
          ...{ id: `i${n}`, version: 1, createdAt: 0 },
          text: JSON.stringify({ id: `i${n}`, text: "x".repeat(500) }),
        })),
      );
  });
}

describe("backup", () => {
  it("of a running server holds its documents and files, restores to the same, and verifies", async () => {
    await fill();
    const done = await place.serving(place.store, () => place.backUp());
    expect(done).toMatchObject({ code: 0, out: expect.stringContaining("2 files, 100008 bytes") });
    expect(await readManifest(place.backup)).toMatchObject({
      realms: [{ realm: "shop", database: { path: "shop.sqlite" }, files: { contents: 2, total: 100_008 } }],
    });
    expect(await place.verify(place.backup)).toMatchObject({ code: 0 });
    expect(await place.restore("restored")).toMatchObject({
      code: 0,
      err: expect.stringContaining("the backup has no keys"),
    });
    expect(await place.documents(place.path("restored"))).toEqual(await place.documents(place.store));
    expect(place.files(place.path("restored"))).toEqual(place.files(place.store));
    expect(await place.verify(`sqlite:${place.path("restored")}`)).toMatchObject({ code: 0 });
  });

  it("again writes only what changed, and forgets what nothing names", async () => {
    await fill();
    expect(written((await place.backUp()).out)?.[1]).toBe(100_008);
    expect(written((await place.backUp()).out)).toEqual([0, 0]);
    await place.serving(place.store, async (server) => {
      const papers = server.store(place.realm).collection("main.papers");
      await papers.load([{ id: "i7", version: 2, createdAt: 0, text: '{"id":"i7","text":"new"}' }]);
      await put(server, place.realm, { title: "d" }, some(2_000));
      const names = await server.store(place.realm).collection("_svc.blobs").scan(undefined, 9);
      const gone = names.find(({ text }) => text.includes("100000"));
      if (gone === undefined) throw new Error("there is a file of that length");
      const text = gone.text.replace('"refs":1', '"refs":0');
      await server
        .store(place.realm)
        .collection("_svc.blobs")
        .load([{ ...gone, text }]);
    });
    const { bytes } = (await readManifest(place.backup))?.realms[0]?.database ?? {};
    const [pages = 0, files] = written((await place.backUp()).out) ?? [];
    expect(files).toBe(2_000);
    expect(pages).toBeGreaterThan(0);
    expect(pages).toBeLessThan((bytes ?? 0) / 3);
    expect(place.files(place.backup).size).toBe(2);
    await place.restore("restored");
    expect(await place.documents(place.path("restored"))).toEqual(await place.documents(place.store));
  });

  it("is of one moment for all realms", async () => {
    const stores = await openStores({
      ...{ location: { engine: "sqlite", folder: place.store }, setting: "SVC_STORE" },
      ...{ clock: systemClock, queryTime: 5_000 },
    });
    const shape = { name: "app.counts", fields: {}, indexes: [], feed: false } as const;
    const all = ["one", "two"];
    const collections = [];
    for (const realm of all) {
      const store = await stores.open(realm);
      await store.provision([shape]);
      collections.push(store.collection(shape.name));
    }
    const running = { on: true };
    const counting = (async () => {
      // Never is the second one ahead of the first.
      for (let n = 1; running.on; n += 1) {
        for (const counts of collections)
          await counts.load([{ id: "n", version: n, createdAt: 0, text: JSON.stringify({ id: "n", n }) }]);
      }
    })();
    for (let round = 0; round < 3; round += 1) {
      expect(await place.backUp()).toMatchObject({ code: 0 });
      const counts: number[] = [];
      for (const realm of all) {
        const reader = openSqliteReader(place.backup, realm, systemClock);
        const [found] = await reader.scan(shape, undefined, 1);
        counts.push(found?.version ?? 0);
        await reader.close();
      }
      const [first = 0, second = 0] = counts;
      expect(first - second === 0 || first - second === 1).toBe(true);
    }
    running.on = false;
    await counting;
    await stores.close();
  });

  it("tells files that documents name and that are not in the store: exit 1, and all else is there", async () => {
    await fill();
    const [sha256 = ""] = [...place.files(place.store).keys()];
    rmSync(join(place.store, "files/shop", sha256.slice(0, 2), sha256));
    const done = await place.backUp();
    expect(done).toMatchObject({ code: 1, err: expect.stringContaining(`${sha256} is not in the store`) });
    expect(await place.verify(place.backup)).toMatchObject({
      code: 1,
      out: expect.stringMatching(new RegExp(`shop main/papers \\S+: its file ${sha256} is not there`)),
    });
  });

  it("leaves what has a second name as it is, so that cp -al keeps a backup", async () => {
    await fill();
    await place.backUp();
    mkdirSync(place.path("monday"));
    linkSync(join(place.backup, "shop.sqlite"), place.path("monday/shop.sqlite"));
    const before = readFileSync(place.path("monday/shop.sqlite"));
    await place.serving(place.store, (server) => put(server, place.realm, { title: "later" }));
    expect(await place.backUp()).toMatchObject({ code: 0 });
    expect(readFileSync(place.path("monday/shop.sqlite")).equals(before)).toBe(true);
    expect((await readManifest(place.backup))?.realms[0]?.database.path).toBe("shop.2.sqlite");
    expect(existsSync(join(place.backup, "shop.sqlite"))).toBe(false);
    expect(await place.verify(place.backup)).toMatchObject({ code: 0 });
  });

  it("has keys only where they are asked for", async () => {
    await fill();
    writeFileSync(join(place.store, "keys"), "secret\n");
    await place.backUp();
    expect(await readdir(place.backup)).not.toContain("keys.1");
    await place.backUp("--include-keys");
    expect(await place.restore("restored")).toMatchObject({
      code: 0,
      err: expect.not.stringContaining("no keys"),
    });
    expect(readFileSync(place.path("restored/keys"), "utf8")).toBe("secret\n");
    expect(statSync(place.path("restored/keys")).mode & 0o777).toBe(0o600);
    rmSync(join(place.store, "keys"));
    expect(await place.backUp("--include-keys")).toMatchObject({ code: 2 });
  });

  it("refuses folders that are no backup of this store, and leaves them as they are", async () => {
    await fill(1);
    mkdirSync(place.backup);
    writeFileSync(join(place.backup, "letter.txt"), "dear");
    expect(await place.backUp()).toMatchObject({ code: 2, err: expect.stringContaining("is not empty") });
    expect(await readdir(place.backup)).toEqual(["letter.txt"]);
    rmSync(join(place.backup, "letter.txt"));
    await place.backUp();
    expect(await place.backUp("--realm", "shop")).toMatchObject({
      code: 2,
      err: expect.stringContaining("holds a backup of sqlite:"),
    });
    const inside = ["backup", "--store", `sqlite:${place.store}`, "--to", join(place.store, "backup")];
    expect(await place.run(...inside)).toMatchObject({
      code: 2,
      err: expect.stringContaining("lies in the store"),
    });
    expect(await place.backUp("--realm", "other")).toMatchObject({ code: 2 });
  });
});

describe("a backup that was cut short", () => {
  it("while changed pages were put into their copy is whole: it verifies, restores, and is ended by the next", async () => {
    await fill();
    await place.backUp();
    const [former, copy] = [place.path("former.sqlite"), join(place.backup, "shop.sqlite")];
    copyFileSync(copy, former);
    await place.serving(place.store, async (server) => {
      const papers = server.store(place.realm).collection("main.papers");
      const text = (id: string) => JSON.stringify({ id, text: `other ${id}` });
      const ids = Array.from({ length: 100 }, (_, n) => `i${n * 2}`);
      await papers.load(ids.map((id) => ({ id, version: 2, createdAt: 0, text: text(id) })));
    });
    await place.backUp();
    const manifest = await readManifest(place.backup);
    const [realm] = manifest?.realms ?? [];
    if (manifest === undefined || realm === undefined) throw new Error("there is a backup");
    // As it was when its manifest was there, and the first of the pages were.
    const [now, before] = [await open(copy, "r"), await open(former, "r+")];
    const source = { ...realm.database, pageSize: realm.database.page_size, file: now, realm: "shop" };
    const changed = await writeChanges(source, before, join(place.backup, "shop.2.changes"), () => undefined);
    expect(changed.changes?.bytes).toBeGreaterThan(50_000);
    const half = Buffer.alloc(Math.floor(realm.database.bytes / 2));
    await now.read(half, 0, half.length, 0);
    await before.write(half, 0, half.length, 0);
    await now.close();
    await before.close();
    const between = async () => {
      copyFileSync(former, copy);
      const changes = changed.changes;
      await writeManifest(place.backup, {
        ...manifest,
        realms: [{ ...realm, database: { ...realm.database, changes } }],
      });
    };
    copyFileSync(join(place.backup, "shop.2.changes"), place.path("changes"));

    await between();
    expect(await place.restore("restored")).toMatchObject({ code: 0 });
    expect(await place.documents(place.path("restored"))).toEqual(await place.documents(place.store));
    expect(await place.verify(place.backup)).toMatchObject({ code: 0 });
    expect(await readdir(place.backup)).not.toContain("shop.2.changes");

    copyFileSync(place.path("changes"), join(place.backup, "shop.2.changes"));
    await between();
    expect(await place.backUp()).toMatchObject({ code: 0 });
    expect(await place.verify(place.backup)).toMatchObject({ code: 0 });
  });

  it("before anything was whole has nothing to restore, says so, and goes on", async () => {
    await fill();
    await writeFirst();
    expect(await place.restore("restored")).toMatchObject({
      code: 2,
      err: expect.stringContaining("has not come to its end"),
    });
    expect(await place.verify(place.backup)).toMatchObject({ code: 2 });
    expect(await place.backUp()).toMatchObject({ code: 0 });
    expect(await place.verify(place.backup)).toMatchObject({ code: 0 });
  });

  async function writeFirst(): Promise<void> {
    mkdirSync(place.backup);
    const store = `sqlite:${place.store}`;
    const begun = {
      format: 1,
      generation: 0,
      store,
      only: null,
      fingerprint: "f",
      taken_at: null,
      realms: [],
    } as const;
    await writeManifest(place.backup, begun);
    writeFileSync(join(place.backup, "shop.sqlite"), "half of it");
  }
});

describe("restore", () => {
  it("goes into an empty folder alone", async () => {
    await fill(1);
    await place.backUp();
    expect(await place.restore("store")).toMatchObject({
      code: 2,
      err: expect.stringContaining("is not empty"),
    });
    expect(await place.restore("restored", "--realm", "other")).toMatchObject({ code: 2 });
  });

  it.each(["shop.sqlite", "shop.1.files.ndjson", "a file"])(
    "takes nothing that is damaged: %s",
    async (what) => {
      await fill();
      await place.backUp();
      const [sha256 = ""] = [...place.files(place.backup).keys()];
      const path = join(
        place.backup,
        what === "a file" ? join("files/shop", sha256.slice(0, 2), sha256) : what,
      );
      const bytes = readFileSync(path);
      bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      writeFileSync(path, bytes);
      const done = await place.restore("restored");
      expect(done).toMatchObject({ code: 1, err: expect.stringContaining("the backup is damaged") });
      expect(await place.verify(place.backup)).toMatchObject({ code: 1 });
      await truncate(path, 3);
      expect(await place.verify(place.backup)).toMatchObject({ code: 1 });
      rmSync(path);
      expect(await place.verify(place.backup)).toMatchObject({ code: 1 });
    },
  );

  it("that was cut short keeps servers out until the same command has ended it", async () => {
    await fill();
    await place.backUp();
    const [sha256 = ""] = [...place.files(place.backup).keys()];
    const path = join(place.backup, "files/shop", sha256.slice(0, 2), sha256);
    const bytes = readFileSync(path);
    rmSync(path);
    expect(await place.restore("restored")).toMatchObject({ code: 1 });
    const folder = place.path("restored");
    await expect(place.serving(folder, async () => undefined)).rejects.toThrow(/is not whole: a restore/);
    expect(await place.verify(`sqlite:${folder}`)).toMatchObject({
      code: 1,
      err: expect.stringContaining("is not whole"),
    });
    expect(await place.restore("restored", "--realm", "shop")).toMatchObject({
      code: 2,
      err: expect.stringContaining("holds an unfinished restore"),
    });
    writeFileSync(path, bytes);
    expect(await place.restore("restored")).toMatchObject({ code: 0 });
    expect(await place.verify(`sqlite:${folder}`)).toMatchObject({ code: 0 });
  });
});
