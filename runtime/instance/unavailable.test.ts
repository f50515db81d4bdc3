import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sales } from "../documents/aggregate/testing/sales.ts";
import {
  code,
  collection,
  type Received,
  type Sent,
  type Shop,
  startShop,
} from "../documents/testing/shop.ts";
import { isJsonObject } from "../json.ts";
import type { Log } from "../realm/exchange.ts";
import { allowed } from "../rules/index.ts";
import { FaultProxy } from "../store/mongodb/testing/faults.ts";
import { describeMongo, dropTestDatabases, testLocation } from "../store/mongodb/testing/server.ts";

const rules = { read: allowed, create: allowed, update: allowed, delete: allowed, restore: allowed };
const notes = collection("notes", { rules });
const trash = collection("trash", { rules, softDelete: { retention: 1_000 } });
const sold = sales("sold", { rules });

/** Milliseconds: of operations, and thus of waiting for a primary and for a connection. */
const queryTime = 2_000;

describeMongo("A server whose store fails", () => {
  const location = testLocation();
  let proxy: FaultProxy;
  let shop: Shop;
  let token: string;
  let session: string;
  let lines: { readonly level: string; readonly text: string }[];

  const logged = (level: string) => (fields: object, message: string) => {
    lines.push({ level, text: `${message} ${JSON.stringify(fields, withErrors)}` });
  };
  const log: Log = { info: logged("info"), warn: logged("warn"), error: logged("error") };

  beforeAll(async () => {
    proxy = await FaultProxy.open(location.uri);
    lines = [];
    const store = { ...location, uri: `${proxy.uri}&maxPoolSize=20` };
    shop = await startShop("enabled", [notes, trash, sold], {
      settings: { store, queryTime, searchTime: queryTime },
      log,
    });
    token = await shop.key();
    ({ token: session } = await shop.signUp("person@example.com"));
  });
  afterAll(async () => {
    await proxy.reset();
    await shop.stop();
    await proxy.close();
    await dropTestDatabases(location);
  });
  beforeEach(() => {
    proxy.commands.length = 0;
    lines = [];
  });
  afterEach(() => proxy.reset());

  const send = (method: string, path: string, sent: Sent = {}) => shop.send(method, path, { token, ...sent });
  const outcome = (answer: Received) => [answer.status, answer.status < 400 ? "" : code(answer)];
  const isReady = async () => (await fetch(`${shop.url}/readyz`)).status;

  async function created(id: string, name = "notes", headers = {}): Promise<Received> {
    return send("POST", name, { body: { title: id }, headers });
  }
  async function titles(name = "notes"): Promise<readonly unknown[]> {
    const { body } = await send("GET", `${name}?limit=100`);
    const items = Array.isArray(body["items"]) ? body["items"] : [];
    return items.filter(isJsonObject).map(({ title }) => title);
  }

  /** One request to each route that works with documents or accounts. */
  function everyRoute(id: string, deleted: string): readonly (() => Promise<Received>)[] {
    const body = { title: "never" };
    const operations = [{ op: "create", collection: "notes", document: body }];
    return [
      () => send("GET", "notes"),
      () => send("GET", "notes?count=true"),
      () => send("GET", `notes/${id}`),
      () => send("POST", "notes", { body }),
      () => send("POST", "notes", { body, headers: { "idempotency-key": "key:every" } }),
      () => send("PUT", `notes/${id}`, { body }),
      () => send("PATCH", `notes/${id}`, { body }),
      () => send("DELETE", `notes/${id}`),
      () => send("POST", "_batch", { body: { operations } }),
      () => send("GET", "trash?deleted=only"),
      () => send("POST", `trash/${deleted}/restore`),
      () => send("DELETE", `trash/${deleted}?purge=true`),
      () => send("GET", `sold?where=${encodeURIComponent('{"$search":"word"}')}`),
      () => send("GET", "sold/_aggregate"),
      () =>
        shop.send("POST", "../_auth/login", { body: { email: "a@example.com", password: "correct horse" } }),
      () => shop.send("GET", "../_auth/sessions", { token: session }),
    ];
  }

  describe("while it cannot be reached", () => {
    test("every route answers 503 unavailable; the process lives, is not ready, and recovers by itself", async () => {
      const { body } = await created("kept");
      const { body: thrown } = await created("thrown", "trash");
      await send("DELETE", `trash/${thrown["id"]}`);
      expect(await isReady()).toBe(200);
      await proxy.vanish();
      const requests = everyRoute(String(body["id"]), String(thrown["id"]));
      const answers = await Promise.all(requests.map((request) => request()));
      for (const [at, answer] of answers.entries()) {
        expect(outcome(answer), String(requests[at])).toEqual([503, "unavailable"]);
        expect(answer.headers.get("retry-after")).toBe("1");
      }
      expect(await isReady()).toBe(503);
      const health = await fetch(`${shop.url}/healthz`);
      expect([health.status, await health.text()]).toEqual([200, '{"status":"ok"}']);

      await proxy.appear();
      expect((await created("after")).status).toBe(201);
      expect(await isReady()).toBe(200);
      expect(await titles()).toEqual(["kept", "after"]);
    });

    test("what is logged names no document and no credential", async () => {
      await proxy.vanish();
      await created("private title");
      await send("GET", `notes?where=${encodeURIComponent('{"title":"private title"}')}`);
      await proxy.appear();
      expect(lines.length).toBeGreaterThan(0);
      expect(lines.filter(({ text }) => text.includes("private") || text.includes(token))).toEqual([]);
    });
  });

  describe("in an election", () => {
    test("requests wait for its end and are answered", async () => {
      const { body } = await created("elected");
      await proxy.stepDown();
      const answers = Promise.all([
        created("during"),
        send("GET", `notes/${body["id"]}`),
        send("PATCH", `notes/${body["id"]}`, { body: { title: "changed" } }),
        created("with key", "notes", { "idempotency-key": "key:election" }),
      ]);
      proxy.elect();
      expect((await answers).map(({ status }) => status)).toEqual([201, 200, 200, 201]);
      const found = await titles();
      expect(
        ["changed", "during", "with key"].map((title) => found.filter((one) => one === title).length),
      ).toEqual([1, 1, 1]);
    });
  });

  describe("with an idempotency key", () => {
    test("a write whose commit nobody confirmed is replayed, not done again", async () => {
      const headers = { "idempotency-key": "key:unconfirmed" };
      const lost = proxy.inject("commitTransaction", { drop: "after" }, Number.POSITIVE_INFINITY);
      expect(outcome(await created("unconfirmed", "notes", headers))).toEqual([503, "unavailable"]);
      lost.end();
      const again = await created("unconfirmed", "notes", headers);
      expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
      expect((await titles()).filter((title) => title === "unconfirmed")).toHaveLength(1);
    });

    test("a write that was not done is done at the second attempt", async () => {
      const headers = { "idempotency-key": "key:undone" };
      const refused = proxy.inject("insert", { error: "NotWritablePrimary" }, Number.POSITIVE_INFINITY);
      expect(outcome(await created("undone", "notes", headers))).toEqual([503, "unavailable"]);
      refused.end();
      const again = await created("undone", "notes", headers);
      expect([again.status, again.headers.get("idempotent-replayed")]).toEqual([201, null]);
      expect((await titles()).filter((title) => title === "undone")).toHaveLength(1);
    });
  });

  test("a batch that met other writers is done once", async () => {
    const operations = [1, 2].map((at) => ({
      op: "create",
      collection: "notes",
      document: { title: `batch${at}` },
    }));
    const conflicts = proxy.inject("insert", { error: "WriteConflict" }, 3);
    const answer = await send("POST", "_batch", { body: { operations } });
    expect([answer.status, conflicts.struck]).toEqual([200, 3]);
    expect((await titles()).filter((title) => String(title).startsWith("batch"))).toEqual([
      "batch1",
      "batch2",
    ]);
  });

  test("a batch that meets other writers for too long is 503 with Retry-After, nothing applied", async () => {
    const operations = [{ op: "create", collection: "notes", document: { title: "conflicting" } }];
    const conflicts = proxy.inject("insert", { error: "WriteConflict" }, Number.POSITIVE_INFINITY);
    const answer = await send("POST", "_batch", { body: { operations } });
    conflicts.end();
    expect(outcome(answer)).toEqual([503, "unavailable"]);
    expect(answer.headers.get("retry-after")).toBe("15");
    expect(await titles()).not.toContain("conflicting");
  });

  test.each(["WriteConcernFailed", "UnsatisfiableWriteConcern"] as const)(
    "an unconfirmed write, %s, is 503 unavailable",
    async (writeConcern) => {
      proxy.inject("insert", { writeConcern }, 2);
      expect(outcome(await created(`unconfirmed ${writeConcern}`))).toEqual([503, "unavailable"]);
    },
  );

  test("the time limit is 503 for lists and writes, 422 for searches and aggregations", async () => {
    const { body } = await created("slow");
    const slow = (collection: string) =>
      proxy.inject(
        (command) => Object.values(command.body)[0] === `main.${collection}`,
        { error: "MaxTimeMSExpired" },
        Number.POSITIVE_INFINITY,
      );
    slow("notes");
    slow("sold");
    expect(outcome(await send("GET", "notes"))).toEqual([503, "unavailable"]);
    expect(outcome(await send("GET", `notes/${body["id"]}`))).toEqual([503, "unavailable"]);
    expect(outcome(await created("too slow"))).toEqual([503, "unavailable"]);
    const search = await send("GET", `sold?where=${encodeURIComponent('{"$search":"word"}')}`);
    expect(outcome(search)).toEqual([422, "search_too_expensive"]);
    expect(outcome(await send("GET", "sold/_aggregate"))).toEqual([422, "aggregate_too_expensive"]);
  });

  test("a slow store is waited for by as many as there are connections; others get 503 and when to try again", async () => {
    await created("patient");
    let release: () => void = () => undefined;
    const hold = new Promise<void>((resolve) => {
      release = resolve;
    });
    proxy.inject((command) => command.body["find"] === "main.notes", { hold }, Number.POSITIVE_INFINITY);
    const connections = 20;
    const requests = Array.from({ length: 300 }, () => send("GET", "notes?limit=1"));
    await new Promise<void>((resolve) => {
      let left = requests.length - connections;
      for (const request of requests) {
        void request.then(() => {
          left -= 1;
          if (left === 0) resolve();
        });
      }
    });
    release();
    const answers = await Promise.all(requests);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(connections);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expect(outcome(answer)).toEqual([503, "unavailable"]);
      expect(answer.headers.get("retry-after")).toBe("1");
    }
    expect((await created("afterwards")).status).toBe(201);
  });
});

/** Errors with what they hold, as the log writes them. */
function withErrors(_: string, value: unknown): unknown {
  return value instanceof Error ? { ...value, message: value.message, cause: value.cause } : value;
}
