/** `realmc plan --rehearse`: that it finds on a copy what the plan counted, and leaves nothing behind, however it ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../runtime/clock.ts";
import { realmCollections } from "../../runtime/instance/realm.ts";
import { openStores } from "../../runtime/store/engines.ts";
import { type EmbeddedPlace, embeddedPlace } from "../../runtime/store/testing/stores.ts";
import { isFull } from "../../runtime/testing/random.ts";
import { until } from "../../runtime/testing/until.ts";
import { type Sketch, writeRealm } from "../diff/testing/case.ts";
import { analyse } from "../pipeline.ts";
import { loadedRealm } from "../plan/loaded.ts";
import { plan, planned, provision, stored } from "../plan/testing/case.ts";
import { planCases } from "../plan/testing/cases.ts";
import { migrationCases } from "../plan/testing/migration-cases.ts";
import { scratchPlace } from "./scratch.ts";
import { entry } from "./testing/commands.ts";

const text = { type: "string" };
const integer = { type: "integer" };
const was: Sketch = { schema: { type: "object", properties: { name: text, size: text } } };
const steps = "- convert: { field: size, to: integer }\n";
const schema = { type: "object", properties: { name: text, size: integer }, required: ["name"] };
const now: Sketch = { schema, files: { "db/notes/_migrations/0001-size.yaml": steps } };
const code: Sketch = {
  schema,
  files: {
    "db/notes/_migrations/0001-size.ts": `import { migrate } from "realmc/migrations";
import type { From0001 as From, To0001 as To } from "./$types.ts";
export default migrate<From, To>({
  forward: ({ size, ...rest }) => ({ ...rest, name: rest.name ?? "", size: Number.parseInt(size ?? "0", 16) }),
});
`,
    "db/notes/_migrations/0001-size.from.json": JSON.stringify(was.schema),
  },
};
const unique: Sketch = { ...now, indexes: [{ fields: ["name"], unique: true }] };

const documents = {
  "db.notes": Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [
      `n${String(n).padStart(2, "0")}`,
      { ...(n % 8 !== 3 && { name: "x" }), size: n % 5 === 0 ? "wide" : String(n) },
    ]),
  ),
};
const isRefused = (n: number) => n % 8 === 3 || n % 5 === 0;
const refused = Array.from({ length: 40 }, (_, n) => n).filter(isRefused);

/** As in the tests of plans: SQLite makes the index of a log anew whenever somebody reads. */
function hashes(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder).filter((name) => !name.endsWith("-shm"));
  const texts = names.map((name) => [name, readFileSync(join(folder, name))] as const);
  return Object.fromEntries(
    texts.filter(([, bytes]) => bytes.length > 0).map(([name, bytes]) => [name, hash("sha256", bytes)]),
  );
}

describe("realmc plan --rehearse", () => {
  const folder = mkdtempSync(join(tmpdir(), "realmc-rehearse-"));
  const scratch = join(folder, "scratch");
  let place: EmbeddedPlace;
  const rehearse = (config: string, ...words: readonly string[]) =>
    plan(folder, [config, "--store", place.setting, "--rehearse", "--scratch", scratch, ...words]);

  beforeAll(async () => {
    mkdirSync(scratch);
    place = embeddedPlace();
    for (const [name, sketch] of Object.entries({ was, now, code, unique }))
      writeRealm(join(folder, name, "desk"), sketch);
    await provision(place, join(folder, "was"), documents);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await place.discard();
  });

  it("refuses on the copy the documents that the plan counted, and leaves store and scratch folder as they were", async () => {
    const before = hashes(place.setting.slice("sqlite:".length));
    const { code: ended, out, err } = await rehearse("now", "--format", "json");
    expect(ended, err).toBe(0);
    const { findings, rehearsal, exact } = JSON.parse(out);
    const unfit = findings.find(({ kind }: { kind: string }) => kind === "documents-unfit");
    const [desk] = rehearsal.realms;
    expect(exact).toBe(true);
    expect(unfit.count).toBe(refused.length);
    expect(rehearsal).toMatchObject({ agrees: true, differences: [], verify: { misfits: refused.length } });
    expect(desk).toMatchObject({ realm: "desk", seconds: expect.any(Number) });
    expect(desk.bytes.before).toBeGreaterThan(0);
    const [notes] = desk.collections;
    expect(notes).toMatchObject({ collection: "db/notes", migrations: ["0001-size"] });
    expect([notes.written, notes.refused]).toEqual([40 - refused.length, refused.length]);
    expect(notes.failed.map(({ id }: { id: string }) => id)).toEqual(unfit.ids);
    const reasons = notes.reasons.map(({ reason, count }: { reason: string; count: number }) => [
      reason,
      count,
    ]);
    expect(reasons).toEqual([
      [expect.stringContaining("size"), 8],
      ["name is required", refused.length - 8],
    ]);
    expect(hashes(place.setting.slice("sqlite:".length))).toEqual(before);
    expect(readdirSync(scratch)).toEqual([]);
  }, 120_000);

  it("tells in text what became of each collection, and runs migrations in TypeScript as they are deployed", async () => {
    const { code: ended, out, err } = await rehearse("code");
    expect(ended, err).toBe(0);
    expect(out).toMatch(/^rehearsed desk db\/notes 0001-size: 32 documents migrated, 8 refused$/m);
    expect(out).toMatch(/^rehearsed desk: [\d.]+ s, database \d+ bytes before, \d+ after$/m);
    expect(out).toMatch(/^rehearsed in [\d.]+ s: as planned$/m);
    expect(err).toContain("backing up");
  }, 120_000);

  it("rehearses beside a process that has the store open and writes to it", async () => {
    const served = embeddedPlace();
    await provision(served, join(folder, "was"), documents);
    const stores = await openStores({
      ...{ location: served.location, setting: "SVC_STORE", clock: systemClock, queryTime: 5_000 },
      holder: "a server",
    });
    const [desk] = (await analyse(join(folder, "was"))).realms;
    if (desk === undefined) throw new Error("there is a realm");
    const store = await stores.open("desk");
    await store.provision(realmCollections((await loadedRealm(desk)).definition));
    const notes = store.collection("db.notes");
    const ending = new AbortController();
    let written = 0;
    const writing = (async () => {
      for (; !ending.signal.aborted; written += 1) {
        await notes.load([stored(`w${String(written).padStart(6, "0")}`, { size: "wide" })]);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    })();
    try {
      await until(() => expect(written).toBeGreaterThan(10));
      const words = ["now", "--store", served.setting, "--rehearse", "--scratch", scratch];
      const { code: ended, out, err } = await plan(folder, words);
      expect(ended, `${out}${err}`).toBe(0);
      expect(out).toContain("as planned");
    } finally {
      ending.abort();
      await writing;
      await stores.close();
      await served.discard();
    }
  }, 120_000);

  it("says that a server would not start, which the plan says as well: that is no difference", async () => {
    const { code: ended, out } = await rehearse("unique");
    expect(out).toContain("(unique-clash)");
    expect(out).toMatch(/^rehearsed desk: migrations stopped: .*unique index/m);
    expect(out).toMatch(/: as planned$/m);
    expect(ended).toBe(0);
    expect(readdirSync(scratch)).toEqual([]);
  }, 120_000);

  it("exits with 1 and names what the plan does not know: a store that is damaged", async () => {
    const damaged = embeddedPlace();
    await provision(damaged, join(folder, "was"), {
      "db.notes": { a: { name: "x", size: "1" }, b: { name: "x", size: "2", _meta: { version: 7 } } },
    });
    const { code: ended, out } = await plan(folder, [
      ...["was", "--store", damaged.setting, "--rehearse", "--scratch", scratch, "--format", "json"],
    ]);
    const { rehearsal } = JSON.parse(out);
    expect(ended).toBe(1);
    expect(rehearsal.agrees).toBe(false);
    expect(rehearsal.differences).toEqual([expect.objectContaining({ kind: "verify", rehearsed: 1 })]);
    expect(readdirSync(scratch)).toEqual([]);
    await damaged.discard();
  }, 120_000);

  const all = [...Object.entries(migrationCases), ...Object.entries(planCases)];
  const cases = new Map(all.slice(0, isFull ? all.length : 5));

  it.each([...cases])(
    "finds what the plan says of: %s",
    async (_, { words = [], ...change }) => {
      const own = embeddedPlace();
      const asked = { ...change, words: [...words, "--rehearse", "--scratch", scratch] };
      const { code: ended, out, err } = await planned({ ...own, realm: "desk" }, asked);
      expect(out, err).toMatch(/: as planned$/m);
      expect(ended).toBe(0);
      await own.discard();
    },
    120_000,
  );

  it("refuses what it cannot do: MongoDB, a server, a sample, options without it, a folder in the store, nothing to copy", async () => {
    const says = async (words: readonly string[], what: RegExp | string) =>
      expect(await plan(folder, words)).toMatchObject({ code: 2, out: "", err: expect.stringMatching(what) });
    const store = ["now", "--store", place.setting];
    await says(["now", "--store", "mongodb://127.0.0.1:1/x", "--rehearse"], "MongoDB's own tools");
    const url = ["now", "--url", "http://127.0.0.1:1", "--rehearse"];
    expect(await plan(folder, url, { REALMC_KEY: "k" })).toMatchObject({
      ...{ code: 2, err: expect.stringContaining("no server hands out") },
    });
    await says([...store, "--rehearse", "--sample", "3"], "--sample");
    await says([...store, "--scratch", scratch], "--scratch is for --rehearse");
    await says([...store, "--data", scratch], "--data is for --rehearse");
    await says([...store, "--rehearse", "--scratch", join(folder, "gone")], "gone");
    await says(
      [...store, "--rehearse", "--scratch", place.setting.slice("sqlite:".length)],
      "lies in the store",
    );
    const empty = embeddedPlace();
    mkdirSync(empty.setting.slice("sqlite:".length), { recursive: true });
    await says(["now", "--store", empty.setting, "--rehearse"], "nothing to rehearse on");
    await empty.discard();
  });

  it("begins nothing on a disk without room", () => {
    expect(() => scratchPlace(scratch, place.setting.slice("sqlite:".length), 2e6, () => 1e6)).toThrow(
      /needs 2 MB, and .* has 1 MB left: name a folder on another disk with --scratch/,
    );
    expect(scratchPlace(scratch, place.setting.slice("sqlite:".length), 1e6, () => 1e6)).toContain("scratch");
  });

  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)(
    "%s ends it: the copy is gone and the store as it was",
    async (signal) => {
      const before = hashes(place.setting.slice("sqlite:".length));
      const words = ["plan", "now", "--store", place.setting, "--rehearse", "--scratch", scratch];
      const child: ChildProcess = spawn(process.execPath, [entry, ...words], {
        cwd: folder,
        stdio: "ignore",
      });
      const closed = once(child, "close");
      await until(() => expect(readdirSync(scratch)).not.toEqual([]), { limit: 60_000 });
      child.kill(signal);
      const [ended] = await closed;
      expect(ended).toBe({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal]);
      expect(readdirSync(scratch)).toEqual([]);
      expect(hashes(place.setting.slice("sqlite:".length))).toEqual(before);
    },
    120_000,
  );
});
