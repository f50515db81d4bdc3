import { afterAll, beforeAll, expect, test } from "vitest";
import { eq } from "../filter/algebra.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { allowed, denied } from "../rules/index.ts";
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

const notes = collection("notes");
const empty = collection("empty");
const closed = collection("closed", { rules: { create: allowed } });
const trash = collection("trash", {
  softDelete: {},
  rules: { create: allowed, read: allowed, delete: allowed, restore: denied },
});
const english = collection("english", {
  rules: {
    create: allowed,
    read: { filter: () => eq(fields.lang, "en"), check: (_, document) => document["lang"] === "en" },
  },
});

let shop: Shop;
let members: Shop;
const ids: string[] = [];
beforeAll(async () => {
  shop = await startShop("disabled", [notes, empty]);
  members = await startShop("enabled", [english, closed, trash]);
  for (let qty = 0; qty < 25; qty += 1) {
    const { body } = await shop.send("POST", "notes", { body: { title: "a", qty } });
    ids.push(text(body, "id"));
    if (qty % 3 === 0) shop.clock.advance(1);
  }
});
afterAll(() => Promise.all([shop.stop(), members.stop()]));

function items({ body }: Received): readonly JsonObject[] {
  return Array.isArray(body["items"]) ? body["items"].filter(isJsonObject) : [];
}

test("List response: items, limit, skip and has_more, in order of creation; total only when asked for", async () => {
  const page = await shop.send("GET", "notes");
  expect(page.status).toBe(200);
  expect(Object.keys(page.body)).toEqual(["items", "limit", "skip", "has_more", "next_cursor"]);
  expect(page.body).toMatchObject({ limit: 20, skip: 0, has_more: true });
  expect(items(page).map(({ id }) => id)).toEqual(ids.slice(0, 20));
  const { text: alone } = await shop.send("GET", `notes/${ids[0]}`);
  expect(page.text.startsWith(`{"items":[${alone},`)).toBe(true);
});

test("List query parameters: limit and skip page through everything", async () => {
  const seen: unknown[] = [];
  for (let skip = 0; ; skip += 10) {
    const page = await shop.send("GET", `notes?limit=10&skip=${skip}`);
    expect(page.body).toMatchObject({ limit: 10, skip });
    seen.push(...items(page).map(({ id }) => id));
    expect(page.body["has_more"]).toBe(skip < 20);
    if (page.body["has_more"] === false) break;
  }
  expect(seen).toEqual(ids);
});

test.each([
  ["", 25, 20, true],
  ["&limit=25", 25, 25, false],
  ["&limit=5&skip=22", 25, 3, false],
  ["&skip=25", 25, 0, false],
  ["&skip=2147483647", 25, 0, false],
  ["&limit=1", 25, 1, true],
])("List query parameters: count=true adds the total: %s", async (query, total, length, has_more) => {
  const page = await shop.send("GET", `notes?count=true${query}`);
  expect(page.body).toMatchObject({ total, has_more });
  expect(items(page).length).toBe(length);
  expect((await shop.send("GET", `notes?count=false${query}`)).body).not.toHaveProperty("total");
});

test("List response: an empty collection", async () => {
  const { text: body } = await shop.send("GET", "empty?count=true");
  expect(body).toBe('{"items":[],"limit":20,"skip":0,"has_more":false,"total":0}');
});

test("Limits: limit 1-100, skip, count, deleted: 400 invalid_query with a detail per problem, all at once", async () => {
  const answer = await shop.send("GET", "notes?limit=0&skip=-1&count=yes&deleted=only&color=red&limit=5");
  expect([answer.status, code(answer)]).toEqual([400, "invalid_query"]);
  expect([...paths(answer)].sort()).toEqual(["color", "count", "deleted", "limit", "limit", "skip"]);
});

test.each([
  "limit=101",
  "limit=",
  "limit",
  "limit=1.5",
  "limit=1e1",
  "limit=%31%30%30%30",
  "limit=+5",
  "limit=0x10",
  "limit=99999999999999999999",
  "skip=x",
  "skip=2147483648",
  "skip=99999999999999999999",
  "count=TRUE",
  "count=1",
  "deleted=include",
  "deleted=",
  "limit=1&limit=1",
  "%zz=1",
  "limit=%zz",
  "purge=true",
  "where[x]=1",
])("List query parameters: %s is 400 invalid_query", async (query) => {
  const answer = await shop.send("GET", `notes?${query}`);
  expect([answer.status, code(answer), details(answer).length]).toEqual([400, "invalid_query", 1]);
});

test.each([
  ["file_links=true", "is not available: documents here have no files"],
  ["file_links=no", "must be true or false"],
  ["version=thumb", "must be a version of images of the collection"],
  ["org=x", "is not available: there are no organizations here"],
  ["team=x", "is not available: there are no teams here"],
])("List query parameters: %s is 400 invalid_query: %s", async (query, reason) => {
  const answer = await shop.send("GET", `notes?${query}`);
  expect([answer.status, code(answer), details(answer)]).toEqual([
    400,
    "invalid_query",
    [{ path: query.split("=")[0], reason }],
  ]);
});

test("List query parameters: file_links=false is the default, also of one document", async () => {
  for (const path of ["notes", `notes/${ids[0]}`]) {
    const [plain, without] = [
      await shop.send("GET", path),
      await shop.send("GET", `${path}?file_links=false`),
    ];
    expect(without).toMatchObject({ status: 200, text: plain.text, tag: plain.tag });
  }
});

test.each(["limit=1", "where={}", "file_links=true", "deleted=only", "x=1"])(
  "List query parameters: GET of one document with %s is 400 invalid_query",
  async (query) => {
    const answer = await shop.send("GET", `notes/${ids[0]}?${query}`);
    expect([answer.status, code(answer)]).toEqual([400, "invalid_query"]);
  },
);

test("Lists show, count and page over only what the read rule allows", async () => {
  for (const lang of ["en", "de", "en", "fr", "en"]) {
    await members.send("POST", "english", { body: { title: "a", lang } });
  }
  const page = await members.send("GET", "english?limit=2&count=true");
  expect(page.body).toMatchObject({ has_more: true, total: 3 });
  expect(items(page).map(({ lang }) => lang)).toEqual(["en", "en"]);
  const last = await members.send("GET", "english?limit=2&skip=2");
  expect(items(last).length).toBe(1);
  expect(last.body["has_more"]).toBe(false);
});

test("Refusals: who may read nothing is refused before the query is read, and the trash after it", async () => {
  const { token } = await members.signUp("ann@example.com");
  const queries = [
    "",
    "?where={",
    "?nonsense=1",
    "?where=%7B%22%24search%22%3A1%7D",
    "?expand=x",
    "?deleted=only",
  ];
  for (const query of queries) {
    const answers = [
      await members.send("GET", `closed${query}`),
      await members.send("GET", `closed${query}`, { token }),
    ];
    expect(answers.map(code)).toEqual(["unauthenticated", "forbidden"]);
  }
  expect(code(await members.send("GET", "trash?deleted=only", { token }))).toBe("forbidden");
  expect(code(await members.send("GET", "trash?deleted=only&where={", { token }))).toBe("invalid_query");
});

test("List query parameters: where and order_by go with count, limit, skip and the read rule", async () => {
  const asked = `where=${encodeURIComponent('{"qty":{"$gte":5}}')}&order_by=-qty&count=true`;
  const page = await shop.send("GET", `notes?${asked}&limit=3&skip=2`);
  expect(page.body).toMatchObject({ limit: 3, skip: 2, has_more: true, total: 20 });
  expect(items(page).map(({ qty }) => qty)).toEqual([22, 21, 20]);
  const german = `where=${encodeURIComponent('{"$or":[{"lang":"de"},{"lang":{"$isNull":false}}]}')}`;
  expect(items(await members.send("GET", `english?${german}`)).map(({ lang }) => lang)).toEqual([
    "en",
    "en",
    "en",
  ]);
});
