/** `realmc plan`: exit codes, formats, what it needs, servers, and how it goes on. */
import { hash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createKey } from "../../runtime/auth/command-keys.ts";
import { systemClock } from "../../runtime/clock.ts";
import { startRealm } from "../../runtime/instance/testing/servers.ts";
import { Tallies } from "../../runtime/migrations/tally.ts";
import { openStores } from "../../runtime/store/engines.ts";
import { type EmbeddedPlace, embeddedPlace } from "../../runtime/store/testing/stores.ts";
import { type Sketch, writeRealm } from "../diff/testing/case.ts";
import { emittedRealm } from "../output/plan.ts";
import { analyse } from "../pipeline.ts";
import { loadedRealm } from "../plan/loaded.ts";
import { PlanState } from "../plan/state.ts";
import { plan, provision } from "../plan/testing/case.ts";

const text = { type: "string" };
const was: Sketch = { realm: "auth: enabled\n", schema: { type: "object", properties: { title: text } } };
const narrow: Sketch = {
  ...was,
  schema: { type: "object", properties: { title: text }, required: ["title"] },
};
const indexed: Sketch = { ...was, indexes: [{ fields: ["title"] }] };
const documents = { "db.notes": { a: { title: "x" }, b: {}, c: {} } };

/**
 * Of the files that hold what is stored, by name. SQLite makes the index of a log anew whenever somebody reads, and leaves an
 * empty log beside a file that was only read.
 */
function hashes(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder).filter((name) => !name.endsWith("-shm"));
  const texts = names.map((name) => [name, readFileSync(join(folder, name))] as const);
  return Object.fromEntries(
    texts.filter(([, bytes]) => bytes.length > 0).map(([name, bytes]) => [name, hash("sha256", bytes)]),
  );
}

describe("realmc plan", () => {
  const folder = mkdtempSync(join(tmpdir(), "realmc-cli-plan-"));
  let place: EmbeddedPlace;
  const at = (name: string) => join(folder, name);
  const planned = (config: string, ...words: readonly string[]) =>
    plan(folder, [config, "--store", place.setting, ...words]);

  beforeAll(async () => {
    place = embeddedPlace();
    for (const [name, sketch] of Object.entries({ was, narrow, indexed }))
      writeRealm(at(`${name}/desk`), sketch);
    writeRealm(at("broken/desk"), { ...was, collection: "rules: { read: 'nobody' }\n" });
    await provision(place, at("was"), documents);
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await place.discard();
  });
  beforeEach(() => rmSync(at("cache"), { recursive: true, force: true }));

  it("exits with 0 whatever it finds, and with --check with 1 for anything but what is safe", async () => {
    expect((await planned("narrow")).code).toBe(0);
    expect((await planned("narrow", "--check")).code).toBe(1);
    const { code, out } = await planned("indexed", "--check");
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^safe .* \(index-built\)\n$/) });
    expect(await planned("was", "--check")).toMatchObject({ code: 0, out: "" });
  });

  it("--format json: both fingerprints, the findings with counts, ids and details, and that they are exact", async () => {
    const { out } = await planned("narrow", "--format", "json");
    const made = JSON.parse(out);
    expect(made).toMatchObject({
      ...{ old: expect.stringMatching(/^[0-9a-f]{64}$/), new: expect.stringMatching(/^[0-9a-f]{64}$/) },
      exact: true,
      findings: [
        {
          kind: "documents-unfit",
          severity: "incompatible",
          ...{ realm: "desk", where: "db/notes schema", count: 2, ids: ["b", "c"] },
          details: [{ path: "title", reason: "is required", count: 2 }],
          message: "2 documents do not fit the new schema: title is required (2)",
        },
        { kind: "migration-missing", count: 2, ids: [] },
      ],
    });
    expect(made.old).not.toBe(made.new);
    const none = JSON.parse((await planned("was", "--format", "json")).out);
    expect(none).toEqual({ old: made.old, new: made.old, findings: [], exact: true });
  });

  it("--sample looks at so many documents, and says that it is not exact", async () => {
    const { out } = await planned("narrow", "--sample", "2", "--format", "json");
    expect(JSON.parse(out)).toMatchObject({ exact: false, findings: [{ count: 1, ids: ["b"] }, {}] });
    expect(await planned("narrow", "--sample", "0")).toMatchObject({ code: 2, out: "" });
  });

  it("--old says what was before, in place of what the store recorded", async () => {
    expect(await planned("was", "--old", at("was"))).toMatchObject({ code: 0, out: "" });
    const { out } = await planned("was", "--old", at("indexed"));
    expect(out).toContain("(index-dropped)");
  });

  it("a store that recorded nothing, a folder that is none, a configuration with mistakes, a store out of reach", async () => {
    const bare = embeddedPlace();
    const stores = await openStores({
      ...{ location: bare.location, setting: "SVC_STORE", clock: systemClock, queryTime: 5_000 },
    });
    await (await stores.open("desk")).provision([]);
    await stores.close();
    const unknown = await plan(folder, ["was", "--store", bare.setting]);
    expect(unknown).toMatchObject({
      code: 2,
      err: expect.stringContaining("say with --old what is deployed"),
    });
    await bare.discard();
    expect(await plan(folder, ["was", "--store", bare.setting])).toMatchObject({ code: 2 });
    expect(await plan(folder, ["was"])).toMatchObject({ code: 2, err: expect.stringContaining("--store") });
    expect(await plan(folder, ["nowhere", "--store", place.setting])).toMatchObject({ code: 2 });
    expect(await planned("broken")).toMatchObject({ code: 1, err: expect.stringContaining("has mistakes") });
    const gone = ["--store", "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=50"];
    expect(await plan(folder, ["was", ...gone])).toMatchObject({ code: 3, out: "" });
  });

  it("of a store in which nothing is of the realm there is nothing to say", async () => {
    const empty = embeddedPlace();
    expect(await plan(folder, ["was", "--store", empty.setting, "--check"])).toMatchObject({
      code: 0,
      out: "",
    });
    await empty.discard();
  });

  it("changes nothing in the store, and leaves nothing behind", async () => {
    const before = hashes(place.setting.slice("sqlite:".length));
    await planned("narrow");
    expect(hashes(place.setting.slice("sqlite:".length))).toEqual(before);
    expect(readdirSync(at("cache/realmc"))).toEqual([]);
  });

  it("goes on after what was counted before it was interrupted, and not after what is broken or of another change", async () => {
    const { old, new: now } = JSON.parse((await planned("narrow", "--format", "json")).out);
    const asked = [`sqlite:${place.setting.slice("sqlite:".length)}`, old, now, undefined, undefined];
    const environment = { XDG_CACHE_HOME: at("cache") };
    const interrupt = () => {
      const state = PlanState.open(asked, environment, systemClock.now());
      const tallies = new Tallies();
      tallies.add("unfit", "b", [{ path: "title", reason: "is required" }]);
      const progress = { done: false, after: "b", documents: 2, characters: 200, tallies: tallies.written() };
      state.keep("desk/db/notes", progress, true);
      state.close();
    };
    interrupt();
    const resumed = JSON.parse((await planned("narrow", "--format", "json")).out);
    // What was counted before stands, and what came after is counted once.
    expect(resumed.findings[0]).toMatchObject({ count: 2, ids: ["b", "c"] });
    interrupt();
    const [state = ""] = readdirSync(at("cache/realmc"));
    writeFileSync(join(at("cache/realmc"), state, "state.json"), '{"spills":{"u-x":[900]},"collections":{}}');
    expect(JSON.parse((await planned("narrow", "--format", "json")).out)).toEqual(resumed);
    interrupt();
    expect((await planned("indexed")).out).toContain("built over 3 documents");
    expect(existsSync(join(at("cache/realmc"), state))).toBe(true);
  });

  it("--url asks a running server for its configurations and documents", async () => {
    const served = embeddedPlace();
    const [desk] = (await analyse(at("was"))).realms;
    if (desk === undefined) throw new Error("there is a realm");
    await provision(served, at("was"), documents);
    const files = { ...emittedRealm(desk.realm, []).configuration };
    const server = await startRealm(await loadedRealm(desk), {
      ...{ settings: { store: served.location }, configuration: { realms: { desk: files } } },
    });
    try {
      const key = await createKey(server.store("desk"), server.clock, { name: "admin", admin: true });
      const { out, err, code } = await plan(folder, ["narrow", "--url", server.url], { REALMC_KEY: key });
      expect(code, err).toBe(0);
      expect(out).toBe((await planned("narrow")).out);
      const refused = await plan(folder, ["narrow", "--url", server.url], { REALMC_KEY: "nobody" });
      expect(refused).toMatchObject({ code: 3, out: "" });
      expect(await plan(folder, ["narrow", "--url", server.url])).toMatchObject({ code: 2 });
    } finally {
      await server.stop();
      await served.discard();
    }
  });
});
