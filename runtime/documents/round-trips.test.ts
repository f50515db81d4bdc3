import { afterAll, beforeAll, expect, test } from "vitest";
import { allowed } from "../rules/index.ts";
import { FaultProxy } from "../store/mongodb/testing/faults.ts";
import { describeMongo, dropTestDatabases, testLocation } from "../store/mongodb/testing/server.ts";
import { untilQuiet } from "./testing/quiet.ts";
import { collection, type Received, type Sent, type Shop, startShop } from "./testing/shop.ts";

const rules = { read: allowed, create: allowed, update: allowed, delete: allowed };
const notes = collection("notes", { rules });
const bin = collection("bin", { rules, softDelete: {} });

/** Each waits for the one before it. */
describeMongo("Commands that a request sends to the database", () => {
  const location = testLocation();
  let proxy: FaultProxy;
  let shop: Shop;
  let session: Sent;
  let key: Sent;
  beforeAll(async () => {
    proxy = await FaultProxy.open(location.uri);
    const settings = { store: { ...location, uri: proxy.uri } };
    shop = await startShop("enabled", [notes, bin], { settings });
    const { token } = await shop.signUp("ada@example.com");
    session = { token };
    key = { token: await shop.key({ name: "robot" }) };
    await untilQuiet(proxy, `${location.prefix}shop`);
  });
  afterAll(async () => {
    await shop.stop();
    await proxy.close();
    await dropTestDatabases(location);
  });

  let answer: Received;
  const sent = async (method: string, path: string, what: Sent = {}): Promise<string> => {
    proxy.commands.length = 0;
    answer = await shop.send(method, path, what);
    expect(answer.status).toBeLessThan(300);
    return proxy.commands.map(({ name }) => name).join(" ");
  };
  const made = async (name = "notes") => {
    await sent("POST", name, { body: { title: "a" } });
    return `${name}/${answer.body["id"]}`;
  };

  test("one for a document, a list, a count that the list tells, a creation; a version that is written is read before", async () => {
    expect(await sent("POST", "notes", { body: { title: "a" } })).toBe("insert");
    const path = await made();
    expect(await sent("GET", path)).toBe("find");
    expect(await sent("GET", "notes?count=true")).toBe("find");
    expect(await sent("GET", "notes?count=true&limit=1")).toBe("find aggregate");
    expect(await sent("PUT", path, { body: { title: "b" } })).toBe("find update");
    expect(await sent("PATCH", path, { body: { title: "c" } })).toBe("find update");
    expect(await sent("DELETE", path)).toBe("find delete");
    expect(await sent("DELETE", await made("bin"))).toBe("find update");
  });

  test("the caller is one more: an API key and whom it is bound to, or a session and its user together", async () => {
    const path = await made();
    expect(await sent("GET", path, key)).toBe("aggregate find");
    expect(await sent("GET", path, session)).toBe("aggregate find");
    expect(await sent("GET", "notes", session)).toBe("aggregate find");
    expect(await sent("GET", "../_auth/me", session)).toBe("aggregate find");
  });

  test("a batch of creations is one, and its commit", async () => {
    const create = { op: "create", collection: "notes", document: { title: "a" } };
    expect(await sent("POST", "_batch", { body: { operations: [create, create] } })).toBe(
      "insert commitTransaction",
    );
  });

  test("an administrator's write is one more, its record, and the commit of both; a batch has one for all records", async () => {
    const admin = { token: await shop.key({ name: "admin", admin: true }) };
    const data = "../_admin/data/main";
    expect(await sent("GET", `${data}/notes`, admin)).toBe("aggregate find");
    expect(await sent("POST", `${data}/notes`, { body: { title: "a" }, ...admin })).toBe(
      "aggregate insert insert commitTransaction",
    );
    const path = `${data}/notes/${answer.body["id"]}`;
    expect(await sent("PATCH", path, { body: { title: "b" }, ...admin })).toBe(
      "aggregate find update insert commitTransaction",
    );
    expect(await sent("DELETE", path, admin)).toBe("aggregate delete insert commitTransaction");
    const create = { op: "create", collection: "notes", document: { title: "a" } };
    expect(await sent("POST", `${data}/_batch`, { body: { operations: [create, create] }, ...admin })).toBe(
      "aggregate insert insert commitTransaction",
    );
  });

  test("a key that acts for a user is one more: it and the user together", async () => {
    const delegate = await shop.key({ name: "delegate", onBehalfOf: true });
    const { id } = await shop.signUp("bob@example.com");
    const headers = { "x-svc-on-behalf-of": id };
    expect(await sent("GET", await made(), { token: delegate, headers })).toBe("aggregate find");
  });

  /** Those of the last request that waited for a majority. */
  const acknowledged = () =>
    proxy.commands.filter(({ body }) => JSON.stringify(body["writeConcern"] ?? "").includes("majority"))
      .length;

  test("an idempotency key: the answer, which claims it, with what it answers; one acknowledgement", async () => {
    const remembered = { body: { title: "a" }, headers: { "idempotency-key": "k" }, ...session };
    expect(await sent("POST", "notes", remembered)).toBe("aggregate insert insert commitTransaction");
    expect(acknowledged()).toBe(1);
    const first = answer;
    expect(await sent("POST", "notes", remembered)).toBe("aggregate insert find abortTransaction find");
    expect([answer.text, answer.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
  });

  test("an idempotency key of a batch: the answer is kept once it is known", async () => {
    const path = await made();
    const operations = [
      { op: "create", collection: "notes", document: { title: "a" } },
      { op: "patch", collection: "notes", id: path.slice("notes/".length), patch: { title: "b" } },
    ];
    const remembered = { body: { operations }, headers: { "idempotency-key": "b" }, ...key };
    expect(await sent("POST", "_batch", remembered)).toBe(
      "aggregate insert insert find update update commitTransaction",
    );
    expect(acknowledged()).toBe(1);
    const first = answer.text;
    await sent("POST", "_batch", remembered);
    expect(answer.text).toBe(first);
  });
});
