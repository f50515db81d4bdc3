/** Items with a field of each kind, and what clients find of them by `where`. */
import { expect } from "vitest";
import { dateNormalizer } from "../../filter/dates.ts";
import { documentFields, field } from "../../filter/fields.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { code, collection, details, type Received, type Shop, startShop, text, validatorOf } from "./shop.ts";

const fields = {
  ...documentFields,
  name: field("name", "string"),
  body: field("body", ["string", "null"]),
  priority: field("priority", "integer"),
  hours: field("hours", ["number", "null"]),
  done: field("done", "boolean"),
  due: field("due", ["date-time", "null"]),
  day: field("day", "date"),
  tags: field("tags", ["string", "null"], ["tags"]),
  marks: field("marks", "integer", ["marks"]),
  lines: field("lines", "object", ["lines"]),
  "lines.sku": field("lines.sku", "string", ["lines"]),
  "lines.notes": field("lines.notes", "string", ["lines", "lines.notes"]),
  address: field("address", ["object", "null"]),
  "address.city": field("address.city", "string"),
  nothing: field("nothing", ["object", "null"]),
  either: field("either", ["string", "integer"]),
  constructor: field("constructor", "string"),
  author: field("author", "string"),
};

const items = collection("items", {
  fields,
  validate: validatorOf({ type: "object" }),
  normalizeDates: dateNormalizer(fields.due, fields.day),
  references: {
    author: { database: "main", collection: "items", field: fields.author, key: "id", many: false },
    writer: { database: "main", collection: "items", field: fields.author, key: "id", many: false },
  },
});

/** Each has its `name`; what a test asks of one document says nothing of the others. */
const documents: readonly JsonObject[] = [
  { name: "empty" },
  { name: "nulls", body: null, hours: null, due: null, tags: null, address: null, nothing: null },
  { name: "texts", body: "Straße 100% A_B", either: "5", constructor: "x" },
  { name: "lower", body: "straße 100x a-b" },
  { name: "numbers", priority: 3, hours: 1.5, marks: [1, 2], either: 5 },
  { name: "zero", priority: 0, hours: 0, done: false },
  { name: "dates", due: "2026-03-01T10:30:00.123+02:00", day: "2026-03-01", done: true },
  { name: "midnight", due: "2026-03-01T00:00:00Z", day: "2026-02-28" },
  { name: "tagged", tags: ["red", "blue"], marks: [] },
  { name: "reversed", tags: ["blue", "red"] },
  { name: "holed", tags: ["red", null] },
  { name: "untagged", tags: [] },
  { name: "lines", lines: [{ sku: "a", notes: ["x", "y"] }, { sku: "b" }, {}] },
  { name: "home", address: { city: "Wien" } },
];

/** Their names, in the order of their creation. */
export const all = documents.map(({ name }) => name);
export const others = (...names: readonly string[]) => all.filter((name) => !names.includes(String(name)));

/** A shop with these items. */
export class Items {
  readonly shop: Shop;
  /** Id of the first. */
  readonly firstId: string;

  private constructor(shop: Shop, firstId: string) {
    this.shop = shop;
    this.firstId = firstId;
  }

  static async start(): Promise<Items> {
    const shop = await startShop("disabled", [items]);
    let firstId = "";
    for (const body of documents) {
      shop.clock.advance(1000);
      const created = await shop.send("POST", "items", { body });
      expect(created.status).toBe(201);
      if (body["name"] === "empty") firstId = text(created.body, "id");
    }
    return new Items(shop, firstId);
  }

  stop(): Promise<void> {
    return this.shop.stop();
  }

  list(where: JsonValue | string, more = ""): Promise<Received> {
    const asked = typeof where === "string" ? where : JSON.stringify(where);
    return this.shop.send("GET", `items?limit=100&where=${encodeURIComponent(asked)}${more}`);
  }

  /** The names of the documents found, in order of creation. */
  async found(where: JsonValue): Promise<readonly unknown[]> {
    const { body } = await this.list(where);
    return Array.isArray(body["items"])
      ? body["items"].map((item) => (isJsonObject(item) ? item["name"] : item))
      : [body];
  }

  /** Why it is refused: each path with its reason. */
  async problems(where: JsonValue): Promise<readonly string[]> {
    const answer = await this.list(where);
    expect([answer.status, code(answer)]).toEqual([400, "invalid_query"]);
    return details(answer).map(({ path, reason }) => `${path} ${reason}`);
  }
}
