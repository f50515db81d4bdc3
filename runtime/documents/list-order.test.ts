import { afterAll, beforeAll, expect, test } from "vitest";
import { dateNormalizer } from "../filter/dates.ts";
import { documentFields, field } from "../filter/fields.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { code, collection, details, type Received, type Shop, startShop } from "./testing/shop.ts";

const fields = {
  ...documentFields,
  name: field("name", "string"),
  size: field("size", ["number", "null"]),
  done: field("done", "boolean"),
  due: field("due", "date-time"),
  tags: field("tags", "string", ["tags"]),
  either: field("either", ["integer", "string"]),
  address: field("address", "object"),
  "address.city": field("address.city", "string"),
};
const items = collection("items", {
  fields,
  validate: () => true,
  normalizeDates: dateNormalizer(fields.due),
});

const documents: readonly JsonObject[] = [
  { name: "b", size: 2, done: true, due: "2026-03-01T00:30:00+01:00", tags: ["m"], either: "1" },
  { name: "a", size: 10, done: false, due: "2026-02-28T23:29:59.999Z", tags: ["a", "z"], either: 2 },
  { name: "c", size: null, tags: [], either: 10, address: { city: "Wien" } },
  { name: "\uffff", size: 2, tags: ["b"], either: "z" },
  { name: "😀", size: 1.5, address: { city: "Bern" } },
];

let shop: Shop;
beforeAll(async () => {
  shop = await startShop("disabled", [items]);
  for (const body of documents) {
    shop.clock.advance(1);
    expect((await shop.send("POST", "items", { body })).status).toBe(201);
  }
});
afterAll(() => shop.stop());

const list = (query: string): Promise<Received> => shop.send("GET", `items?${query}`);

async function names(query: string): Promise<string> {
  const { body } = await list(query);
  const items = Array.isArray(body["items"]) ? body["items"].filter(isJsonObject) : [];
  return items.map(({ name }) => name).join(" ");
}

test.each([
  ["_meta.created_at", "b a c \uffff 😀"],
  ["-_meta.created_at", "😀 \uffff c a b"],
  ["id", "b a c \uffff 😀"],
  ["-id", "😀 \uffff c a b"],
  ["name", "a b c \uffff 😀"],
  ["-name", "😀 \uffff c b a"],
  ["size", "c 😀 b \uffff a"],
  ["-size", "a b \uffff 😀 c"],
  ["size,-name", "c 😀 \uffff b a"],
  ["-size,-id", "a \uffff b 😀 c"],
  ["done", "c \uffff 😀 a b"],
  ["due", "c \uffff 😀 a b"],
  ["-due,name", "b a c \uffff 😀"],
  ["address.city", "b a \uffff 😀 c"],
  ["tags", "c 😀 a \uffff b"],
  ["-tags", "a b \uffff c 😀"],
  ["either", "😀 a c b \uffff"],
  ["-either", "\uffff b c a 😀"],
  ["address,name", "a b \uffff c 😀"],
])("List query parameters: order_by=%s", async (order, expected) => {
  expect(await names(`order_by=${order}`)).toBe(expected);
});

test("List query parameters: order_by with skip and limit", async () => {
  expect(await names("order_by=name&skip=1&limit=2")).toBe("b c");
  expect(await names("order_by=tags&skip=1&limit=2")).toBe("😀 a");
});

test("List query parameters: the default order is creation time, then id", async () => {
  const { text } = await list("");
  expect((await list("order_by=_meta.created_at,id")).text).toBe(text);
});

const unknown = (path: string) => `unknown field: ${path}`;
test.each<[string, readonly string[]]>([
  ["", ["must name a field before and after each comma"]],
  ["-", ["must name a field before and after each comma"]],
  ["name,", ["must name a field before and after each comma"]],
  ["nope", [unknown("nope")]],
  ["--name", [unknown("-name")]],
  ["%20name", [unknown(" name")]],
  ["_meta", [unknown("_meta")]],
  ["_meta.owner", [unknown("_meta.owner")]],
  ["__proto__,constructor", [unknown("__proto__"), unknown("constructor")]],
  ["name,name", ["names name twice"]],
  ["name,-name", ["names name twice"]],
  ["nope,size,name,size,zip", [unknown("nope"), "names size twice", unknown("zip")]],
  ["_relevance", ["_relevance needs a $search in where"]],
  ["-_relevance", ["_relevance must stand alone"]],
  ["_relevance,name", ["_relevance must stand alone"]],
  ["name,_relevance", ["_relevance must stand alone"]],
])("List query parameters: order_by=%s is 400 invalid_query", async (order, reasons) => {
  const answer = await list(`order_by=${order}`);
  expect([answer.status, code(answer)]).toEqual([400, "invalid_query"]);
  expect(details(answer)).toEqual(reasons.map((reason) => ({ path: "order_by", reason })));
});

test("Limits: fields in order_by: 8", async () => {
  const eight = "name,-size,done,due,tags,either,address,address.city";
  expect((await list(`order_by=${eight}`)).status).toBe(200);
  expect(details(await list(`order_by=${eight},id`))).toEqual([
    { path: "order_by", reason: "must name at most 8 fields" },
  ]);
});
