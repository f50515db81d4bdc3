import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dateNormalizer } from "../filter/dates.ts";
import { documentFields } from "../filter/fields.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { mergePatch } from "../merge-patch.ts";
import { noMemberships } from "../realm/memberships.ts";
import type { FieldRule, RuleContext, WriteRule } from "../realm/rule.ts";
import type { Validator } from "../realm/validator.ts";
import { allowed, byCaller, denied } from "../rules/index.ts";
import { runs } from "../testing/random.ts";
import { FieldRules, without } from "./field-rules.ts";
import { valueAt, withValue } from "./paths.ts";
import {
  code,
  collection,
  details,
  fields,
  type Received,
  type Shop,
  startShop,
  text,
  validatorOf,
} from "./testing/shop.ts";

const is = (...names: readonly string[]) =>
  byCaller(({ user }) => user !== undefined && names.some((name) => user.email === `${name}@example.com`));
const isOwner = {
  check: ({ user }, document) =>
    user !== undefined && isJsonObject(document["_meta"]) && document["_meta"]["owner"] === user.id,
} satisfies WriteRule<JsonObject>;

/** `hr` reads and writes, `payroll` writes without reading, `audit` reads without writing, others neither. */
const salaryRule: FieldRule = { path: ["salary"], read: is("hr", "audit"), write: is("hr", "payroll") };
const zipRule: FieldRule = { path: ["address", "zip"], read: is("hr", "audit"), write: is("hr", "payroll") };
const everything = { create: allowed, read: allowed, update: allowed, delete: allowed, restore: allowed };

const people = collection("people", {
  rules: everything,
  fieldRules: [salaryRule, zipRule],
  softDelete: {},
});
const isOwnerOrCreates: WriteRule<JsonObject | undefined> = {
  check: (context, document) => document?.["id"] === undefined || isOwner.check(context, document),
};
const mine = collection("mine", {
  rules: everything,
  fieldRules: [{ path: ["qty"], read: isOwner, write: isOwnerOrCreates }],
});
const dated = collection("dated", {
  rules: everything,
  normalizeDates: dateNormalizer(fields.due_at),
  fieldRules: [{ path: ["due_at"], write: is("hr") }],
});
const nested = collection("nested", {
  rules: everything,
  fieldRules: [
    { path: ["address", "city"], write: is("hr") },
    { path: ["address"], read: is("hr"), write: is("hr") },
  ],
});

/** Before a field went, and the other since: its schema knows `title` alone. */
const before = validatorOf({ type: "object" });
const since = validatorOf({
  type: "object",
  properties: { title: { type: "string" } },
  additionalProperties: false,
});
let hasGone = false;
const current: Validator = (data) => {
  const valid = (hasGone ? since : before)(data);
  current.errors = (hasGone ? since : before).errors ?? null;
  return valid;
};
const former = collection("former", {
  rules: everything,
  validate: current,
  fields: { ...documentFields, title: fields.title },
  fieldRules: [salaryRule],
  references: {
    boss: { database: "main", collection: "former", field: fields.title, key: "id", many: false },
  },
  aggregate: { groupBy: [fields.title], metrics: [] },
});

type Name = "hr" | "payroll" | "audit" | "other";
const tokens: Record<Name, string> = { hr: "", payroll: "", audit: "", other: "" };
let shop: Shop;
beforeAll(async () => {
  shop = await startShop("enabled", [people, mine, dated, nested, former]);
  for (const name of ["hr", "payroll", "audit", "other"] as const) {
    tokens[name] = (await shop.signUp(`${name}@example.com`)).token;
  }
});
afterAll(() => shop.stop());

const full = { title: "Ann", salary: 10, address: { city: "Bern", zip: "3000" } };

async function create(body: JsonObject = full, name = "people", as: Name = "hr"): Promise<string> {
  const answer = await shop.send("POST", name, { body, token: tokens[as] });
  expect(answer.status).toBe(201);
  return text(answer.body, "id");
}

const as = (name: Name, method: string, path: string, body?: JsonObject): Promise<Received> =>
  shop.send(method, path, { token: tokens[name], ...(body && { body }) });

/** What is stored, but for `_meta` and `id`. */
async function stored(id: string, name = "people"): Promise<JsonObject> {
  const { id: _, _meta, ...members } = (await as("hr", "GET", `${name}/${id}`)).body;
  return members;
}

function refuses(answer: Received, ...paths: readonly string[]): void {
  expect([answer.status, code(answer)]).toEqual([403, "forbidden"]);
  expect(details(answer)).toEqual(paths.map((path) => ({ path, reason: "may not be written" })));
}

test("Field rules: a field that the caller may not read is absent from reads, lists and write answers", async () => {
  for (const name of ["payroll", "other"] as const) {
    const id = await create();
    const { body } = await as(name, "GET", `people/${id}`);
    expect(body).toEqual({ id, title: "Ann", address: { city: "Bern" }, _meta: body["_meta"] });
    const { body: page } = await as(name, "GET", "people?limit=100");
    expect(JSON.stringify(page)).not.toMatch(/salary|zip/);
    const { body: patched } = await as(name, "PATCH", `people/${id}`, { qty: 1 });
    expect(Object.keys(patched)).toEqual(["id", "title", "address", "qty", "_meta"]);
  }
  const id = await create();
  expect((await as("audit", "GET", `people/${id}`)).body).toMatchObject(full);
  const created = await as("payroll", "POST", "people", full);
  expect([created.status, "salary" in created.body]).toEqual([201, false]);
  const batch = await as("payroll", "POST", "_batch", {
    operations: [{ op: "create", collection: "people", document: full }],
  });
  expect(batch.text).not.toMatch(/salary|zip/);
  expect((await shop.send("GET", `people/${id}`)).text).not.toMatch(/salary|zip/);
});

test("Field rules: of a field that the schema declares no longer they hold for what is stored", async () => {
  hasGone = false;
  const boss = await create({ title: "Ann", salary: 10 }, "former");
  const id = await create({ title: boss, salary: 20 }, "former");
  hasGone = true;
  const seen = await as("other", "GET", `former/${id}`);
  expect(Object.keys(seen.body)).toEqual(["id", "title", "_meta"]);
  expect(seen.tag).toMatch(/^"1\.r[0-9a-f]{8}"$/);
  expect((await as("audit", "GET", `former/${id}`)).body).toMatchObject({ salary: 20 });
  for (const path of [`former/${id}?expand=boss`, "former?expand=boss", "former"])
    expect((await as("other", "GET", path)).text).not.toContain("salary");
  for (const name of ["other", "hr"] as const) {
    for (const query of ['where={"salary":10}', "order_by=salary"])
      expect(await as(name, "GET", `former?${query}`)).toMatchObject({ status: 400 });
    expect(await as(name, "GET", "former/_aggregate?group_by=salary")).toMatchObject({ status: 400 });
  }
});

test("Field rules: a field that the schema declares no longer does not stand in the way of other writes", async () => {
  hasGone = false;
  const id = await create({ title: "Ann", salary: 10 }, "former");
  hasGone = true;
  const patched = await as("other", "PATCH", `former/${id}`, { title: "Bob" });
  expect([patched.status, patched.text.includes("salary")]).toEqual([200, false]);
  expect(await as("hr", "PATCH", `former/${id}`, { title: "Eve" })).toMatchObject({ status: 200 });
  const replaced = await as("other", "PUT", `former/${id}`, { title: "Cid" });
  expect([replaced.status, replaced.text.includes("salary")]).toEqual([200, false]);
  expect(await stored(id, "former")).toEqual({ title: "Cid", salary: 10 });
  refuses(await as("audit", "PATCH", `former/${id}`, { salary: null }), "salary");
  expect(await as("hr", "PATCH", `former/${id}`, { salary: 11 })).toMatchObject({ status: 400 });
  expect(await as("hr", "PATCH", `former/${id}`, { salary: null })).toMatchObject({ status: 200 });
  expect(await stored(id, "former")).toEqual({ title: "Cid" });
});

test("Field rules: API keys bypass them", async () => {
  const token = await shop.key({ name: "bypass" });
  const created = await shop.send("POST", "people", { body: full, token });
  expect(created.body).toMatchObject(full);
  expect(created.tag).toBe('"1"');
});

test("Field rules: a rule that reads the document hides by document, also in lists", async () => {
  const own = await create({ title: "own", qty: 1 }, "mine", "other");
  const theirs = await create({ title: "theirs", qty: 2 }, "mine", "hr");
  const { body } = await as("other", "GET", "mine?limit=100");
  const items = Array.isArray(body["items"]) ? body["items"].filter(isJsonObject) : [];
  const qtyOf = (id: string) => items.find((item) => item["id"] === id)?.["qty"];
  expect([qtyOf(own), qtyOf(theirs)]).toEqual([1, undefined]);
});

test("Concurrency 4: hidden fields: a suffix on the tag, whether or not the document has them", async () => {
  const [id, without] = [await create(), await create({ title: "Bob" })];
  expect((await as("hr", "GET", `people/${id}`)).tag).toBe('"1"');
  const { tag } = await as("other", "GET", `people/${id}`);
  expect(tag).toMatch(/^"1\.r[0-9a-f]{8}"$/);
  expect((await as("other", "GET", `people/${without}`)).tag).toBe(tag);
  expect((await as("payroll", "GET", `people/${id}`)).tag).toBe(tag);
  const notModified = await shop.send("GET", `people/${id}`, {
    token: tokens.other,
    headers: { "if-none-match": tag ?? "" },
  });
  expect([notModified.status, notModified.tag]).toEqual([304, tag]);
  const plain = await shop.send("GET", `people/${id}`, {
    token: tokens.other,
    headers: { "if-none-match": '"1"' },
  });
  expect(plain.status).toBe(200);
});

test("Concurrency 1: the tag of a caller's view guards their write", async () => {
  const id = await create();
  const { tag } = await as("other", "GET", `people/${id}`);
  const patch = () =>
    shop.send("PATCH", `people/${id}`, {
      token: tokens.other,
      body: { qty: 1 },
      headers: { "if-match": tag ?? "" },
    });
  const first = await patch();
  expect([first.status, first.tag?.startsWith('"2.r')]).toEqual([200, true]);
  const second = await patch();
  expect([second.status, second.tag]).toEqual([412, first.tag]);
});

test("Concurrency 4: the tag of a list covers the view", async () => {
  const [hr, other] = [await as("hr", "GET", "people"), await as("other", "GET", "people")];
  expect(hr.tag).not.toBe(other.tag);
});

test("Field rules: a create that sets a field without the right to is 403 with the path", async () => {
  for (const name of ["audit", "other"] as const) {
    refuses(await as(name, "POST", "people", full), "salary", "address.zip");
    refuses(await as(name, "POST", "people", { title: "a", salary: null }), "salary");
    expect((await as(name, "POST", "people", { title: "a", address: { city: "x" } })).status).toBe(201);
  }
  expect((await as("payroll", "POST", "people", full)).status).toBe(201);
});

test("Field rules: who reads without writing may send the field unchanged, not change or remove it", async () => {
  const id = await create();
  expect((await as("audit", "PUT", `people/${id}`, { ...full, title: "b" })).status).toBe(200);
  expect((await as("audit", "PATCH", `people/${id}`, { salary: 10, qty: 1 })).status).toBe(200);
  refuses(await as("audit", "PUT", `people/${id}`, { ...full, salary: 11 }), "salary");
  refuses(await as("audit", "PATCH", `people/${id}`, { salary: 11 }), "salary");
  refuses(await as("audit", "PATCH", `people/${id}`, { salary: null }), "salary");
  refuses(await as("audit", "PUT", `people/${id}`, { title: "b" }), "salary", "address.zip");
  refuses(await as("audit", "PATCH", `people/${id}`, { address: null }), "address.zip");
});

test("Field rules: who neither reads nor writes gets 403 for naming the field, whatever the value", async () => {
  const id = await create();
  for (const salary of [10, 11, null]) {
    refuses(await as("other", "PATCH", `people/${id}`, { salary }), "salary");
    refuses(await as("other", "PUT", `people/${id}`, { title: "b", salary }), "salary");
  }
  refuses(await as("other", "PATCH", `people/${id}`, { address: { zip: "3000" } }), "address.zip");
  const without = await create({ title: "Bob" });
  refuses(await as("other", "PATCH", `people/${without}`, { salary: null }), "salary");
  expect(await stored(id)).toEqual(full);
});

test("Field rules: leaving a hidden field out, or removing the object around it, keeps what is stored", async () => {
  for (const name of ["other", "payroll"] as const) {
    const id = await create();
    expect((await as(name, "PUT", `people/${id}`, { title: "b" })).status).toBe(200);
    expect(await stored(id)).toEqual({ title: "b", salary: 10, address: { zip: "3000" } });
    const again = await create();
    expect((await as(name, "PATCH", `people/${again}`, { address: null })).status).toBe(200);
    expect(await stored(again)).toEqual({ title: "Ann", salary: 10, address: { zip: "3000" } });
    expect((await as(name, "PUT", `people/${again}`, { title: "c", address: null })).status).toBe(200);
    expect(await stored(again)).toEqual({ title: "c", salary: 10, address: { zip: "3000" } });
    const replaced = await as(name, "PUT", `people/${again}`, { title: "d", address: { city: "Basel" } });
    expect(replaced.body).toMatchObject({ address: { city: "Basel" } });
    expect(await stored(again)).toEqual({ title: "d", salary: 10, address: { city: "Basel", zip: "3000" } });
  }
});

test("Field rules: what is not an object cannot replace the object around a hidden field", async () => {
  for (const address of [{ city: "Bern", zip: "3000" }, { city: "Bern" }]) {
    const id = await create({ title: "a", address });
    refuses(await as("other", "PATCH", `people/${id}`, { address: "none" }), "address.zip");
    refuses(await as("payroll", "PUT", `people/${id}`, { title: "a", address: "none" }), "address.zip");
    expect(await stored(id)).toEqual({ title: "a", address });
  }
  const id = await create({ title: "a", address: "nowhere" });
  expect((await as("other", "PATCH", `people/${id}`, { address: "none" })).status).toBe(200);
});

test("Field rules: who writes without reading sets the field by naming it", async () => {
  const id = await create();
  expect((await as("payroll", "PATCH", `people/${id}`, { salary: 12 })).status).toBe(200);
  expect(await stored(id)).toEqual({ ...full, salary: 12 });
  expect(
    (await as("payroll", "PATCH", `people/${id}`, { salary: null, address: { zip: null } })).status,
  ).toBe(200);
  expect(await stored(id)).toEqual({ title: "Ann", address: { city: "Bern" } });
  expect((await as("payroll", "PUT", `people/${id}`, { title: "b", salary: 13 })).status).toBe(200);
  expect(await stored(id)).toEqual({ title: "b", salary: 13 });
});

test("Field rules: a readable and writable field that a PUT leaves out is removed", async () => {
  const id = await create();
  expect((await as("hr", "PUT", `people/${id}`, { title: "b" })).status).toBe(200);
  expect(await stored(id)).toEqual({ title: "b" });
});

test("Field rules: read is judged by the stored document, write by both", async () => {
  const id = await create({ title: "a", qty: 1 }, "mine", "other");
  expect((await as("other", "PATCH", `mine/${id}`, { qty: 2 })).status).toBe(200);
  refuses(await as("hr", "PATCH", `mine/${id}`, { qty: 2 }), "qty");
});

test("Field rules: a date in another spelling is unchanged", async () => {
  const id = await create({ title: "a", due_at: "2026-03-01T08:00:00.000Z" }, "dated");
  const same = await as("other", "PUT", `dated/${id}`, { title: "b", due_at: "2026-03-01T10:00:00+02:00" });
  expect(same.status).toBe(200);
  refuses(await as("other", "PATCH", `dated/${id}`, { due_at: "2026-03-01T10:00:01+02:00" }), "due_at");
});

test("Field rules: a date stored before its field was one is not changed by a caller who leaves it alone", async () => {
  const [id, due_at] = ["undated", "2026-01-01T01:00:00+01:00"];
  const old = { id, version: 1, text: JSON.stringify({ id, title: "a", due_at }), createdAt: 0 };
  await shop.stored(dated).insert(old);
  expect((await as("other", "PATCH", `dated/${id}`, { title: "b" })).status).toBe(200);
  refuses(await as("other", "PATCH", `dated/${id}`, { due_at: "2026-01-01T00:00:01Z" }), "due_at");
});

test("Field rules: a field is hidden in stored documents of another shape, too", async () => {
  const id = "reshaped";
  const address = [{ city: "Bern", zip: "3000" }, [{ zip: "3001" }], "3002"];
  const old = { id, version: 1, text: JSON.stringify({ id, title: "a", address }), createdAt: 0 };
  await shop.stored(people).insert(old);
  expect((await as("other", "GET", `people/${id}`)).body["address"]).toEqual([
    { city: "Bern" },
    [{}],
    "3002",
  ]);
  expect((await as("hr", "GET", `people/${id}`)).body["address"]).toEqual(address);
});

test("Field rules: what lies inside a hidden object is hidden", async () => {
  const address = { city: "Bern", zip: "3000" };
  const id = await create({ title: "a", address }, "nested");
  expect((await as("other", "GET", `nested/${id}`)).body).not.toHaveProperty("address");
  expect((await as("other", "PUT", `nested/${id}`, { title: "b" })).status).toBe(200);
  expect(await stored(id, "nested")).toEqual({ title: "b", address });
  refuses(
    await as("other", "PATCH", `nested/${id}`, { address: { city: "Bern" } }),
    "address",
    "address.city",
  );
});

test("Field rules: the fields of a batch's operation come with its position", async () => {
  const id = await create();
  const answer = await as("other", "POST", "_batch", {
    operations: [
      { op: "patch", collection: "people", id, patch: { qty: 1 } },
      { op: "patch", collection: "people", id, patch: { salary: 1 } },
    ],
  });
  refuses(answer, "1.salary");
  expect(await stored(id)).toEqual(full);
});

test("Field rules: restored documents keep hidden fields and show the caller's view", async () => {
  const id = await create();
  await as("other", "DELETE", `people/${id}`);
  const restored = await as("other", "POST", `people/${id}/restore`);
  expect(restored.status).toBe(200);
  expect(restored.text).not.toMatch(/salary|zip/);
  expect(restored.tag).toMatch(/^"3\.r[0-9a-f]{8}"$/);
  expect(await stored(id)).toEqual(full);
});

const names = fc.constantFrom("a", "b");
const value = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof({ depthSize: "small" }, fc.constantFrom(null, 1, "x"), fc.dictionary(names, tie("value"))),
})).value;
const object = fc.dictionary(names, value);
const path = fc.array(names, { minLength: 1, maxLength: 3 });
const nobody: RuleContext = {
  user: undefined,
  now: "2026-01-01T00:00:00.000Z",
  appConfig: {},
  memberships: noMemberships,
};

test("Field rules: whatever is patched, a hidden field keeps its value, and a refusal says nothing of it", () => {
  const hide = fc.array(path, { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(object, object, value, hide, (stored, patch, secret, hidden) => {
      const fieldRules = hidden.map((path) => ({ path, read: denied, write: denied }));
      const rules = new FieldRules({ fieldRules, fields: {} });
      const write = (document: JsonObject) => {
        const members = rules.keep(nobody, document, patch, mergePatch(document, patch));
        return { members, refused: rules.refusedInUpdate(nobody, document, patch, members) };
      };
      const { members, refused } = write(stored);
      if (refused.length === 0) {
        for (const path of hidden) expect(valueAt(members, path)).toEqual(valueAt(stored, path));
      }
      const [first = []] = hidden;
      if (valueAt(stored, first) === undefined) return;
      const other = withValue(stored, first, secret);
      if (other === undefined || hidden.length > 1) return;
      expect(write(other).refused).toEqual(refused);
    }),
    { numRuns: runs(400) },
  );
});

test("Field rules: a view never holds a hidden field, and changes nothing else", () => {
  fc.assert(
    fc.property(object, fc.array(path, { maxLength: 3 }), (document, hidden) => {
      const before = JSON.stringify(document);
      const view = without(document, hidden);
      for (const path of hidden) expect(valueAt(view, path)).toBeUndefined();
      expect(JSON.stringify(document)).toBe(before);
      if (hidden.every((path) => valueAt(document, path) === undefined)) expect(view).toEqual(document);
    }),
  );
});
