import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Shop } from "../testing/shop.ts";
import {
  at,
  costs,
  create,
  expandedOf,
  items,
  type Published,
  startPublished,
} from "./testing/collections.ts";

let shop: Shop;
let id: Published["id"];
beforeAll(async () => {
  ({ shop, id } = await startPublished());
});
afterAll(() => shop.stop());

const get = (name: string, query: string) => shop.send("GET", `posts/${id(name)}?${query}`);
const whole = async (collection: string, name: string) =>
  (await shop.send("GET", `${collection}/${id(name)}`)).body;

describe("Reference expansion 1", () => {
  test("Reference expansion 1: without parentheses the whole document is returned", async () => {
    const { body } = await get("full", "expand=author");
    expect(expandedOf(body)).toEqual({ author: await whole("people", "ann") });
  });

  test("Reference expansion 1: fields are selected, dotted paths too, through arrays; id is always included", async () => {
    const { body } = await get("full", "expand=author(name,address.city,lines.sku)");
    expect(expandedOf(body)["author"]).toEqual({
      id: id("ann"),
      name: "Ann",
      address: { city: "Berlin" },
      lines: [{ sku: "a" }, {}, { sku: "c" }],
    });
    expect(expandedOf((await get("full", "expand=editor(address.city,id)")).body)).toEqual({
      editor: { id: id("eve") },
    });
  });

  test("Reference expansion 1: _meta only when selected, or a field of it", async () => {
    const { _meta } = await whole("people", "ann");
    const { body } = await get("full", "expand=author(_meta),subject(_meta.version)");
    expect(expandedOf(body)).toEqual({
      author: { id: id("ann"), _meta },
      subject: { id: id("ann"), _meta: { version: 1 } },
    });
  });

  test("Reference expansion 1: a second level sits in the first level's own _expanded, both whole", async () => {
    const { body } = await get("full", "expand=author.team");
    const ann = await whole("people", "ann");
    expect(expandedOf(body)["author"]).toEqual({
      ...ann,
      _expanded: { team: await whole("teams", "writers") },
    });
  });

  test("Reference expansion 1: a.b(x) returns the first level whole unless it is also listed with its own selection", async () => {
    const ann = await whole("people", "ann");
    const nested = { _expanded: { boss: { id: id("eve"), name: "Eve" } } };
    const alone = await get("full", "expand=author.boss(name)");
    expect(expandedOf(alone.body)["author"]).toEqual({ ...ann, ...nested });
    for (const expand of ["author(name),author.boss(name)", "author.boss(name),author(name)"]) {
      const { body } = await get("full", `expand=${expand}`);
      expect(expandedOf(body)["author"]).toEqual({ id: id("ann"), name: "Ann", ...nested });
    }
    const listed = await get("full", "expand=author,author.boss(name)");
    expect(expandedOf(listed.body)["author"]).toEqual({ ...ann, ...nested });
  });

  test("Reference expansion 1: the same on lists", async () => {
    const list = await shop.send("GET", "posts?expand=author.team(name),tags(title)");
    const shown = items(list).map((item) => [item["title"], at(item, "_expanded", "author", "name")]);
    expect(shown).toEqual([
      ["plain", undefined],
      ["full", "Ann"],
      ["cut", "Ann"],
    ]);
    expect(at(items(list)[2], "_expanded", "author", "_expanded", "team")).toEqual({
      id: id("writers"),
      name: "Writers",
    });
    for (const item of items(list)) {
      const one = await shop.send("GET", `posts/${item["id"]}?expand=author.team(name),tags(title)`);
      expect(one.body).toEqual(item);
    }
  });
});

test("Reference expansion 2: nothing is expanded by default", async () => {
  expect((await get("full", "")).body).not.toHaveProperty("_expanded");
  const list = await shop.send("GET", "posts");
  expect(items(list).every((item) => !("_expanded" in item))).toBe(true);
});

test("Reference expansion 3: one entry per requested reference; the document itself is unchanged", async () => {
  const plain = await shop.send("GET", `posts/${id("full")}`);
  const { body, text } = await get("full", "expand=tags,author,editor.team");
  expect(Object.keys(expandedOf(body))).toEqual(["tags", "author", "editor"]);
  const { _expanded, ...document } = body;
  expect(document).toEqual(plain.body);
  expect(text.startsWith(plain.text.slice(0, -1))).toBe(true);
});

describe("Reference expansion 4", () => {
  test("Reference expansion 4: in a many reference positions are kept, unavailable values are null", async () => {
    const { body } = await get("full", "expand=tags(slug),related(title)");
    expect(expandedOf(body)).toEqual({
      tags: [{ id: id("green"), slug: "green" }, null, { id: id("red"), slug: "red" }],
      related: [{ id: id("plain"), title: "plain" }, null, { id: id("plain"), title: "plain" }],
    });
  });

  test("Reference expansion 4: arrays beyond the limit are cut to the first values, marked as truncated", async () => {
    const { body } = await get("cut", "expand=tags(slug)");
    const blue = { id: id("blue"), slug: "blue" };
    expect(expandedOf(body)["tags"]).toEqual({
      items: [blue, { id: id("white"), slug: "white" }, blue],
      truncated: true,
    });
    const exact = await create(shop, "posts", { title: "exact", tag_slugs: ["red", "red", "red"] });
    const { body: whole } = await shop.send("GET", `posts/${exact}?expand=tags`);
    expect(expandedOf(whole)["tags"]).toHaveLength(3);
    await shop.send("DELETE", `posts/${exact}`);
  });

  test("Reference expansion 4: an empty source gives null, [] for many; so does null", async () => {
    const empty = { author: null, subject: null, tags: [], related: [] };
    expect(expandedOf((await get("plain", "expand=author,subject,tags,related")).body)).toEqual(empty);
    const nulls = await create(shop, "posts", {
      author: null,
      about: null,
      tag_slugs: null,
      related_ids: [],
    });
    const { body } = await shop.send("GET", `posts/${nulls}?expand=author,subject,tags,related`);
    expect(expandedOf(body)).toEqual(empty);
    await shop.send("DELETE", `posts/${nulls}`);
  });

  test("Reference expansion 4: a soft-deleted target is null", async () => {
    const { body } = await get("full", "expand=tags(title)");
    expect(at(expandedOf(body)["tags"], 1)).toBeNull();
    await shop.send("POST", `tags/${id("gone")}/restore`);
    const restored = await get("full", "expand=tags(title)");
    expect(at(expandedOf(restored.body)["tags"], 1, "title")).toBe("GONE");
    await shop.send("DELETE", `tags/${id("gone")}`);
  });

  test("Reference expansion 4: what a document older than its schema has instead of values is null", async () => {
    const odd = await create(shop, "posts", {
      author: 7,
      editor_id: [id("ann")],
      about: [{ person_id: id("ann") }],
      tag_slugs: "red",
      related_ids: [id("plain"), 7, null, [id("plain")], { id: id("plain") }],
    });
    const answer = await shop.send("GET", `posts/${odd}?expand=author,editor,subject,tags,related(id)`);
    expect(expandedOf(answer.body)).toEqual({
      author: null,
      editor: null,
      subject: null,
      tags: null,
      related: [{ id: id("plain") }, null, null, null, null],
    });
    expect(costs(answer)).toEqual(["1", "1"]);
    await shop.send("DELETE", `posts/${odd}`);
  });
});

describe("References", () => {
  test("References: a dotted source path, a target of the same collection, and a key other than id", async () => {
    const { body } = await get("full", "expand=subject(name),related.author(name),tags.maker(name)");
    const eve = { _expanded: { maker: { id: id("eve"), name: "Eve" } } };
    expect(at(expandedOf(body), "subject", "name")).toBe("Ann");
    expect(at(expandedOf(body), "related", 0, "_expanded")).toEqual({ author: null });
    expect(at(expandedOf(body), "tags", 0)).toEqual({ ...(await whole("tags", "green")), ...eve });
    expect(at(expandedOf(body), "tags", 2)).toEqual({ ...(await whole("tags", "red")), ...eve });
  });

  test("References: a reference of a collection to itself, twice over", async () => {
    const { body } = await shop.send("GET", `people/${id("ann")}?expand=boss.boss,boss.team(name)`);
    expect(expandedOf(body)).toEqual({
      boss: {
        ...(await whole("people", "eve")),
        _expanded: { boss: null, team: { id: id("writers"), name: "Writers" } },
      },
    });
  });

  test("References: a dangling reference expands to null, on both levels", async () => {
    expect(expandedOf((await get("cut", "expand=editor.team")).body)).toEqual({ editor: null });
    const list = await shop.send("GET", `posts?expand=editor.team`);
    expect(items(list).map((item) => at(item, "_expanded", "editor", "name") ?? null)).toEqual([
      null,
      "Eve",
      null,
    ]);
  });
});
