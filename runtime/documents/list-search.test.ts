import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { apiError } from "../http/failures.ts";
import { realmOf } from "../http/testing/server.ts";
import { isJsonObject, type JsonValue } from "../json.ts";
import type { Exchange } from "../realm/exchange.ts";
import type { StoreCollection } from "../store/contract/collection.ts";
import { IndexBuilding, QueryTimeout, StoreBusy } from "../store/contract/errors.ts";
import type { Store } from "../store/contract/store.ts";
import { isEmbedded } from "../store/testing/stores.ts";
import { listDocuments } from "./routes/list.ts";
import { code, details, type Received, text } from "./testing/shop.ts";
import { itemsOf, sizes, Texts, unruled } from "./testing/texts.ts";

let texts: Texts;
beforeAll(async () => {
  texts = await Texts.start();
});
afterAll(() => texts.stop());

test("Full-text search 1: without a text index: 400 search_not_enabled", async () => {
  for (const where of [{ $search: "x" }, { $search: 5 }, { $search: "", title: 5, nope: 1 }]) {
    const answer = await texts.list("plain", { where });
    expect([answer.status, code(answer), details(answer).map(({ path }) => path)]).toEqual([
      400,
      "search_not_enabled",
      ["where.$search"],
    ]);
  }
});

describe("Full-text search 2: a top-level key, ANDed", () => {
  test("Full-text search 2: with other conditions, groups beside it, and the read rule", async () => {
    expect(sizes(await texts.list("texts", { where: { $search: "runs", size: { $gt: 1 } } }))).toEqual([2]);
    expect(
      sizes(await texts.list("texts", { where: { $or: [{ size: 1 }, { size: 4 }], $search: "runs fox" } })),
    ).toEqual([1, 4]);
    expect(sizes(await texts.list("texts", { where: { $search: "runs", size: { $in: [] } } }))).toEqual([]);
    for (const lang of ["en", "de"]) {
      await texts.locked.send("POST", "visible", { body: { title: "fox", lang, size: lang.length } });
    }
    const page = await texts.list(
      "visible",
      { where: { $search: "fox" }, more: "&count=true" },
      texts.locked,
    );
    expect([itemsOf(page).map(({ lang }) => lang), page.body["total"]]).toEqual([["en"], 1]);
  });

  test.each(["texts", "plain"])(
    "Full-text search 2: inside $or or $and: 400 invalid_query: %s",
    async (name) => {
      for (const [where, path] of [
        [{ $or: [{ title: "a" }, { $search: "x" }] }, "where.$or.1.$search"],
        [{ $and: [{ $search: "x" }] }, "where.$and.0.$search"],
        [{ $and: [{ $or: [{ $search: 5 }] }] }, "where.$and.0.$or.0.$search"],
      ] as const) {
        const answer = await texts.list(name, { where });
        expect([answer.status, code(answer), details(answer)]).toEqual([
          400,
          "invalid_query",
          [{ path, reason: "must stand at the top of where, not in a group" }],
        ]);
      }
    },
  );

  test("Full-text search 2: it is an operator of no field", async () => {
    const answer = await texts.list("texts", { where: { title: { $search: "x" } } });
    expect(details(answer)).toEqual([{ path: "where.title.$search", reason: "unknown operator" }]);
  });
});

describe("Full-text search 3: words, phrases, exclusions", () => {
  test.each<[string, readonly number[]]>([
    ["running", [1, 2]],
    ["fox house", [2, 4]],
    ['"brown fox"', [4]],
    ['"fox brown"', []],
    ['"quick brown" house', [4]],
    ["runs -family", [1]],
    ['fox -"lazy dog"', []],
    ["-fox", []],
    ["nothing", []],
    ["fox OR house", [2, 4]],
    ["fo*", []],
    ["title:fox", [4]],
    ["(fox) AND {house}", [2, 4]],
    ['fox"', [4]],
  ])("Full-text search 3: %s", async (value, expected) => {
    expect(await texts.found(value)).toEqual(expected);
  });

  test.each<[JsonValue, string]>([
    [5, "must be a string"],
    [null, "must be a string"],
    [["fox"], "must be a string"],
    [{ $eq: "fox" }, "must be a string"],
    ["a\0b", "must not hold NUL or a lone surrogate"],
    ["\ud800", "must not hold NUL or a lone surrogate"],
  ])("Full-text search 3: %j is refused", async ($search, reason) => {
    const answer = await texts.list("texts", { where: { $search } });
    expect([answer.status, code(answer), details(answer)]).toEqual([
      400,
      "invalid_query",
      [{ path: "where.$search", reason }],
    ]);
  });

  test.each(["", " ", "!?", '""', "-", "é".repeat(129), "x ".repeat(11), '"a b" '.repeat(11)])(
    "Limits: $search text: 256 bytes, 10 terms, and one at least: %j is refused",
    async ($search) => {
      const answer = await texts.list("texts", { where: { $search, nope: 1 } });
      expect([answer.status, code(answer)]).toEqual([400, "invalid_query"]);
      expect(details(answer).map(({ path }) => path)).toEqual(["where.$search", "where.nope"]);
    },
  );

  test("Limits: $search text: 256 bytes and 10 terms are taken, and count as one condition", async () => {
    expect((await texts.list("texts", { where: { $search: "é".repeat(128) } })).status).toBe(200);
    const $search = '"a b" '.repeat(10);
    const $or = Array.from({ length: 31 }, (_, size) => ({ size }));
    expect((await texts.list("texts", { where: { $search, $or } })).status).toBe(200);
    const answer = await texts.list("texts", { where: { $search, $or: [...$or, { size: 0 }] } });
    expect(details(answer)).toEqual([{ path: "where", reason: "must have at most 32 conditions" }]);
  });
});

describe("Full-text search 5: relevance", () => {
  const byRelevance = (where: JsonValue, more = "") =>
    texts.list("texts", { where, more: `&order_by=_relevance${more}` });
  const scores = (page: Received) =>
    itemsOf(page).map(({ _meta }) => (isJsonObject(_meta) ? Number(_meta["score"]) : Number.NaN));

  test("Full-text search 5: by match quality, higher weight counts more; the score is in _meta", async () => {
    const page = await byRelevance({ $search: "house home run" });
    expect(sizes(page)).toEqual([2, 1]);
    const [first = 0, second = 0] = scores(page);
    expect(first).toBeGreaterThan(second);
    expect(second).toBeGreaterThan(0);
    const { body } = await texts.shop.send("GET", `texts/${texts.ids["2"]}`);
    expect(body["_meta"]).not.toHaveProperty("score");
    expect(itemsOf(page)[0]).toEqual({ ...body, _meta: { ...Object(body["_meta"]), score: first } });
    // Nowhere else.
    expect(scores(await texts.list("texts", { where: { $search: "house home run" } }))).toEqual([
      Number.NaN,
      Number.NaN,
    ]);
  });

  test("Full-text search 5: ties by id, pages by skip alone, no cursor", async () => {
    const made: string[] = [];
    for (let size = 0; size < 5; size += 1) {
      made.push(text((await texts.shop.send("POST", "many", { body: { title: "same", size } })).body, "id"));
    }
    const where = { $search: "same" };
    const seen: unknown[] = [];
    for (let skip = 0; skip < 5; skip += 2) {
      const page = await texts.list("many", {
        where,
        more: `&order_by=_relevance&limit=2&skip=${skip}&count=true`,
      });
      expect(page.body).toMatchObject({ has_more: skip < 4, total: 5 });
      expect(page.body).not.toHaveProperty("next_cursor");
      seen.push(...itemsOf(page).map(({ id }) => id));
    }
    expect(seen).toEqual(made);
    const answer = await texts.list("many", { where, more: "&order_by=_relevance&after=x" });
    expect(details(answer)).toEqual([{ path: "after", reason: "is not available in this order: use skip" }]);
  });

  test("Limits: relevance paging: first 1,000 results, 400 beyond", async () => {
    expect((await byRelevance({ $search: "fox" }, "&skip=900&limit=100")).status).toBe(200);
    for (const more of ["&skip=901&limit=100", "&skip=1000", "&skip=981", "&skip=2147483647&limit=1"]) {
      const answer = await byRelevance({ $search: "fox" }, more);
      expect([answer.status, code(answer), details(answer)]).toEqual([
        400,
        "invalid_query",
        [{ path: "skip", reason: "skip and limit must stay within the first 1000 results by relevance" }],
      ]);
    }
    expect((await texts.list("texts", { where: { $search: "fox" }, more: "&skip=2000" })).status).toBe(200);
  });

  test("Full-text search 5: _relevance stands alone, and only with $search", async () => {
    for (const where of [{}, { title: "x" }]) {
      expect(details(await byRelevance(where))).toEqual([
        { path: "order_by", reason: "_relevance needs a $search in where" },
      ]);
    }
    const answer = await texts.list("texts", { where: { $search: "fox" }, more: "&order_by=_relevance,id" });
    expect(details(answer)).toEqual([{ path: "order_by", reason: "_relevance must stand alone" }]);
  });

  test("Full-text search 5: conditions that nothing meets find nothing", async () => {
    const page = await byRelevance({ $search: "fox", size: { $in: [] } }, "&count=true");
    expect([page.status, page.body["items"], page.body["total"]]).toEqual([200, [], 0]);
  });

  test("Full-text search 5: any other order works with search as a filter, and gives cursors", async () => {
    const where = { $search: "runs fox" };
    const first = await texts.list("texts", { where, more: "&order_by=-size&limit=2" });
    expect(sizes(first)).toEqual([4, 2]);
    const after = text(first.body, "next_cursor");
    expect(
      sizes(await texts.list("texts", { where, more: `&order_by=-size&limit=2&after=${after}` })),
    ).toEqual([1]);
  });
});

describe("Full-text search 6: elsewhere", () => {
  test("Full-text search 6: with expand", async () => {
    const author = text((await texts.locked.send("POST", "texts", { body: { title: "Ann" } })).body, "id");
    await texts.locked.send("POST", "linked", { body: { title: "fox", author } });
    for (const order of ["", "&order_by=_relevance"]) {
      const page = await texts.list(
        "linked",
        { where: { $search: "fox" }, more: `&expand=author${order}` },
        texts.locked,
      );
      const [item] = itemsOf(page);
      expect(item).toMatchObject({ title: "fox", _expanded: { author: { id: author, title: "Ann" } } });
      expect(item?.["_meta"]).toEqual(
        order === ""
          ? expect.not.objectContaining({ score: expect.anything() })
          : expect.objectContaining({ score: expect.any(Number) }),
      );
    }
  });

  test("Full-text search 6: conditional GET; in relevance order the tag covers the scores", async () => {
    const asked = { where: { $search: "watchword" } };
    await texts.shop.send("POST", "many", { body: { title: "watchword", size: 1 } });
    const plainTag = (await texts.list("many", asked)).tag ?? "";
    const more = "&order_by=_relevance";
    const relevanceTag = (await texts.list("many", { ...asked, more })).tag ?? "";
    expect((await texts.list("many", { ...asked, headers: { "if-none-match": plainTag } })).status).toBe(304);
    expect(
      (await texts.list("many", { ...asked, more, headers: { "if-none-match": relevanceTag } })).status,
    ).toBe(304);
    // Where they change how much a match is worth. To MongoDB a score is a matter of the document alone.
    for (let at = 0; at < 3; at += 1)
      await texts.shop.send("POST", "many", { body: { title: "other", body: "words" } });
    expect((await texts.list("many", { ...asked, headers: { "if-none-match": plainTag } })).status).toBe(304);
    expect(
      (await texts.list("many", { ...asked, more, headers: { "if-none-match": relevanceTag } })).status,
    ).toBe(isEmbedded ? 200 : 304);
  });
});

describe("Full-text search 7: what a search may answer", () => {
  /** Lists over a store whose finds and counts fail. */
  async function failing(error: Error, search: string) {
    const fail = () => Promise.reject(error);
    const { instance } = realmOf({});
    const documents = new Proxy<StoreCollection>(Object.create(null), { get: () => fail });
    const store = new Proxy<Store>(Object.create(null), { get: () => () => documents });
    const { handle } = listDocuments(unruled)({ ...instance, store });
    const exchange: Exchange = {
      method: "GET",
      params: {},
      search,
      headers: {},
      receive: () => Promise.reject(new Error("a read has no body")),
      requestId: "r",
      address: "",
      abandoned: false,
      reserve: () => undefined,
    };
    try {
      return await handle(exchange);
    } catch (thrown) {
      return apiError(thrown);
    }
  }

  const searching = `where=${encodeURIComponent('{"$search":"fox"}')}`;

  test("Full-text search 7: over the time limit: 422 search_too_expensive; other lists 503 unavailable", async () => {
    for (const more of ["", "&order_by=_relevance", "&order_by=size&count=true"]) {
      expect(await failing(new QueryTimeout(), searching + more)).toMatchObject({
        status: 422,
        code: "search_too_expensive",
      });
    }
    expect(await failing(new QueryTimeout(), "")).toMatchObject({ status: 503, code: "unavailable" });
    expect(await failing(new StoreBusy(), searching)).toMatchObject({ status: 503, code: "unavailable" });
  });

  test("Full-text search 7: while the index is built: 503 index_building with Retry-After", async () => {
    expect(await failing(new IndexBuilding(7), searching)).toMatchObject({
      status: 503,
      code: "index_building",
      headers: { "retry-after": "7" },
    });
  });
});
