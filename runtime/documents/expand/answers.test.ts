import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { isJsonObject, type JsonObject } from "../../json.ts";
import { code, type Shop } from "../testing/shop.ts";
import { costs, items, type Published, publication, startPublished } from "./testing/collections.ts";

let shop: Shop;
let id: Published["id"];
beforeAll(async () => {
  ({ shop, id } = await startPublished());
});
afterAll(() => shop.stop());

const get = (name: string, query: string) => shop.send("GET", `posts/${id(name)}?${query}`);

/** The documents in the `_expanded` of one, and in those. */
function expandedDocuments(document: JsonObject): number {
  const entries = Object.values(isJsonObject(document["_expanded"]) ? document["_expanded"] : {});
  return entries
    .flatMap((entry) => (isJsonObject(entry) && Array.isArray(entry["items"]) ? entry["items"] : entry))
    .filter(isJsonObject)
    .reduce((sum, target) => sum + 1 + expandedDocuments(target), 0);
}

describe("Reference expansion 6", () => {
  test.each([
    ["author", "1", "1"],
    ["author,editor", "2", "2"],
    ["author,subject", "2", "2"],
    ["tags", "1", "2"],
    ["related", "1", "2"],
    ["author.team", "2", "2"],
    ["author.boss,author.team,author.tags", "4", "4"],
    ["related.author", "1", "2"],
    ["tags.maker", "2", "4"],
  ])(
    "Reference expansion 6: %s makes %s queries and returns %s documents",
    async (expand, queries, documents) => {
      expect(costs(await get("full", `expand=${expand}`))).toEqual([queries, documents]);
    },
  );

  test("Reference expansion 6: the headers tell what the store is asked and what is answered", async () => {
    const spies = publication.map((definition) => vi.spyOn(shop.stored(definition), "lookup"));
    const finds = publication.map((definition) => vi.spyOn(shop.stored(definition), "find"));
    const expands = [
      "author.team,tags.maker,editor",
      "related.author,related.tags",
      "author.boss,author.tags",
    ];
    for (const expand of expands) {
      for (const spy of [...spies, ...finds]) spy.mockClear();
      const list = await shop.send("GET", `posts?expand=${expand}`);
      const queries = spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
      const documents = items(list).reduce((sum, item) => sum + expandedDocuments(item), 0);
      expect(costs(list)).toEqual([String(queries), String(documents)]);
      expect(finds.reduce((sum, { mock }) => sum + mock.calls.length, 0)).toBe(1);
    }
    vi.restoreAllMocks();
  });

  test("Reference expansion 6: no query where nothing is asked for", async () => {
    expect(costs(await get("plain", "expand=author.team,tags,related"))).toEqual(["0", "0"]);
  });

  test("Reference expansion 6: one query per reference and level however many documents; documents count as they occur", async () => {
    const list = await shop.send("GET", "posts?expand=author.team,tags.maker,editor");
    // Ann and her team twice, Eve once; green, red with their maker; blue, white, blue with theirs.
    expect(costs(list)).toEqual(["5", String(4 + 1 + 4 + 6)]);
  });
});

describe("Reference expansion 7", () => {
  test("Reference expansion 7: private, no-cache, and never 304", async () => {
    const first = await get("full", "expand=author");
    expect(first.headers.get("cache-control")).toBe("private, no-cache");
    expect(first.tag).toBe('"1"');
    for (const tag of [first.tag ?? "", "*"]) {
      const again = await shop.send("GET", `posts/${id("full")}?expand=author`, {
        headers: { "if-none-match": tag },
      });
      expect([again.status, again.text]).toEqual([200, first.text]);
    }
    const list = await shop.send("GET", "posts?expand=author");
    expect(list.headers.get("cache-control")).toBe("private, no-cache");
    const again = await shop.send("GET", "posts?expand=author", {
      headers: { "if-none-match": list.tag ?? "*" },
    });
    expect(again.status).toBe(200);
  });

  test("Reference expansion 7: expand on a write is ignored", async () => {
    const query = "?expand=author,(";
    const made = await shop.send("POST", `posts${query}`, {
      body: { author: id("ann"), _expanded: { a: 1 } },
    });
    expect([made.status, "_expanded" in made.body]).toEqual([201, false]);
    const path = `posts/${made.body["id"]}`;
    const patched = await shop.send("PATCH", `${path}${query}`, { body: { title: "x" } });
    expect([patched.status, "_expanded" in patched.body]).toEqual([200, false]);
    expect((await shop.send("DELETE", `${path}${query}`)).status).toBe(204);
  });

  test("Reference expansion 7: a document that is not there is 404, with or without; HEAD answers the headers", async () => {
    const missing = await shop.send("GET", "posts/00000000000000000000?expand=author");
    expect([missing.status, code(missing)]).toEqual([404, "not_found"]);
    const head = await shop.send("HEAD", `posts/${id("full")}?expand=author`);
    expect([head.status, head.text, ...costs(head)]).toEqual([200, "", "1", "1"]);
  });
});
