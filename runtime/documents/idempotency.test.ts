import { afterAll, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../json.ts";
import { allowed } from "../rules/index.ts";
import { code, collection, day, paths, type Received, type Shop, startShop } from "./testing/shop.ts";

const notes = collection("notes", { rules: { read: allowed, create: allowed } });
const other = collection("other", { rules: { read: allowed, create: allowed } });
const chosen = collection("chosen", {
  customId: { duplicateLimit: 2 },
  rules: { read: allowed, create: allowed },
});
const plain = collection("plain");

let members: Shop;
let shop: Shop;
let token: string;
let keys = 0;
beforeAll(async () => {
  members = await startShop("enabled", [notes, other, chosen]);
  shop = await startShop("disabled", [plain]);
  ({ token } = await members.signUp("writer@example.com"));
});
afterAll(() => Promise.all([members.stop(), shop.stop()]));

function newKey(): string {
  keys += 1;
  return `key:${keys}`;
}

function create(key: string, body: JsonObject | string, as = token, name = "notes"): Promise<Received> {
  const headers = { "idempotency-key": key };
  const sent = typeof body === "string" ? { text: body } : { body };
  return members.send("POST", name, { ...sent, headers, ...(as !== "" && { token: as }) });
}

async function count(name = "notes"): Promise<unknown> {
  return (await members.send("GET", `${name}?count=true`)).body["total"];
}

test.each(["", " ", "a b", "ä", "a".repeat(201), "a,b", "a/b"])(
  "Idempotency-Key 1: %j is 400 invalid_header",
  async (key) => {
    const answer = await create(encodeURI(key).includes("%C3") ? "\u00e4" : key, { title: "a" });
    expect([answer.status, code(answer), paths(answer)]).toEqual([
      400,
      "invalid_header",
      ["Idempotency-Key"],
    ]);
  },
);

test("Idempotency-Key 1: 1 to 200 characters from letters, digits, . _ : -", async () => {
  for (const key of ["a", "A.b_c:d-9", "k".repeat(200)]) {
    expect((await create(key, { title: "a" })).status).toBe(201);
  }
});

test("Idempotency-Key 2: needs a signed-in user or API key, and a realm with authentication: else 400", async () => {
  const anonymous = await create(newKey(), { title: "a" }, "");
  expect([anonymous.status, code(anonymous)]).toEqual([400, "invalid_header"]);
  const headers = { "idempotency-key": newKey() };
  const disabled = await shop.send("POST", "plain", { body: { title: "a" }, headers });
  expect([disabled.status, code(disabled)]).toEqual([400, "invalid_header"]);
  const batch = await shop.send("POST", "_batch", { body: { operations: [] }, headers });
  expect([batch.status, code(batch)]).toEqual([400, "invalid_header"]);
  expect((await create(newKey(), { title: "a" }, await members.key({ name: "k1" }))).status).toBe(201);
});

test("Idempotency-Key 3: the key is private to the collection and the caller", async () => {
  const key = newKey();
  const first = await create(key, { title: "a" });
  const elsewhere = await create(key, { title: "b" }, token, "other");
  const { token: somebody } = await members.signUp("somebody@example.com");
  const theirs = await create(key, { title: "c" }, somebody);
  const robots = await create(key, { title: "d" }, await members.key({ name: "k2" }));
  for (const answer of [first, elsewhere, theirs, robots]) {
    expect(answer.status).toBe(201);
    expect(answer.headers.get("idempotent-replayed")).toBeNull();
  }
  expect(new Set([first, theirs, robots].map(({ body }) => body["id"])).size).toBe(3);
});

test("Idempotency-Key 4: same key and same body: the original answer again, whatever the order and spacing", async () => {
  const key = newKey();
  const before = await count();
  const first = await create(key, '{"title":"a","address":{"city":"Bern","zip":"1"},"qty":10}');
  expect(first.headers.get("idempotent-replayed")).toBeNull();
  await members.send("DELETE", `notes/${first.body["id"]}`, { token: await members.key({ name: "k3" }) });
  members.clock.advance(day - 1);
  const again = await create(
    key,
    '{ "qty": 1e1, "address": {"zip":"1", "city":"Bern"},\n"title":"\\u0061" }',
  );
  expect(again).toMatchObject({ status: 201, text: first.text, tag: first.tag });
  expect(again.headers.get("location")).toBe(first.headers.get("location"));
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(await count()).toBe(before);
});

test("Idempotency-Key 4: a different body is 422 idempotency_key_reused", async () => {
  const key = newKey();
  await create(key, { title: "a", tags: ["x", "y"] });
  for (const body of [
    { title: "b" },
    { title: "a", tags: ["y", "x"] },
    { title: "a", tags: ["x", "y"], _meta: {} },
  ]) {
    const answer = await create(key, body);
    expect([answer.status, code(answer)]).toEqual([422, "idempotency_key_reused"]);
  }
});

test("Idempotency-Key 4: after 24 hours the key is free", async () => {
  const key = newKey();
  const first = await create(key, { title: "a" });
  members.clock.advance(day);
  const later = await create(key, { title: "b" });
  expect(later.status).toBe(201);
  expect(later.body["id"]).not.toBe(first.body["id"]);
  expect((await create(key, { title: "b" })).headers.get("idempotent-replayed")).toBe("true");
});

test("Idempotency-Key 4: of parallel requests with one key exactly one runs; the others are 409 or its replay", async () => {
  const key = newKey();
  const before = Number(await count());
  const answers = await Promise.all(Array.from({ length: 10 }, () => create(key, { title: "a" })));
  expect(Number(await count())).toBe(before + 1);
  const originals = answers.filter(
    (answer) => answer.status === 201 && !answer.headers.has("idempotent-replayed"),
  );
  expect(originals.length).toBe(1);
  for (const answer of answers) {
    if (answer.status === 201) expect(answer.text).toBe(originals[0]?.text);
    else expect([answer.status, code(answer)]).toEqual([409, "request_in_progress"]);
  }
});

test("Idempotency-Key 4: still running: 409 request_in_progress", async () => {
  const store = members.store("shop");
  const key = newKey();
  const original = store.transaction.bind(store);
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const started = new Promise<void>((reached) => {
    store.transaction = async (work) => {
      reached();
      await held;
      return original(work);
    };
  });
  const first = create(key, { title: "a" });
  await started;
  store.transaction = original;
  const second = await create(key, { title: "a" });
  expect([second.status, code(second)]).toEqual([409, "request_in_progress"]);
  release();
  expect((await first).status).toBe(201);
  expect((await create(key, { title: "a" })).headers.get("idempotent-replayed")).toBe("true");
});

test("Idempotency-Key 4: replays do not get in each other's way", async () => {
  const key = newKey();
  const first = await create(key, { title: "a" });
  const again = await Promise.all(Array.from({ length: 5 }, () => create(key, { title: "a" })));
  for (const { status, text } of again) expect([status, text]).toEqual([201, first.text]);
});

test("Idempotency-Key 4: what another instance has done meanwhile is replayed, and done once", async () => {
  const store = members.store("shop");
  const original = store.transaction.bind(store);
  const key = newKey();
  const before = Number(await count());
  store.transaction = async (work, options) => {
    store.transaction = original;
    await original(work, options);
    return original(work, options);
  };
  const answer = await create(key, { title: "a" });
  expect([answer.status, answer.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
  const again = await create(key, { title: "a" });
  expect([again.status, again.text]).toEqual([201, answer.text]);
  expect(Number(await count())).toBe(before + 1);
});

test("States, idempotency: a request that fails leaves the key free for a corrected retry", async () => {
  const key = newKey();
  expect((await create(key, { qty: 1 })).status).toBe(400);
  expect((await create(key, "{")).status).toBe(400);
  const corrected = await create(key, { title: "a" });
  expect([corrected.status, corrected.headers.get("idempotent-replayed")]).toEqual([201, null]);
});

test("Fine points: the lookup precedes every other check: replays go past the duplicate limit and id_taken", async () => {
  const key = newKey();
  const first = await create(key, { id: "one", title: "a" }, token, "chosen");
  expect(first.status).toBe(201);
  for (const status of [409, 409, 429]) {
    expect((await create(newKey(), { id: "one", title: "a" }, token, "chosen")).status).toBe(status);
  }
  const again = await create(key, { id: "one", title: "a" }, token, "chosen");
  expect([again.status, again.text]).toEqual([201, first.text]);
});

test("Idempotency-Key 4: record and document commit together: when the record cannot be stored, nothing is", async () => {
  const store = members.store("shop");
  const original = store.transaction.bind(store);
  store.transaction = (work) =>
    original(async (transaction) =>
      work({
        collection(name) {
          const part = transaction.collection(name);
          if (name !== "_svc.idempotency") return part;
          return {
            get: (id, visibility) => part.get(id, visibility),
            replace: (expected, document) => part.replace(expected, document),
            remove: (id) => part.remove(id),
            replaceAll: (replacements) => part.replaceAll(replacements),
            removeAll: (documents) => part.removeAll(documents),
            insert: (document) => part.insert(document),
            claim: () => Promise.reject(new Error("disk full")),
            insertAll: (documents) => part.insertAll(documents),
            modify: (id, visibility, decide) => part.modify(id, visibility, decide),
          };
        },
      }),
    );
  const before = await count();
  const silence = console.error;
  console.error = () => undefined;
  const failed = await create(newKey(), { title: "a" });
  console.error = silence;
  store.transaction = original;
  expect(failed.status).toBe(500);
  expect(await count()).toBe(before);
});

test("Document endpoints 8: the batch accepts Idempotency-Key, private to the database and caller", async () => {
  const key = newKey();
  const batch = (title: string) =>
    members.send("POST", "_batch", {
      token,
      headers: { "idempotency-key": key },
      body: { operations: [{ op: "create", collection: "notes", document: { title } }] },
    });
  const before = Number(await count());
  const first = await batch("a");
  const again = await batch("a");
  expect([first.status, again.status, again.text]).toEqual([200, 200, first.text]);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(Number(await count())).toBe(before + 1);
  expect(code(await batch("b"))).toBe("idempotency_key_reused");
  expect((await create(key, { title: "a" })).status).toBe(201);
});

test("Idempotency-Key 4: expired records are removed while new ones are written", async () => {
  const records = members.store("shop").collection("_svc.idempotency");
  members.clock.advance(2 * day);
  for (let at = 0; at < 100; at += 1) await create(newKey(), { title: "a" });
  expect(await records.removeExpired(1000)).toBe(0);
});
