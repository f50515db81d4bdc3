import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { programOf } from "../../../scripts/program.ts";
import { createKey } from "../../auth/command-keys.ts";
import { systemClock } from "../../clock.ts";
import { consumerShape } from "../../feed/consumer-position.ts";
import { documentFields, field } from "../../filter/fields.ts";
import { textIndex } from "../../filter/search/index.ts";
import { beginTriggers } from "../../functions/events/following.ts";
import { event } from "../../functions/testing/shop.ts";
import { silent } from "../../http/testing/server.ts";
import { idGenerator } from "../../ids.ts";
import { findJob, queueJob } from "../../jobs/queue.ts";
import type { JsonObject } from "../../json.ts";
import type { RealmModule } from "../../realm/exchange.ts";
import { recordConfiguration, recordedConfigurations } from "../../realm/recorded.ts";
import type { DocumentWrite } from "../../store/contract/document.ts";
import { UniqueViolation } from "../../store/contract/errors.ts";
import type { Store } from "../../store/contract/store.ts";
import { openStores, type Stores } from "../../store/engines.ts";
import { describeLocation, type StoreLocation } from "../../store/location.ts";
import {
  type EmbeddedPlace,
  embeddedPlace,
  type ProcessPlace,
  processPlace,
} from "../../store/testing/stores.ts";
import { searching } from "../../store/testing/suite/notes.ts";
import { until } from "../../testing/until.ts";
import { run } from "../main.ts";
import { realmCollections } from "../realm.ts";
import { shopModule } from "../testing/fixture.ts";
import { manySignups, startRealm } from "../testing/servers.ts";
import { copyRealm } from "./copy.ts";
import { TargetRefused } from "./mark.ts";

const fields = {
  ...documentFields,
  sku: field("sku", "string"),
  due_at: field("due_at", "date-time"),
  day: field("day", "date"),
  title: field("title", "string"),
};

const text = textIndex({ fields: [{ field: fields.title, weight: 3 }], defaultLanguage: "en" });

/** Everything that engines keep beside or otherwise than text: dates, text indexes, unique values, accounts. */
function moduleOf(realm: string): RealmModule {
  const plain = shopModule({ realm });
  const collections = plain.definition.collections.map((items) => ({
    ...items,
    fields,
    indexes: [{ name: "sku", keys: [{ field: fields.sku, descending: false }], unique: true }],
    text,
    softDelete: { retention: 1_000 },
  }));
  const accounts = {
    signup: "open",
    signupLimit: manySignups,
    roles: [],
    defaultRoles: [],
    sessionLifetime: 1_000,
    sessionIdleTimeout: 1_000,
    adminIdleTimeout: 1_000,
    adminMaxLifetime: 1_000,
    readAccess: [],
  } as const;
  return { ...plain, definition: { ...plain.definition, collections, accounts } };
}

const time = Date.UTC(2026, 2, 1, 10);
const soon = Date.UTC(2100, 0, 1);

function written(id: string, body: JsonObject, more: Partial<DocumentWrite> = {}): DocumentWrite {
  const instant = (at: number | undefined) => at && new Date(at).toISOString();
  const { version = 1, createdAt = time, deletedAt, purgeAt } = more;
  const meta = {
    owner: "u1",
    created_at: instant(createdAt),
    updated_at: instant(createdAt),
    ...(version > 0 && { version }),
    deleted_at: instant(deletedAt),
    purge_at: instant(purgeAt),
  };
  return { ...more, id, version, createdAt, text: JSON.stringify({ id, ...body, _meta: meta }) };
}

const documents: readonly DocumentWrite[] = [
  written("plain", {
    sku: "A",
    title: "Printers on fire",
    z: 1,
    a: { c: [1.5, -0.25, 1e300, null], b: "é😀" },
  }),
  written("dates", { sku: "B", due_at: "2026-03-01T10:00:00.000Z", day: "2026-02-28" }),
  written("older", { due_at: "tomorrow", day: 7, title: ["no", "text"] }, { version: 0 }),
  written("deleted", { sku: "A" }, { version: 4, deletedAt: time + 5 }),
  written("going", { sku: "A" }, { version: 2, deletedAt: time + 5, purgeAt: soon }),
  written("hostile", JSON.parse('{ "__proto__": 1, "it\'s": { "0": [] }, "constructor": "x" }')),
];

let from: EmbeddedPlace;
let to: ProcessPlace;
let back: EmbeddedPlace;
let opened: Stores[];
beforeEach(() => {
  [from, to, back] = [embeddedPlace(), processPlace(), embeddedPlace()];
  opened = [];
});
afterEach(async () => {
  for (const stores of opened) await stores.close();
  for (const place of [from, to, back]) await place.discard();
});

/** The realm's store at a place, provisioned. */
async function storeAt({ location }: { readonly location: StoreLocation }, module = moduleOf(to.realm)) {
  const stores = await openStores({ location, setting: "a place", clock: systemClock, queryTime: 5_000 });
  opened.push(stores);
  const store = await stores.open(to.realm);
  await store.provision(realmCollections(module.definition));
  return { store, items: store.collection("main.items"), close: () => stores.close() };
}

async function fill(count = 0): Promise<void> {
  const { store, items, close } = await storeAt(from);
  await items.load(documents);
  const more = Array.from({ length: count }, (_, at) => written(`n${at}`, { title: `number ${at}` }));
  await items.load(more);
  await createKey(store, systemClock, { name: "ops", admin: true });
  await close();
}

async function contents(store: Store): Promise<readonly (readonly [string, readonly DocumentWrite[]])[]> {
  const names = realmCollections(moduleOf(to.realm).definition).map(({ name }) => name);
  return Promise.all(
    names.map(async (name) => [name, await store.collection(name).scan(undefined, 10_000)] as const),
  );
}

async function command(...words: readonly string[]) {
  return commandIn({}, ...words);
}

async function commandIn(environment: Record<string, string>, ...words: readonly string[]) {
  const out: string[] = [];
  const err: string[] = [];
  const program = { fingerprint: "f", realms: [moduleOf(to.realm)] };
  const code = await run(program, ["copy", ...words], {
    environment,
    out: (line) => out.push(line),
    err: (line) => err.push(line),
  });
  return { code, out, err: err.join("\n") };
}

const there = () => command("--from", from.setting, "--to", to.setting);

describe("copy", () => {
  it("moves everything to the other store and back, the same to the byte", async () => {
    await fill();
    const forth = await there();
    expect(forth).toMatchObject({ code: 0 });
    const again = await command("--from", to.setting, "--to", back.setting);
    expect(again).toMatchObject({ code: 0 });
    const [before, after] = [await storeAt(from), await storeAt(back)];
    expect(await contents(after.store)).toEqual(await contents(before.store));
    expect((await after.items.scan(undefined, 100)).map(({ text }) => text)).toEqual(
      expect.arrayContaining(documents.map(({ text }) => text)),
    );
  });

  it("leaves behind who follows the changes of a store: triggers are told nothing of what was copied", async () => {
    const { definition, ...module } = moduleOf(to.realm);
    const trigger = { database: "main", collection: "items", on: ["create"] as const };
    const told = {
      ...module,
      definition: { ...definition, functions: [event("told", { triggers: [trigger] })] },
    };
    for (const place of [from, to]) {
      const { store, items, close } = await storeAt(place, told);
      await beginTriggers({ definition: told.definition, store, clock: systemClock });
      if (place === from) await items.load(documents);
      await close();
    }
    const words = ["copy", "--from", from.setting, "--to", to.setting];
    const program = { fingerprint: "f", realms: [told] };
    const err: string[] = [];
    const code = await run(program, words, {
      environment: {},
      out: () => undefined,
      err: (line) => err.push(line),
    });
    expect([code, err.join("\n")]).toEqual([0, expect.stringContaining("both are the same")]);
    const { store } = await storeAt(to, told);
    expect(await store.collection(consumerShape.name).scan(undefined, 10)).toEqual([]);
  });

  it("says how much it copied, and by which hash both sides are the same", async () => {
    await fill();
    const { out, err } = await there();
    expect(out).toContainEqual(
      expect.stringMatching(new RegExp(`^${to.realm} main\\.items: 6 documents, sha256 [0-9a-f]{64}$`)),
    );
    expect(out).toContainEqual(expect.stringMatching(/_svc\.keys: 1 documents/));
    expect(err).toContain(`from ${from.setting} to ${describeLocation(to.location)}`);
    expect(err).toContain("both are the same");
    expect((await command("--from", to.setting, "--to", back.setting)).out).toEqual(out);
  });

  it("leaves a store as a server would have: texts are found, unique values taken, versions known", async () => {
    await fill();
    await there();
    const { items } = await storeAt(to);
    expect(await items.count(searching(text, "printer"), "live")).toBe(1);
    await expect(items.insert(written("new", { sku: "B" }))).rejects.toThrow(UniqueViolation);
    await items.insert(written("new", { sku: "C" }));
    expect(await items.replace(4, written("deleted", {}, { version: 5 }))).toBe(true);
  });

  it("killed in the middle, goes on where it was", async () => {
    await fill(1_100);
    const words = [
      await programOf("runtime/instance/testing/fixture-copy.ts"),
      from.setting,
      to.setting,
      to.realm,
    ];
    const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(child, "exit");
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    expect(line).toBe("half");
    child.kill("SIGKILL");
    await ended;

    const [source, target] = [await storeAt(from), await storeAt(to)];
    expect(await target.items.scan(undefined, 2_000)).toHaveLength(1_000);
    let copied = 0;
    const { compared } = await copyRealm({
      definition: moduleOf(to.realm).definition,
      source: source.store,
      target: target.store,
      from: from.setting,
      intoNonEmpty: false,
      clock: systemClock,
      progress: ({ step, documents }) => {
        if (step === "copied") copied = documents;
      },
    });
    expect(compared.flatMap(({ different }) => different)).toEqual([]);
    expect(await contents(target.store)).toEqual(await contents(source.store));
    // One key and its record in the audit, and what was not copied yet.
    expect(copied).toBe(documents.length + 1_100 - 1_000 + 2);
  });

  it("is not done twice: a finished copy is a store like any other, unless it is meant", async () => {
    await fill();
    await there();
    const second = await there();
    expect(second).toMatchObject({ code: 1, out: [] });
    expect(second.err).toContain("the target holds documents of main.items already");
    const { items, close } = await storeAt(to);
    await items.load([written("own", { sku: "own" }), written("plain", { sku: "changed" }, { version: 9 })]);
    await close();
    const meant = await command("--from", from.setting, "--to", to.setting, "--into-non-empty");
    expect(meant).toMatchObject({ code: 0 });
    const after = await storeAt(to);
    expect(await after.items.get("own", "live")).toBeDefined();
    expect(await after.items.get("plain", "live")).toMatchObject({ version: 1 });
  });

  it("takes a target for empty in which a server has run and stored nothing but standing jobs and its configuration", async () => {
    await fill();
    const serving = { fingerprint: "f2", configuration: { realms: { [to.realm]: { "later.json": {} } } } };
    const { store, close } = await storeAt(from);
    const configuration = { realms: { [to.realm]: { "first.json": {} } } };
    const recorder = { store, realm: to.realm, clock: systemClock, log: silent };
    await recordConfiguration({ ...recorder, fingerprint: "f1", configuration });
    await close();
    const server = await startRealm(moduleOf(to.realm), { ...serving, settings: { store: to.location } });
    const retention = () => findJob(server.store(to.realm), "retention");
    await until(async () => expect((await retention())?.result).toMatchObject({ removed: 0 }));
    await server.stop();
    expect(await there()).toMatchObject({ code: 0 });
    const [source, target] = [await storeAt(from), await storeAt(to)];
    expect(await contents(target.store)).toEqual(await contents(source.store));
    expect(await recordedConfigurations(target.store)).toMatchObject([{ fingerprint: "f1" }]);
  });

  it("is refused where another job waits in the target", async () => {
    await fill();
    const { store, close } = await storeAt(to);
    const realm = { clock: systemClock, newId: idGenerator(systemClock) };
    await store.transaction((transaction) =>
      queueJob(realm, transaction, { kind: "mail", target: "mail", state: {}, by: "service" }),
    );
    await close();
    const refused = await there();
    expect(refused).toMatchObject({ code: 1, out: [] });
    expect(refused.err).toContain("the target holds documents of _svc.jobs already");
  });

  it("does not mix two sources", async () => {
    await fill();
    const [source, target] = [await storeAt(from), await storeAt(to)];
    const copy = (name: string) =>
      copyRealm({
        definition: moduleOf(to.realm).definition,
        source: source.store,
        target: target.store,
        from: name,
        intoNonEmpty: false,
        clock: systemClock,
        progress: () => {
          throw new Error("interrupted");
        },
      });
    await expect(copy("sqlite:/a")).rejects.toThrow("interrupted");
    await expect(copy("sqlite:/b")).rejects.toThrow(TargetRefused);
    await expect(copy("sqlite:/b")).rejects.toThrow(/unfinished copy from sqlite:\/a/);
    await expect(copy("sqlite:/a")).rejects.toThrow("interrupted");
  });

  it("finds what is not the same: changed, missing and foreign documents", async () => {
    await fill();
    const [source, target] = [await storeAt(from), await storeAt(to)];
    let isTampered = false;
    const { compared } = await copyRealm({
      definition: moduleOf(to.realm).definition,
      source: source.store,
      target: target.store,
      from: "here",
      intoNonEmpty: false,
      clock: systemClock,
      progress: async () => {
        if (isTampered) return;
        isTampered = true;
        await target.items.load([written("plain", { sku: "A", z: 2 }), written("foreign", {})]);
        await target.items.remove("dates", 1);
      },
    });
    expect(compared.find(({ collection }) => collection === "main.items")?.different.toSorted()).toEqual([
      "dates",
      "foreign",
      "plain",
    ]);
  });

  it("is refused while a server serves the embedded store", async () => {
    const server = await startRealm(moduleOf(to.realm), { settings: { store: from.location } });
    const { code, err } = await there();
    await server.stop();
    expect(code).toBe(1);
    expect(err).toContain(`in use by process ${process.pid}`);
  });

  it("is 1 where there is nothing to copy", async () => {
    const { code, err } = await there();
    expect(code).toBe(1);
    expect(err).toBe(`${to.realm}: there is nothing of it in ${from.setting}`);
  });

  it("takes a store from a variable, and never repeats a password", async () => {
    await fill();
    const { code } = await commandIn({ STORE: to.setting }, "--from", from.setting, "--to", "env:STORE");
    expect(code).toBe(0);
    const uri = "mongodb://me:secret@127.0.0.1:1/?serverSelectionTimeoutMS=1&replicaSets=x";
    const { err, ...failed } = await commandIn({ STORE: uri }, "--from", from.setting, "--to", "env:STORE");
    expect(failed).toEqual({ code: 1, out: [] });
    expect(err).toMatch(/^--to: /);
    expect(err).not.toContain("secret");
  });

  it("says why a store cannot be reached", async () => {
    const nowhere = "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100";
    const { code, err } = await command("--from", nowhere, "--to", back.setting);
    expect([code, err]).toEqual([1, "the store is unavailable: connect ECONNREFUSED 127.0.0.1:1"]);
  });

  it.each([
    ["--from is missing", ["--to", "sqlite:./x"]],
    ["--to is missing", ["--from", "sqlite:./x"]],
    ["--from must be sqlite:<folder>", ["--from", "./x", "--to", "sqlite:./x"]],
    ["the same store", ["--from", "sqlite:./x", "--to", "sqlite:x"]],
    ["--to is sqlite::memory:", ["--from", "sqlite:./x", "--to", "sqlite::memory:"]],
    ["--from: there is no folder", ["--from", "sqlite:./nowhere", "--to", "sqlite:./x"]],
    ["NOWHERE is not set", ["--from", "env:NOWHERE", "--to", "sqlite:./x"]],
    ["there is no realm", ["--from", "sqlite:./x", "--to", "sqlite:./y", "--realm", "nope"]],
    ["--force", ["--from", "sqlite:./x", "--to", "sqlite:./y", "--force"]],
  ])("is a mistake of usage, 2: %s", async (message, words) => {
    const { code, out, err } = await command(...words);
    expect([code, out]).toEqual([2, []]);
    expect(err).toContain(message);
    expect(err).toContain("copy --from <store> --to <store>");
  });
});
