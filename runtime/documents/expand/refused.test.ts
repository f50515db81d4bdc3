import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { code, details, paths, type Shop, startShop } from "../testing/shop.ts";
import { costs, create, declared, posts, publication, reference } from "./testing/collections.ts";

const shallow = declared(
  "shallow",
  {},
  {
    references: {
      author: reference("people", "author_id"),
      tags: reference("tags", "tag_ids", { many: true }),
    },
    expand: { maxDepth: 1, maxPaths: 2, maxArray: 2, maxDocs: 3 },
  },
);
let shop: Shop;
let small: Shop;
let person: string;
let post: string;
beforeAll(async () => {
  shop = await startShop("disabled", [...publication, shallow]);
  person = await create(shop, "people", { name: "Ann" });
  post = await create(shop, "posts", { author: person });
  const expandLimits = { maxDepth: 2, maxPaths: 5, maxArray: 4, maxDocs: 6 };
  small = await startShop("disabled", publication, { settings: { expandLimits } });
});
afterAll(() => Promise.all([shop.stop(), small.stop()]));

const expand = (text: string, path = `posts/${post}`) =>
  shop.send("GET", `${path}?expand=${encodeURIComponent(text)}`);

/** Four times as many may be expanded. */
const pageCharacters = 250_000;

describe("Reference expansion 5: 400 invalid_expand naming the part", () => {
  const malformed = expect.stringContaining("is malformed");

  test.each([
    ["writer", "expand.writer", "unknown reference"],
    ["auther", "expand.auther", "unknown reference; did you mean 'author'?"],
    ["constructor", "expand.constructor", "unknown reference"],
    ["title", "expand.title", "unknown reference"],
    ["author.teem", "expand.author.teem", "unknown reference; did you mean 'team'?"],
    ["author.editor", "expand.author.editor", "unknown reference"],
    ["author(nmae)", "expand.author(nmae)", "unknown field; did you mean 'name'?"],
    ["author(address.street)", "expand.author(address.street)", expect.stringContaining("unknown field")],
    ["author(title)", "expand.author(title)", expect.stringContaining("unknown field")],
    ["author(_meta.chain)", "expand.author(_meta.chain)", expect.stringContaining("unknown field")],
    ["author(_expanded)", "expand.author(_expanded)", "unknown field"],
    ["author(toString)", "expand.author(toString)", "unknown field"],
    ["author.team(nam)", "expand.author.team(nam)", "unknown field; did you mean 'name'?"],
    ["author.boss.team", "expand.author.boss.team", "at most 2 levels can be expanded"],
    ["author,author", "expand.author", "is repeated"],
    ["author,author(name)", "expand.author", "is repeated"],
    ["author.team(name),author.team", "expand.author.team", "is repeated"],
    ["", "expand", "must name a reference"],
    ["author,", "expand", "entry 2 is empty"],
    ["author()", "expand.author()", malformed],
    ["author(name", "expand.author(name", malformed],
    ["author(\0)", "expand.author(\0)", "unknown field"],
    ["author(na\0me)", "expand.author(na\0me)", expect.stringContaining("unknown field")],
    ["\0", "expand.\0", malformed],
    ["author)", "expand.author)", malformed],
    ["author, editor", "expand. editor", malformed],
    ["author(name).team", "expand.author(name).team", malformed],
    ["author(name,)", "expand.author(name,)", malformed],
    ["*", "expand.*", malformed],
    ["author,author.team,author.boss,editor,tags,subject", "expand", "must have at most 5 entries; it has 6"],
  ])("%s", async (text, path, reason) => {
    for (const target of [`posts/${post}`, "posts"]) {
      const answer = await expand(text, target);
      expect([answer.status, code(answer)]).toEqual([400, "invalid_expand"]);
      expect(details(answer)).toEqual([{ path, reason }]);
      expect(costs(answer)).toEqual([null, null]);
    }
  });

  test("all at once", async () => {
    const answer = await expand("auther,author(nmae,name,zip),author,author.a.b,x(,editor.teem(none),");
    expect(paths(answer)).toEqual([
      "expand",
      "expand.auther",
      "expand.author(nmae)",
      "expand.author(zip)",
      "expand.author",
      "expand.author.a.b",
      "expand.x(,editor.teem(none)",
      "expand",
    ]);
  });

  test("a long list of problems is cut, and so is what is repeated of it", async () => {
    const many = await expand(Array.from({ length: 1_000 }, (_, at) => `auther${at}`).join(","));
    expect([code(many), details(many).length]).toEqual(["invalid_expand", 50]);
    const long = await expand("a".repeat(8_000));
    expect(paths(long)[0]?.length).toBe("expand.".length + 100);
  });

  test("whatever is sent is expanded or refused", async () => {
    const parts = fc.constantFrom(
      "author",
      "boss",
      "tags",
      "team",
      "name",
      "id",
      "(",
      ")",
      ",",
      ".",
      "é",
      " ",
    );
    await fc.assert(
      fc.asyncProperty(fc.array(parts, { maxLength: 12 }), async (sent) => {
        const answer = await expand(sent.join(""));
        if (answer.status === 200) expect(costs(answer)[0]).not.toBeNull();
        else expect([answer.status, code(answer)]).toEqual([400, "invalid_expand"]);
      }),
    );
  });

  test("a collection without references has none to expand", async () => {
    const answer = await expand("author", "teams");
    expect(details(answer)).toEqual([{ path: "expand.author", reason: "unknown reference" }]);
  });

  test("it is told before the document is looked for", async () => {
    const answer = await expand("writer", "posts/00000000000000000000");
    expect(code(answer)).toBe("invalid_expand");
  });

  test("twice the parameter is 400 invalid_query", async () => {
    const answer = await shop.send("GET", `posts/${post}?expand=author&expand=editor`);
    expect([answer.status, code(answer), paths(answer)]).toEqual([400, "invalid_query", ["expand"]]);
  });
});

describe("Limits: a collection lowers those of the instance", () => {
  test.each([
    ["author.team", "expand.author.team", "only one level can be expanded"],
    ["author,tags,author(name)", "expand", "must have at most 2 entries; it has 3"],
  ])("Expansion levels and entries: %s", async (text, path, reason) => {
    expect(details(await expand(text, "shallow"))).toContainEqual({ path, reason });
  });

  test("Ids per many reference: the collection's limit cuts too", async () => {
    const tag = await create(shop, "tags", { slug: "one" });
    const id = await create(shop, "shallow", { tag_ids: [tag, tag, tag] });
    const { body } = await expand("tags(slug)", `shallow/${id}`);
    expect(body["_expanded"]).toEqual({
      tags: {
        items: [
          { id: tag, slug: "one" },
          { id: tag, slug: "one" },
        ],
        truncated: true,
      },
    });
    await shop.send("DELETE", `shallow/${id}`);
  });

  test("Expanded documents per response: beyond the collection's limit 400 expand_too_large", async () => {
    for (let made = 0; made < 3; made += 1) await create(shop, "shallow", { author_id: person });
    const three = await expand("author", "shallow");
    expect([three.status, ...costs(three)]).toEqual([200, "1", "3"]);
    await create(shop, "shallow", { author_id: person });
    const four = await expand("author", "shallow");
    expect([four.status, code(four), paths(four), ...costs(four)]).toEqual([
      400,
      "expand_too_large",
      ["expand"],
      null,
      null,
    ]);
  });
});

describe("Limits: those of the instance", () => {
  test("Ids per many reference: SVC_EXPAND_MAX_ARRAY cuts, below it max_expand", async () => {
    const other = await create(small, "posts", {});
    const tag = await create(small, "tags", { slug: "x" });
    const id = await create(small, "posts", {
      related_ids: Array(5).fill(other),
      tag_slugs: Array(5).fill("x"),
    });
    const related = await small.send("GET", `posts/${id}?expand=related(id)`);
    expect(related.body["_expanded"]).toEqual({
      related: { items: Array(4).fill({ id: other }), truncated: true },
    });
    const tags = await small.send("GET", `posts/${id}?expand=tags(id)`);
    expect(tags.body["_expanded"]).toEqual({ tags: { items: Array(3).fill({ id: tag }), truncated: true } });
  });

  test("Expanded documents per response: documents count as they occur, over all references and levels", async () => {
    const boss = await create(small, "people", { name: "Eve" });
    const author = await create(small, "people", { boss_id: boss });
    const other = await create(small, "posts", { author });
    const three = await create(small, "posts", { author, related_ids: [other, other, other] });
    const four = await create(small, "posts", { author, related_ids: [other, other, other, other] });
    const ask = (id: string, text: string) => small.send("GET", `posts/${id}?expand=${text}`);
    // Three others with an author each, and one author more.
    expect(costs(await ask(three, "related.author"))).toEqual(["2", "6"]);
    expect(costs(await ask(three, "related,author.boss"))).toEqual(["3", "5"]);
    for (const [id, text] of [
      [three, "related.author,author"],
      [four, "related.author"],
      [four, "related,author.boss,editor"],
    ] as const) {
      const answer = await ask(id, text);
      const fits = text.endsWith("editor");
      expect([answer.status, answer.body["_expanded"] === undefined]).toEqual([fits ? 200 : 400, !fits]);
      if (!fits) expect(code(answer)).toBe("expand_too_large");
    }
  });

  test("Expanded documents per response: their text is bounded too, and the values that are followed", async () => {
    const expandLimits = { maxDepth: 2, maxPaths: 5, maxArray: 1_000_000, maxDocs: 100_000 };
    const large = await startShop("disabled", publication, { settings: { expandLimits, pageCharacters } });
    try {
      const heavy = await create(large, "posts", { title: "x".repeat(100_000) });
      const related = await create(large, "posts", { related_ids: Array(11).fill(heavy) });
      const values = await create(large, "posts", { related_ids: Array(200_001).fill("x") });
      for (const [id, reason] of [
        [related, "the expanded documents would hold more than 1000000 characters"],
        [values, "the references to expand hold more than 200000 values"],
      ]) {
        const answer = await large.send("GET", `posts/${id}?expand=related`);
        expect([answer.status, code(answer)]).toEqual([400, "expand_too_large"]);
        expect(details(answer)).toEqual([{ path: "expand", reason }]);
      }
      expect((await large.send("GET", `posts/${related}?expand=related(id)`)).status).toBe(200);
    } finally {
      await large.stop();
    }
  });

  test("Expanded documents per response: no more text is read than may be answered, whatever is selected", async () => {
    const large = await startShop("disabled", publication, { settings: { pageCharacters } });
    try {
      const text = (id: string) => JSON.stringify({ id, title: "x".repeat(100_000), _meta: {} });
      const collection = large.stored(posts);
      const ids = Array.from({ length: 11 }, (_, n) => `heavy${n}`);
      for (const id of ids) await collection.insert({ id, version: 1, createdAt: 0, text: text(id) });
      const related = await create(large, "posts", { related_ids: ids });
      const fits = await create(large, "posts", { related_ids: ids.slice(0, 9) });
      const ask = (id: string) => large.send("GET", `posts/${id}?expand=related(id)`);
      const answer = await ask(related);
      expect([answer.status, code(answer)]).toEqual([400, "expand_too_large"]);
      expect(details(answer)).toEqual([
        { path: "expand", reason: "the documents to expand hold more than 1000000 characters" },
      ]);
      expect(costs(await ask(fits))).toEqual(["1", "9"]);
      // On all levels together.
      const link = await create(large, "posts", { related_ids: ids.slice(5) });
      const nested = await create(large, "posts", { related_ids: [link, ...ids.slice(0, 6)] });
      expect((await ask(nested)).status).toBe(200);
      const both = await large.send("GET", `posts/${nested}?expand=related.related(id)`);
      expect([both.status, code(both)]).toEqual([400, "expand_too_large"]);
    } finally {
      await large.stop();
    }
  });

  test("Expanded documents per response: values that lead nowhere are no documents", async () => {
    const id = await create(small, "posts", {
      related_ids: ["a", "b", "c", "d"],
      tag_slugs: ["e", "f", "g"],
    });
    const answer = await small.send("GET", `posts/${id}?expand=related,tags`);
    expect([answer.status, ...costs(answer)]).toEqual([200, "2", "0"]);
  });
});
