import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { userAdministrationRoutes } from "../auth/administration/routes.ts";
import { documentFields, field } from "../filter/fields.ts";
import { textIndex } from "../filter/search/index.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { allowed } from "../rules/index.ts";
import { collection, type Received, type Shop, startShop, text } from "./testing/shop.ts";

const fields = {
  ...documentFields,
  name: field("name", "string"),
  rank: field("rank", "integer"),
  tags: field("tags", "string", ["tags"]),
};
const notes = collection("notes", {
  fields,
  validate: () => true,
  softDelete: {},
  text: textIndex({ fields: [{ field: fields.name, weight: 1 }], defaultLanguage: "none" }),
  rules: { create: allowed, read: allowed, delete: allowed, restore: allowed },
  publicMaxAge: 60,
});

/** Characters that a page has room for, and of the long documents. */
const room = 10_000;
const long = 4_000;

let shop: Shop;
let key: string;
const ids: string[] = [];
beforeAll(async () => {
  shop = await startShop("enabled", [notes], {
    settings: { pageCharacters: room },
    routes: [userAdministrationRoutes("shop")],
  });
  key = await shop.key({ admin: ["data"] });
  for (let n = 0; n < 24; n += 1) {
    // The eighth of them is longer than a page by itself.
    const length = n === 8 ? 3 * room : n % 2 === 0 ? long : 10;
    const body = {
      name: "word ".repeat(1 + (n % 3)),
      rank: n % 5,
      tags: [`t${n}`],
      extra: "x".repeat(length),
    };
    const id = text((await shop.send("POST", "notes", { body })).body, "id");
    if (n % 6 === 5) await shop.send("DELETE", `notes/${id}`, { token: key });
    else ids.push(id);
  }
});
afterAll(() => shop.stop());

const list = (query: string, headers = {}) => shop.send("GET", `notes?${query}`, { headers });

function itemsOf({ body }: Pick<Received, "body">): readonly JsonObject[] {
  return Array.isArray(body["items"]) ? body["items"].filter(isJsonObject) : [];
}

const idsOf = (page: Pick<Received, "body">) => itemsOf(page).map((item) => text(item, "id"));

/** Every page of a list: by cursor where there is one, else by the number of items. */
async function pagesOf(
  query: string,
  by: "cursor" | "skip",
  get: (query: string) => Promise<Received> = list,
): Promise<readonly Received[]> {
  const pages: Received[] = [];
  let position = "";
  let skip = 0;
  for (;;) {
    const page = await get(`${query}${position}`);
    expect(page.status, page.text).toBe(200);
    pages.push(page);
    if (page.body["has_more"] !== true) return pages;
    skip += itemsOf(page).length;
    position = by === "skip" ? `&skip=${skip}` : `&after=${text(page.body, "next_cursor")}`;
  }
}

const lengthOf = (page: Received) =>
  itemsOf(page).reduce((sum, item) => sum + JSON.stringify(item).length, 0);

describe("Pages bounded in characters: a page cut by it has fewer items, has_more and a cursor", () => {
  test("the documents of a page have room in it, unless there is only one", async () => {
    const pages = await pagesOf("limit=100", "cursor");
    expect(pages.length).toBeGreaterThan(4);
    for (const page of pages) {
      expect(page.body).toMatchObject({ limit: 100 });
      if (itemsOf(page).length > 1) expect(lengthOf(page)).toBeLessThanOrEqual(room);
    }
    expect(pages.some((page) => lengthOf(page) > 3 * room)).toBe(true);
    expect(pages.slice(0, -1).every(({ body }) => typeof body["next_cursor"] === "string")).toBe(true);
    expect(pages.at(-1)?.body["next_cursor"]).toBeUndefined();
  });

  test.each([
    ["limit=100"],
    ["limit=3"],
    ["limit=100&order_by=id"],
    ["limit=100&order_by=-rank"],
    ["limit=100&order_by=rank,-_meta.created_at"],
    [`limit=100&where=${encodeURIComponent('{"rank":{"$gte":0}}')}`],
  ])("a walk by cursor, and one by skip, meet every document once: %s", async (query) => {
    const cursor = (await pagesOf(query, "cursor")).flatMap(idsOf);
    expect(cursor.toSorted()).toEqual(ids.toSorted());
    expect((await pagesOf(query, "skip")).flatMap(idsOf)).toEqual(cursor);
  });

  test("where the order has no cursor, and by relevance, the client goes on by the number of items", async () => {
    const search = encodeURIComponent('{"$search":"word"}');
    for (const query of ["limit=100&order_by=tags", `limit=100&where=${search}&order_by=_relevance`]) {
      const pages = await pagesOf(query, "skip");
      expect(pages.length).toBeGreaterThan(4);
      expect(pages[0]?.body["next_cursor"]).toBeUndefined();
      expect(pages.flatMap(idsOf).toSorted()).toEqual(ids.toSorted());
    }
  });

  test("count=true counts all of them, on the first page and on the last", async () => {
    const pages = await pagesOf("limit=100&count=true", "skip");
    expect(pages.map(({ body }) => body["total"])).toEqual(pages.map(() => ids.length));
  });

  test("the trash, alone and beside the others", async () => {
    const get = (query: string) => shop.send("GET", `notes?${query}`, { token: key });
    const trash = (await pagesOf("limit=100&deleted=only", "cursor", get)).flatMap(idsOf);
    expect(trash).toHaveLength(4);
    const all = await pagesOf("limit=100&deleted=include", "cursor", get);
    expect(all.flatMap(idsOf).toSorted()).toEqual([...ids, ...trash].toSorted());
  });

  test("administrators' lists of documents", async () => {
    const get = (query: string) => shop.send("GET", `../_admin/data/main/notes?${query}`, { token: key });
    const pages = await pagesOf("limit=100", "cursor", get);
    expect(pages.length).toBeGreaterThan(4);
    expect(pages.flatMap(idsOf)).toEqual(ids);
  });

  test("a cut page has a tag of its own, and is 304 to whoever has it", async () => {
    const page = await list("limit=100");
    expect(page.headers.get("cache-control")).toBe("public, max-age=60");
    const same = await list("limit=100", { "if-none-match": page.tag ?? "" });
    expect(same).toMatchObject({ status: 304, text: "", tag: page.tag });
    // The same documents, and no more of them.
    const last = await list(`limit=${itemsOf(page).length}`);
    expect(idsOf(last)).toEqual(idsOf(page));
    const changed = await list("limit=100&skip=1", { "if-none-match": page.tag ?? "" });
    expect(changed.status).toBe(200);
  });
});

test("Pages bounded in characters: lists outside documents", async () => {
  const boss = await shop.key({ name: "boss", admin: true });
  for (let n = 0; n < 9; n += 1) {
    const body = {
      email: `u${n}@example.com`,
      password: "correct horse",
      profile: { text: "x".repeat(3_000) },
    };
    expect((await shop.send("POST", "../_admin/users", { body, token: boss })).status).toBe(201);
  }
  const get = (query: string) => shop.send("GET", `../_admin/users?${query}`, { token: boss });
  const pages = await pagesOf("limit=100", "cursor", get);
  expect(pages.map((page) => itemsOf(page).length)).toEqual([2, 2, 2, 2, 1]);
  expect(new Set(pages.flatMap(idsOf)).size).toBe(9);
});
