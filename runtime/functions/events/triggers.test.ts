import { afterAll, afterEach, describe, expect, test } from "vitest";
import { collection, startShop } from "../../documents/testing/shop.ts";
import { TRUE } from "../../filter/algebra.ts";
import { silent } from "../../http/testing/server.ts";
import { jobCollection, readJob } from "../../jobs/records.ts";
import type { JsonObject } from "../../json.ts";
import { storeNameOf } from "../../realm/definition.ts";
import {
  describeMongo,
  dropTestDatabases,
  testClient,
  testLocation,
} from "../../store/mongodb/testing/server.ts";
import { isEmbedded, testPlace } from "../../store/testing/stores.ts";
import { until } from "../../testing/until.ts";
import { event } from "../testing/shop.ts";
import {
  follow,
  nothing,
  on,
  papers,
  rules,
  start,
  stopAll,
  stops,
  type Told,
  things,
} from "./testing/followed.ts";

afterEach(stopAll);

const events = (told: readonly Told[]) => told.map(({ event }) => event);
const titles = (told: readonly Told[]) => told.map(({ document }) => document["title"]);

describe("a trigger", () => {
  test("runs for what is created, updated and deleted, with the document before and after", async () => {
    const shop = await start([follow(on("things"))]);
    const { body: created } = await shop.send("POST", "things", { body: { title: "a" } });
    const { body: updated } = await shop.send("PATCH", `things/${created["id"]}`, { body: { title: "b" } });
    await shop.send("DELETE", `things/${created["id"]}`);
    await shop.send("POST", "others", { body: { title: "x" } });
    const told = await shop.runs(3);
    expect(told).toMatchObject([
      { event: "create", collection: "main/things", document: created, previous: undefined, attempt: 1 },
      { event: "update", document: updated, previous: created },
      { event: "delete", document: updated, previous: updated },
    ]);
    // Nothing is left of runs that succeeded.
    expect(await shop.store("shop").collection(jobCollection).count(TRUE, "all")).toBe(1);
  });

  test("has a soft deletion as a delete and a restore as a create; what goes from the trash is nothing", async () => {
    const shop = await start([follow(on("papers"))]);
    const { body } = await shop.send("POST", "papers", { body: { title: "a" } });
    const path = `papers/${body["id"]}`;
    await shop.send("DELETE", path);
    await shop.send("POST", `${path}/restore`);
    await shop.send("DELETE", path);
    await shop.send("DELETE", `${path}?purge=true`);
    await shop.send("POST", "papers", { body: { title: "last" } });
    const told = (await shop.runs(5)).filter(({ document }) => document["id"] === body["id"]);
    expect(events(told)).toEqual(["create", "delete", "create", "delete"]);
    expect(told[1]?.document).toEqual(body);
    expect(told[2]).toMatchObject({ previous: undefined, document: { _meta: { version: 3 } } });
  });

  test("does not run for what is no new version: an image's versions get ready", async () => {
    const shop = await start([follow(on("things"))]);
    const { body } = await shop.send("POST", "things", { body: { title: "a" } });
    await shop
      .store("shop")
      .collection(storeNameOf(things))
      .modify(String(body["id"]), "live", (found) => {
        if (found === undefined) throw new Error("there is no such document");
        const text = JSON.stringify({ ...JSON.parse(found.text), title: "b" });
        return { kind: "replace", document: { ...found, text, createdAt: shop.clock.now() } };
      });
    await shop.send("PATCH", `things/${body["id"]}`, { body: { title: "c" } });
    expect(titles(await shop.runs(2))).toEqual(["a", "c"]);
  });

  test("runs for the events that it names, where its rule is met, once for a function however many say so", async () => {
    const open = {
      check: (_: unknown, document: JsonObject, previous: JsonObject) =>
        document["title"] === "open" && previous["title"] !== "open",
    };
    const shop = await start([
      follow(on("things", { on: ["update"], when: open }), on("things", { on: ["update"], when: open })),
    ]);
    const { body } = await shop.send("POST", "things", { body: { title: "open" } });
    const path = `things/${body["id"]}`;
    for (const title of ["open", "closed", "open", "open"])
      await shop.send("PATCH", path, { body: { title } });
    await shop.send("DELETE", path);
    const { body: other } = await shop.send("POST", "things", { body: { title: "x" } });
    await shop.send("PATCH", `things/${other["id"]}`, { body: { title: "open" } });
    const told = await shop.runs(2);
    expect(told.map(({ document, previous }) => [document["id"], previous?.["title"]])).toEqual([
      [body["id"], "closed"],
      [other["id"], "x"],
    ]);
  });

  test("has all of a batch, and all functions that ask for it", async () => {
    const second = event("second", {
      triggers: [on("things", { on: ["create"] })],
    });
    const shop = await start([follow(on("things")), second]);
    const operations = Array.from({ length: 20 }, (_, n) => ({
      op: "create",
      collection: "things",
      document: { title: `t${n}` },
    }));
    const answer = await shop.send("POST", "_batch", { body: { operations } });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    const told = await shop.runs(40);
    expect(new Set(titles(told)).size).toBe(20);
  });
});

describe("runs for one document", () => {
  test("are in the order of its commits, whoever writes at the same time; for others they do not wait", async () => {
    const running = new Set<unknown>();
    const shop = await start([follow(on("things"))], async ({ document: { id } }) => {
      expect(running.has(id)).toBe(false);
      running.add(id);
      await new Promise(setImmediate);
      running.delete(id);
      return nothing;
    });
    const ids: unknown[] = [];
    for (let n = 0; n < 4; n += 1)
      ids.push((await shop.send("POST", "things", { body: { title: "0", qty: 0 } })).body["id"]);
    const bump = async (id: unknown, qty: number) => {
      for (;;) {
        const { status } = await shop.send("PATCH", `things/${id}`, { body: { qty } });
        if (status === 200) return;
        // As many writers at once may be too many.
        expect(status).toBe(409);
      }
    };
    await Promise.all(
      [0, 1, 2, 3, 4, 5, 6, 7].map(async (writer) => {
        for (let n = 0; n < 10; n += 1) await bump(ids[(writer + n) % 4], 10 * writer + n);
      }),
    );
    const told = await shop.runs(84);
    for (const id of ids) {
      const versions = told
        .filter(({ document }) => document["id"] === id)
        .map(({ document: { _meta: meta } }) => JSON.parse(JSON.stringify(meta)).version);
      expect(versions).toEqual(versions.map((_, at) => at + 1));
    }
  });

  test("wait for one that is tried again, those for others do not; after its last attempt they go on", async () => {
    const stuck = { ...follow(on("things")), attempts: 2 };
    const shop = await start([stuck], ({ document: { title, qty } }) => {
      return title === "stuck" && qty === 1
        ? { kind: "failed", code: "function_failed", reason: "x" }
        : nothing;
    });
    const { body } = await shop.send("POST", "things", { body: { title: "stuck", qty: 1 } });
    await shop.send("PATCH", `things/${body["id"]}`, { body: { qty: 2 } });
    await shop.send("POST", "things", { body: { title: "free" } });
    await until(() => expect(titles(shop.told)).toEqual(["stuck", "free"]));
    shop.clock.advance(2_000);
    await shop.send("POST", "things", { body: { title: "later" } });
    await until(() => expect(shop.told).toHaveLength(5));
    const own = shop.told.filter(({ document }) => document["title"] === "stuck");
    expect(own.map(({ document, attempt }) => [document["qty"], attempt])).toEqual([
      [1, 1],
      [1, 2],
      [2, 1],
    ]);
    const failed = await until(async () => {
      const jobs = await shop.store("shop").collection(jobCollection).scan(undefined, 10);
      const found = jobs.map((document) => readJob(document).record);
      const [record] = found.filter(({ status }) => status === "failed");
      if (record === undefined) throw new Error("none has failed");
      return record;
    });
    expect(failed).toMatchObject({ kind: "function.event:main/follow", error: expect.any(String) });
  });

  test("do not wait where the trigger says so", async () => {
    const shop = await start([follow(on("things", { unordered: true }))], ({ document: { qty } }) => {
      return qty === 1 ? { kind: "retry", after: 3_600_000 } : nothing;
    });
    const { body } = await shop.send("POST", "things", { body: { title: "a", qty: 1 } });
    await shop.send("PATCH", `things/${body["id"]}`, { body: { qty: 2 } });
    await until(() => expect(shop.told.map(({ document }) => document["qty"])).toEqual([1, 2]));
  });
});

/** A shared store keeps its history itself. */
describe.runIf(isEmbedded)("where history does not reach back", () => {
  const place = testPlace();
  afterAll(() => place.discard());

  test("what happened in between is lost to triggers: audited, logged and counted; what comes is told", async () => {
    const settings = { store: place.location };
    const first = await start([follow(on("things"))], undefined, "disabled", { settings });
    await first.send("POST", "things", { body: { title: "a" } });
    await first.runs(1);
    await first.stop();
    stops.pop();
    // Without triggers the collection is recorded no longer, while another one is.
    const followed = collection("others", { rules, realtime: true });
    const bare = await startShop("disabled", [things, papers, followed], { settings });
    await bare.send("POST", "things", { body: { title: "unseen" } });
    await bare.send("POST", "others", { body: { title: "x" } });
    await bare.stop();
    const errors: string[] = [];
    const log = { ...silent, error: (_: object, message: string) => errors.push(message) };
    const more = { settings: { ...settings, metrics: "on" as const }, log };
    const second = await start([follow(on("things"))], undefined, "disabled", more);
    await until(async () => expect(await second.audits("function.events_lost")).toHaveLength(1));
    await second.send("POST", "things", { body: { title: "b" } });
    expect(titles(await second.runs(1))).toEqual(["b"]);
    expect(await second.audits("function.events_lost")).toMatchObject([
      { actor: "service", target: "realm" },
    ]);
    expect(errors).toMatchObject([expect.stringContaining("history")]);
    const metrics = await (await fetch(`${second.url}/metrics`)).text();
    expect(metrics).toContain('svc_function_events_lost_total{realm="shop"} 1');
  });
});

describeMongo("Two instances on one store", () => {
  test("tell triggers of every change once, and another one goes on where one ends", async () => {
    const settings = { store: testLocation() };
    stops.push(() => dropTestDatabases(settings.store));
    const here = await start([follow(on("things"))], undefined, "disabled", { settings });
    const there = await start([follow(on("things"))], undefined, "disabled", { settings });
    const made: unknown[] = [];
    for (let n = 0; n < 30; n += 1)
      made.push(
        (await (n % 2 === 0 ? here : there).send("POST", "things", { body: { title: `${n}` } })).body["id"],
      );
    await until(() => expect(here.told.length + there.told.length).toBe(30));
    const told = [...here.told, ...there.told].map(({ document }) => document["id"]);
    expect(told.toSorted()).toEqual(made.toSorted());
    await here.stop();
    stops.splice(stops.length - 2, 1);
    const before = there.told.length;
    await there.send("POST", "things", { body: { title: "last" } });
    await until(() => expect(titles(there.told.slice(before))).toEqual(["last"]));
  });

  test("a change whose document before is unknown meets rules that ask for it", async () => {
    const settings = { store: testLocation() };
    stops.push(() => dropTestDatabases(settings.store));
    const asking = {
      check: (_: unknown, document: JsonObject, previous: JsonObject) =>
        document["qty"] === 1 || previous["qty"] === 1,
    };
    const shop = await start([follow(on("things", { when: asking }))], undefined, "disabled", { settings });
    const { body } = await shop.send("POST", "things", { body: { title: "a", qty: 0 } });
    const database = (await testClient()).db(`${settings.store.prefix}shop`);
    await database.command({
      collMod: storeNameOf(things),
      changeStreamPreAndPostImages: { enabled: false },
    });
    await shop.send("PATCH", `things/${body["id"]}`, { body: { qty: 1 } });
    await shop.send("PATCH", `things/${body["id"]}`, { body: { qty: 2 } });
    await shop.send("DELETE", `things/${body["id"]}`);
    const told = await shop.runs(3);
    expect(told).toMatchObject([
      { event: "update", document: { qty: 1 }, previous: undefined },
      { event: "update", document: { qty: 2 }, previous: undefined },
      { event: "delete", document: { id: body["id"] } },
    ]);
  });
});
