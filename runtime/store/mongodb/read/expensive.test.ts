import { describe, expect, test } from "vitest";
import {
  and,
  between,
  compare,
  eq,
  exists,
  FALSE,
  type Filter,
  isIn,
  like,
  not,
  or,
  search,
  TRUE,
  text,
} from "../../../filter/algebra.ts";
import { defaultOrder, type OrderKey, orderBy } from "../../../filter/order.ts";
import type { TextIndex } from "../../../filter/search/text-index.ts";
import type { Find } from "../../contract/query.ts";
import { fields, index, shape } from "../../testing/suite/fixtures.ts";
import type { Provisioned } from "../engine.ts";
import { isExpensiveCount, isExpensiveFind } from "./expensive.ts";

const up = (name: keyof typeof fields): OrderKey => ({ field: fields[name], descending: false });
const down = (name: keyof typeof fields): OrderKey => ({ field: fields[name], descending: true });
const indexes = [
  { ...index("by_name", ["name"]), trash: true },
  index("by_size", ["-size"]),
  index("by_place", ["place"], true),
];

function provisioned(name = "app.people"): Provisioned {
  return {
    shape: shape(name, { indexes, permanent: true }),
    regularity: { isRegular: () => true, note: async () => undefined },
    narrowIndexes: async () => false,
    text: { check: async () => undefined, close: async () => undefined },
  };
}

const people = provisioned();
const page: Find = { filter: TRUE, visibility: "live", limit: 20, skip: 0 };
const find = (query: Partial<Find>, of = people) => isExpensiveFind(of, { ...page, ...query });

const { name, place, size, flag, tags, id } = fields;
/** As an index goes on. */
const byName = orderBy([up("name"), up("_meta.created_at")]);
const textIndex: TextIndex = {
  fields: [{ field: name, weight: 1 }],
  defaultLanguage: "none",
  stems: () => [],
  parse: () => ({ problem: "no term" }),
};
const searched = search(textIndex, { words: ["word"], phrases: [], excluded: [] });

describe("A list is expensive that may have to look at any number of documents", () => {
  test.each<[string, Partial<Find>]>([
    ["a condition without an index", { filter: eq(flag, true) }],
    ["one on an array without", { filter: eq(tags, "red") }],
    ["an index only of one alternative", { filter: or(eq(name, "a"), eq(flag, true)) }],
    ["what is excluded", { filter: not(eq(name, "a")) }],
    ["what is there", { filter: exists(name) }],
    ["text anywhere in it", { filter: text("contains", name, "a") }],
    ["text whatever its case", { filter: text("startsWith", name, "a", true) }],
    ["an end", { filter: text("endsWith", name, "a") }],
    ["a pattern that begins with anything", { filter: like(name, "%a") }],
    ["a pattern whatever its case", { filter: like(name, "a%", true) }],
    ["text beside an index", { filter: and(eq(name, "a"), text("contains", tags, "a", true)) }],
    ["no text anywhere", { filter: and(eq(name, "a"), not(text("contains", tags, "a"))) }],
    ["a search", { filter: searched }],
    ["a search by relevance", { filter: and(searched, eq(name, "a")), order: "relevance" }],
    ["documents passed over", { skip: 1_001 }],
    ["an order without an index", { order: orderBy([up("flag")]) }],
    ["two directions where an index has one", { order: orderBy([up("name"), down("_meta.created_at")]) }],
    ["an order by a unique field, whose index lacks documents", { order: orderBy([up("place")]) }],
    ["an order that goes on otherwise than the index", { order: orderBy([up("name")]) }],
    ["all documents in an order of live ones", { visibility: "all", order: byName }],
    ["deleted ones by what live ones have an index for", { visibility: "deleted", filter: eq(size, 1) }],
    ["the same of any", { visibility: "all", filter: eq(size, 1) }],
    ["deleted ones by ids", { visibility: "deleted", order: orderBy([up("id")]) }],
    ["deleted ones by a unique index", { visibility: "deleted", filter: eq(place, "p") }],
  ])("%s", (_, query) => {
    expect(find(query)).toBe(true);
  });

  test.each<[string, Partial<Find>]>([
    ["everything in the default order", {}],
    ["and after a position", { after: [new Date(0).toISOString(), "d1"] }],
    ["a few documents passed over", { skip: 1_000 }],
    ["the order of an index", { order: byName }],
    ["the reverse", { order: orderBy([down("name"), down("_meta.created_at"), down("id")]) }],
    ["the order of ids", { order: orderBy([down("id")]) }],
    ["what the order's index has beside", { filter: not(eq(name, "a")), order: byName }],
    ["equal", { filter: eq(name, "a") }],
    ["one of some, in any order", { filter: isIn(name, ["a", "b"]), order: orderBy([up("flag")]) }],
    ["a range", { filter: compare("gt", size, 1) }],
    ["between", { filter: between(fields["_meta.created_at"], "2026-01-01", "2026-02-01") }],
    ["a beginning", { filter: text("startsWith", name, "a") }],
    ["a pattern with a beginning", { filter: like(name, "a%") }],
    ["absent", { filter: not(exists(name)) }],
    ["an index beside other conditions", { filter: and(eq(flag, true), eq(name, "a")) }],
    ["an index of each alternative", { filter: or(eq(name, "a"), eq(size, 1), eq(id, "d1")) }],
    ["a unique index", { filter: and(eq(place, "p"), text("contains", name, "a", true)) }],
    ["ids, and text beside", { filter: and(isIn(id, ["d1", "d2"]), text("contains", name, "a", true)) }],
    ["nothing", { filter: FALSE }],
    ["deleted ones", { visibility: "deleted", order: defaultOrder }],
    ["those of any visibility", { visibility: "all" }],
    ["deleted ones by an index of theirs", { visibility: "deleted", filter: eq(name, "a") }],
    ["the same of any", { visibility: "all", filter: eq(name, "a") }],
  ])("but not: %s", (_, query) => {
    expect(find(query)).toBe(false);
  });

  test("an order by what some documents have in another form is expensive as long as they have", () => {
    const order = byName;
    const regularity = { isRegular: () => regular, note: async () => undefined };
    let regular = true;
    const changing = { ...people, regularity };
    expect(find({ order }, changing)).toBe(false);
    regular = false;
    expect(find({ order }, changing)).toBe(true);
  });
});

test("a count is expensive, but of documents that are named", () => {
  const count = (filter: Filter, of = people) => isExpensiveCount(of, filter, "live");
  expect([TRUE, eq(name, "a"), text("contains", name, "a")].map((filter) => count(filter))).toEqual([
    true,
    true,
    true,
  ]);
  expect([isIn(id, ["d1", "d2"]), eq(place, "p")].map((filter) => count(filter))).toEqual([false, false]);
});

test("the service's own records are counted at once where an index has them", () => {
  const own = provisioned("_svc.invitations");
  const filters = [eq(name, "a"), TRUE, eq(flag, true), and(eq(name, "a"), text("contains", tags, "a"))];
  expect(filters.map((filter) => isExpensiveCount(own, filter, "live"))).toEqual([false, true, true, true]);
});
