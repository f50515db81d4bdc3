import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { eq } from "../filter/algebra.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { allowed, byCaller } from "../rules/index.ts";
import { BatchDocuments } from "./batch/documents.ts";
import {
  code,
  collection,
  details,
  fields,
  paths,
  type Received,
  type Shop,
  startShop,
  text,
} from "./testing/shop.ts";

const notes = collection("notes", {
  indexes: [{ name: "slug", keys: [{ field: fields.slug, descending: false }], unique: true }],
});
const softly = collection("softly", { softDelete: {} });
const chosen = collection("chosen", { customId: { duplicateLimit: 100 } });
const english = collection("english", {
  rules: {
    read: { filter: () => eq(fields.lang, "en"), check: (_, document) => document["lang"] === "en" },
    create: allowed,
    update: { check: (_, document) => document["qty"] !== 0 },
    delete: allowed,
  },
});
const staff = collection("staff", {
  rules: { create: byCaller(({ user }) => user !== undefined), read: allowed },
});

let shop: Shop;
let members: Shop;
let token: string;
beforeAll(async () => {
  shop = await startShop("disabled", [notes, softly, chosen]);
  members = await startShop("enabled", [english, staff]);
  ({ token } = await members.signUp("user@example.com"));
});
afterAll(() => Promise.all([shop.stop(), members.stop()]));

const batch = (...operations: readonly JsonValue[]): Promise<Received> =>
  shop.send("POST", "_batch", { body: { operations } });

function results({ status, body }: Received): readonly JsonObject[] {
  expect(status).toBe(200);
  return Array.isArray(body["results"]) ? body["results"].filter(isJsonObject) : [];
}

async function create(body: JsonObject = { title: "a" }, name = "notes", on = shop): Promise<string> {
  return text((await on.send("POST", name, { body })).body, "id");
}

test("Batch: one result per operation in order: the written document, or only the id for a delete", async () => {
  const [one, two, three] = [await create(), await create(), await create({ title: "c" }, "softly")];
  const answer = await batch(
    { op: "create", collection: "notes", document: { title: "new" } },
    { op: "replace", collection: "notes", id: one, document: { title: "replaced" } },
    { op: "patch", collection: "notes", id: two, patch: { qty: 5 } },
    { op: "delete", collection: "notes", id: one, if_match: "*" },
    { op: "delete", collection: "softly", id: three },
  );
  const [created = {}, replaced, patched, ...deleted] = results(answer);
  expect(created).toMatchObject({ title: "new", _meta: { version: 1 } });
  expect(replaced).toMatchObject({ id: one, title: "replaced", _meta: { version: 2 } });
  expect(patched).toMatchObject({ id: two, title: "a", qty: 5, _meta: { version: 2 } });
  expect(deleted).toEqual([{ id: one }, { id: three }]);
  expect((await shop.send("GET", `notes/${text(created, "id")}`)).body).toEqual(created);
  expect((await shop.send("GET", `notes/${two}`)).body).toEqual(patched);
  expect((await shop.send("GET", `notes/${one}`)).status).toBe(404);
  expect((await shop.send("GET", `softly/${three}?deleted=only`)).body).toMatchObject({
    _meta: { version: 2 },
  });
});

test("Batch: atomic: a failure aborts everything, with the operation's position", async () => {
  const id = await create();
  const before = (await shop.send("GET", "notes?count=true")).body["total"];
  const answer = await batch(
    { op: "create", collection: "notes", document: { title: "new" } },
    { op: "patch", collection: "notes", id, patch: { title: "changed" } },
    { op: "delete", collection: "notes", id: "nobody" },
  );
  expect([answer.status, code(answer), paths(answer)]).toEqual([404, "not_found", ["2"]]);
  expect((await shop.send("GET", `notes/${id}`)).tag).toBe('"1"');
  expect((await shop.send("GET", "notes?count=true")).body["total"]).toBe(before);
});

test("Fine points: operations run in order, each seeing the ones before it", async () => {
  const [, , patched] = results(
    await batch(
      { op: "create", collection: "chosen", id: "seen", document: { title: "a" } },
      { op: "patch", collection: "chosen", id: "seen", patch: { qty: 1 }, if_match: "1" },
      { op: "patch", collection: "chosen", id: "seen", patch: { lang: "en" }, if_match: '"2"' },
    ),
  );
  expect(patched).toMatchObject({ title: "a", qty: 1, lang: "en", _meta: { version: 3 } });
  const again = await batch(
    { op: "delete", collection: "chosen", id: "seen" },
    { op: "patch", collection: "chosen", id: "seen", patch: {} },
  );
  expect([again.status, paths(again)]).toEqual([404, ["1"]]);
  results(
    await batch(
      { op: "delete", collection: "chosen", id: "seen" },
      { op: "create", collection: "chosen", id: "seen", document: { title: "reborn" } },
    ),
  );
  expect((await shop.send("GET", "chosen/seen")).body).toMatchObject({
    title: "reborn",
    _meta: { version: 1 },
  });
  results(
    await batch(
      { op: "create", collection: "notes", document: { title: "a", slug: "moved" } },
      { op: "create", collection: "notes", document: { title: "b", slug: "stays" } },
    ),
  );
});

test("Fine points: ids made in one batch list in the order of its operations", async () => {
  const operations = Array.from({ length: 100 }, (_, qty) => ({
    op: "create",
    collection: "softly",
    document: { title: "o", qty },
  }));
  const ids = results(await batch(...operations)).map(({ id }) => id);
  const { body } = await shop.send("GET", "softly?limit=100&skip=0");
  const listed = Array.isArray(body["items"]) ? body["items"].filter(isJsonObject).map(({ id }) => id) : [];
  expect(ids.length).toBe(100);
  expect(listed).toEqual(ids);
});

test("Limits: more than 100 or no operations: 400 validation_error, path operations", async () => {
  const operation = { op: "create", collection: "notes", document: { title: "a" } };
  for (const operations of [[], Array.from({ length: 101 }, () => operation), "x", null, {}]) {
    const answer = await shop.send("POST", "_batch", { body: { operations } });
    expect([answer.status, code(answer), paths(answer)]).toEqual([400, "validation_error", ["operations"]]);
  }
  expect(paths(await shop.send("POST", "_batch", { body: {} }))).toEqual(["operations"]);
  expect(code(await shop.send("POST", "_batch"))).toBe("invalid_json");
});

test("Fine points: malformed members are validation_error, path <n>.<member>, all at once", async () => {
  const answer = await shop.send("POST", "_batch", {
    body: {
      atomic: true,
      operations: [
        5,
        { collection: "notes" },
        { op: "constructor", collection: "notes" },
        { op: "create", collection: 5, document: { title: "a" } },
        { op: "create", collection: "notes", document: [] },
        { op: "replace", collection: "notes", document: { title: "a" } },
        { op: "patch", collection: "notes", id: 7, document: {} },
        { op: "delete", collection: "notes", id: "x", if_match: 3 },
        { op: "create", collection: "notes", document: { title: "a" }, if_match: "1" },
      ],
    },
  });
  expect([answer.status, code(answer)]).toEqual([400, "validation_error"]);
  expect(paths(answer)).toEqual([
    "atomic",
    "0",
    "1.op",
    "2.op",
    "3.collection",
    "4.document",
    "5.id",
    "6.document",
    "6.id",
    "6.patch",
    "7.if_match",
    "8.if_match",
  ]);
});

test("Fine points: a malformed if_match is invalid_header, path <n>.if_match", async () => {
  const id = await create();
  const answer = await batch(
    { op: "patch", collection: "notes", id, patch: {}, if_match: '"1"' },
    { op: "patch", collection: "notes", id, patch: {}, if_match: "two" },
  );
  expect([answer.status, code(answer), paths(answer)]).toEqual([400, "invalid_header", ["1.if_match"]]);
});

test.each(["3", '"3"', '"2", "3"', "*", '"3.r00c0ffee"'])(
  "Fine points: if_match %s matches version 3",
  async (if_match) => {
    const id = await create();
    results(
      await batch(
        { op: "patch", collection: "notes", id, patch: {} },
        { op: "patch", collection: "notes", id, patch: {} },
        { op: "replace", collection: "notes", id, document: { title: "b" }, if_match },
      ),
    );
  },
);

test("Errors: a version mismatch in a batch is 412 with the operation's position as path", async () => {
  const id = await create();
  const answer = await batch(
    { op: "create", collection: "notes", document: { title: "a" } },
    { op: "delete", collection: "notes", id, if_match: "2" },
  );
  expect([answer.status, code(answer), paths(answer), answer.tag]).toEqual([
    412,
    "version_mismatch",
    ["1"],
    null,
  ]);
});

test("Errors, note 1: schema failures inside an operation prefix the field path", async () => {
  const answer = await batch(
    { op: "create", collection: "notes", document: { title: "a" } },
    { op: "create", collection: "notes", document: { title: "a", qty: "x", address: { zip: 5 } } },
  );
  expect([answer.status, code(answer), paths(answer)]).toEqual([
    400,
    "validation_error",
    ["1.qty", "1.address.zip"],
  ]);
});

test("Errors, note 1: what no document may hold is named by its path in the operation", async () => {
  const text =
    '{"operations":[{"op":"create","collection":"notes","document":{"title":"a","_meta":{"$x":1}}},{"op":"create","collection":"notes","document":{"title":"a","extra":{"a.b":1}}}]}';
  const answer = await shop.send("POST", "_batch", { text });
  expect([answer.status, code(answer), paths(answer)]).toEqual([400, "validation_error", ["1.extra.a.b"]]);
});

test("Errors, note 1: a unique clash names the position and the field", async () => {
  const answer = await batch(
    { op: "create", collection: "notes", document: { title: "a", slug: "twice" } },
    { op: "create", collection: "notes", document: { title: "b", slug: "twice" } },
  );
  expect([answer.status, code(answer), details(answer)]).toEqual([
    409,
    "conflict",
    [{ path: "1.slug", reason: "must be unique" }],
  ]);
});

test("Batch: an unknown collection is 404 with the position", async () => {
  for (const name of ["nowhere", "english", "constructor", ""]) {
    const answer = await batch({ op: "create", collection: name, document: { title: "a" } });
    expect([answer.status, code(answer), paths(answer)]).toEqual([404, "not_found", ["0"]]);
  }
});

test("Custom ids 5: batch creates send the id beside the document", async () => {
  expect(code(await batch({ op: "create", collection: "chosen", document: { title: "a" } }))).toBe(
    "id_required",
  );
  expect(code(await batch({ op: "create", collection: "chosen", id: 5, document: { title: "a" } }))).toBe(
    "invalid_id",
  );
  expect(code(await batch({ op: "create", collection: "notes", id: "x", document: { title: "a" } }))).toBe(
    "id_not_allowed",
  );
  const taken = await batch(
    { op: "create", collection: "chosen", id: "twin", document: { title: "a" } },
    { op: "create", collection: "chosen", id: "twin", document: { title: "b" } },
  );
  expect([taken.status, code(taken), paths(taken)]).toEqual([409, "id_taken", ["1"]]);
  expect((await shop.send("GET", "chosen/twin")).status).toBe(404);
});

test("Fine points: rules hold for each operation as it finds the documents", async () => {
  const send = (...operations: readonly JsonValue[]) =>
    members.send("POST", "_batch", { token, body: { operations } });
  const id = await create({ title: "a", lang: "en" }, "english", members);
  const hiding = await send(
    { op: "patch", collection: "english", id, patch: { lang: "de" } },
    { op: "patch", collection: "english", id, patch: { lang: "en" } },
  );
  expect([hiding.status, paths(hiding)]).toEqual([404, ["1"]]);
  const freezing = await send(
    { op: "patch", collection: "english", id, patch: { qty: 0 } },
    { op: "patch", collection: "english", id, patch: { qty: 1 } },
  );
  expect([freezing.status, code(freezing), paths(freezing)]).toEqual([403, "forbidden", ["1"]]);
  const create_ = { op: "create", collection: "staff", document: { title: "a" } };
  const anonymous = await members.send("POST", "_batch", { body: { operations: [create_] } });
  expect([anonymous.status, paths(anonymous)]).toEqual([401, ["0"]]);
  expect((await send(create_)).status).toBe(200);
  expect((await members.send("GET", `english/${id}`)).tag).toBe('"1"');
});

test("Batch: of creates that follow one another the first that fails is named, whoever refuses it", async () => {
  const operations = (...documents: readonly JsonObject[]) =>
    documents.map((document) => ({ op: "create", collection: "chosen", document }));
  await batch(...operations({ id: "taken", title: "a" }));
  const stored = await batch(
    ...operations({ id: "c1", title: "a" }, { id: "taken", title: "b" }, { id: "c2" }),
  );
  expect([stored.status, code(stored), paths(stored)]).toEqual([409, "id_taken", ["1"]]);
  const invalid = await batch(
    ...operations({ id: "c1", title: "a" }, { id: "c2" }, { id: "taken", title: "b" }),
  );
  expect([invalid.status, paths(invalid)]).toEqual([400, ["1.title"]]);
  const twice = await batch(...operations({ id: "c1", title: "a" }, { id: "c1", title: "b" }));
  expect([twice.status, paths(twice)]).toEqual([409, ["1"]]);
  expect((await shop.send("GET", "chosen/c1")).status).toBe(404);
});

test("Batch: what asks nothing of the store is decided before its turn to write", async () => {
  const id = await create();
  const order: string[] = [];
  const store = shop.store("shop");
  const { transaction } = store;
  const turn = vi.spyOn(store, "transaction").mockImplementation((work, options) => {
    order.push(`turn of ${options?.bytes} bytes`);
    return Reflect.apply(transaction, store, [work, options]);
  });
  const { validate } = notes;
  const validated = vi.spyOn(notes, "validate").mockImplementation((document) => {
    order.push("validated");
    return validate(document);
  });
  try {
    const operations = [
      { op: "create", collection: "notes", document: { title: "new" } },
      { op: "replace", collection: "notes", id, document: { title: "replaced" } },
      { op: "patch", collection: "notes", id, patch: { qty: 1 } },
      { op: "create", collection: "notes", document: { title: "newer" } },
    ];
    expect(results(await batch(...operations))).toHaveLength(4);
    const size = JSON.stringify({ operations }).length;
    // A patch is validated once it is known what it makes.
    expect(order.splice(0)).toEqual([
      "validated",
      "validated",
      "validated",
      `turn of ${size} bytes`,
      "validated",
    ]);
    const refused = await batch({ op: "create", collection: "nothing", document: {} }, ...operations);
    expect([refused.status, paths(refused)]).toEqual([404, ["0"]]);
    expect(order).toEqual([]);
  } finally {
    turn.mockRestore();
    validated.mockRestore();
  }
});

test("Batch: the first operation that fails in order is named, whatever was found wrong with later ones before", async () => {
  const id = await create();
  const invalid = { op: "create", collection: "notes", document: {} };
  const misfit = { op: "replace", collection: "notes", id, document: { title: 3 } };
  const missing = { op: "delete", collection: "notes", id: "nobody" };
  const good = { op: "patch", collection: "notes", id, patch: { qty: 1 } };
  const answers = [];
  for (const operations of [
    [good, missing, invalid],
    [good, invalid, missing],
    [good, misfit, invalid],
    [good, { ...misfit, if_match: "9" }, invalid],
    [good, { op: "delete", collection: "nothing", id }, missing],
  ]) {
    const answer = await batch(...operations);
    answers.push([answer.status, paths(answer)]);
  }
  expect(answers).toEqual([
    [404, ["1"]],
    [400, ["1.title"]],
    [400, ["1.title"]],
    [412, ["1"]],
    [404, ["1"]],
  ]);
  expect((await shop.send("GET", `notes/${id}`)).tag).toBe('"1"');
});

test("Batch: parallel batches are atomic: no update of either is lost or half applied", async () => {
  const [one, two] = [await create({ title: "a", qty: 0 }), await create({ title: "b", qty: 0 })];
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, at) =>
      batch(
        { op: "patch", collection: "notes", id: one, patch: { extra: { [`n${at}`]: true } } },
        { op: "patch", collection: "notes", id: two, patch: { extra: { [`n${at}`]: true } } },
      ),
    ),
  );
  const applied = answers.filter(({ status }) => status === 200).length;
  expect(applied).toBeGreaterThan(0);
  const [first, second] = [await shop.send("GET", `notes/${one}`), await shop.send("GET", `notes/${two}`)];
  expect([first.tag, second.tag]).toEqual([`"${applied + 1}"`, `"${applied + 1}"`]);
  expect(first.body["extra"]).toEqual(second.body["extra"]);
  expect(Object.keys(Object(first.body["extra"])).length).toBe(applied);
});

test("Batch: documents read or written before are not read again", async () => {
  let reads = 0;
  const documents = new BatchDocuments({
    async get(id) {
      reads += 1;
      return id === "old" ? { id, version: 1, text: "{}" } : undefined;
    },
    insert: () => Promise.resolve(),
    insertAll: () => Promise.resolve(),
    replace: (expected) => Promise.resolve(expected === 1),
    remove: () => Promise.resolve(true),
  });
  expect(await documents.get("old", "live")).toMatchObject({ version: 1 });
  expect(await documents.replace(1, { id: "old", version: 2, text: "{}", createdAt: 0 })).toBe(true);
  expect(await documents.replace(7, { id: "old", version: 8, text: "{}", createdAt: 0 })).toBe(false);
  expect(await documents.get("old", "live")).toMatchObject({ version: 2 });
  await documents.insert({ id: "new", version: 1, text: "{}", createdAt: 0 });
  await documents.insertAll([{ id: "newer", version: 1, text: "{}", createdAt: 0 }]);
  expect(await documents.get("new", "live")).toMatchObject({ version: 1 });
  expect(await documents.get("newer", "live")).toMatchObject({ version: 1 });
  await documents.replace(1, { id: "new", version: 2, text: "{}", createdAt: 0, deletedAt: 1 });
  expect(await documents.get("new", "live")).toBeUndefined();
  await documents.remove("old");
  expect(await documents.get("old", "live")).toBeUndefined();
  expect(reads).toBe(1);
});

test("Batch request: a create whose id and document.id differ is 400 validation_error", async () => {
  const create = (collection: string, id: JsonValue, document: JsonObject) => ({
    op: "create",
    collection,
    id,
    document: { title: "a", ...document },
  });
  for (const [id, other] of [
    ["one", "two"],
    [null, "two"],
    [1, 2],
    [{}, {}],
  ] as const) {
    const answer = await batch(create("chosen", "fine", {}), create("chosen", id, { id: other }));
    expect([answer.status, code(answer), details(answer)]).toEqual([
      400,
      "validation_error",
      [{ path: "1.id", reason: "differs from the id in document" }],
    ]);
  }
  expect((await batch(create("chosen", "same", { id: "same" }), create("chosen", "own", {}))).status).toBe(
    200,
  );
});
