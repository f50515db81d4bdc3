import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dateNormalizer } from "../filter/dates.ts";
import { documentFields, field } from "../filter/fields.ts";
import { textIndex } from "../filter/search/index.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import { runs } from "../testing/random.ts";
import { collection, details, type Shop, startShop, text } from "./testing/shop.ts";

const fields = {
  ...documentFields,
  name: field("name", ["string", "null"]),
  size: field("size", "integer"),
  share: field("share", ["number", "null"]),
  done: field("done", "boolean"),
  due: field("due", ["date-time", "null"]),
  day: field("day", "date"),
  tags: field("tags", ["string", "null"], ["tags"]),
  days: field("days", "date", ["days"]),
  lines: field("lines", "object", ["lines"]),
  "lines.sku": field("lines.sku", "string", ["lines"]),
  "lines.sizes": field("lines.sizes", "number", ["lines", "lines.sizes"]),
  either: field("either", ["boolean", "integer", "null", "object", "string"]),
  "either.deep": field("either.deep", "string"),
  constructor: field("constructor", "string"),
  'it\'s "odd" ]` name': field('it\'s "odd" ]` name', "string"),
};
const items = collection("items", {
  fields,
  validate: () => true,
  softDelete: {},
  normalizeDates: dateNormalizer(fields.due, fields.day, fields.days),
  references: {
    friend: { database: "main", collection: "items", field: fields.name, key: "id", many: false },
  },
  text: textIndex({ fields: [{ field: fields.name, weight: 1 }], defaultLanguage: "en" }),
  indexes: [{ name: "share", keys: [{ field: fields.share, descending: true }], unique: false }],
});

let shop: Shop;
beforeAll(async () => {
  shop = await startShop("disabled", [items]);
  const documents: readonly JsonObject[] = [
    {},
    {
      name: "a%_*[]^\\'\"",
      size: -1,
      share: 1e21,
      done: true,
      due: "2026-01-01T00:00:00Z",
      tags: ["a", null],
    },
    { name: null, size: 3, day: "2026-01-01", days: ["2026-01-01"], lines: [{ sku: "x", sizes: [1] }, {}] },
    // Older than the schema.
    {
      name: 5,
      size: "x",
      share: [1],
      done: null,
      due: 7,
      day: {},
      tags: "a",
      lines: { sku: [] },
      either: [[]],
    },
  ];
  for (const body of documents) await shop.send("POST", "items", { body });
});
afterAll(() => shop.stop());

const operators = [
  ..."eq ne gt gte lt lte in nin between isNull notNull like ilike startsWith istartsWith endsWith".split(
    " ",
  ),
  ..."iendsWith contains icontains or and search nor not where expr".split(" "),
].map((name) => `$${name}`);

const unit = fc.constantFrom(
  ..."a%_*[]^-?\\'\"`}{$.,;:()|/+ \n\0é",
  "ß",
  "İ",
  "\u0300",
  "\ud800",
  "\udc00",
  "\uffff",
  "😀",
);
const string = fc.oneof(
  fc.string({ unit, maxLength: 12 }),
  fc.constantFrom(
    "2026-01-01",
    "2026-01-01T00:00:00Z",
    "0000-01-01T00:00:00+23:59",
    "9999-12-31",
    "-0",
    "null",
  ),
  fc.constantFrom("x".repeat(256), "%%%%", "____", '"', '-"a"', "__proto__"),
);
const number = fc.oneof(
  fc.constantFrom(-0, 0, 1.5, 2 ** 53, -(2 ** 53) + 1, 1e21, 1e308, 5e-324, -1e-7),
  fc.double(),
  fc.integer(),
);
const path = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...Object.keys(fields)) },
  fc.constantFrom("friend", "friend.name", "_meta", "_id", "", ".", "__proto__", "lines.0.sku", "toString"),
  string,
);
const { where } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    string,
    number,
    fc.constantFrom(null, true, false),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("conditions"),
  ),
  conditions: fc.dictionary(fc.constantFrom(...operators), tie("value"), { maxKeys: 3 }),
  groups: fc.record(
    { $or: fc.array(tie("where"), { maxLength: 3 }), $and: fc.array(tie("where"), { maxLength: 3 }) },
    { requiredKeys: [] },
  ),
  where: fc.oneof(
    { maxDepth: 6 },
    fc.dictionary(path, fc.oneof(tie("value"), tie("conditions")), { maxKeys: 3 }),
    tie("groups"),
    fc.dictionary(fc.constantFrom(...operators), tie("value"), { maxKeys: 2 }),
  ),
}));
const one = (paths: readonly string[], of: string, value: fc.Arbitrary<JsonValue>) =>
  fc
    .tuple(fc.constantFrom(...paths), fc.constantFrom(...of.split(" ")), value)
    .map(([named, operator, operand]) => ({ [named]: { [`$${operator}`]: operand } }));
const texts = ["name", "tags", "lines.sku", "either", 'it\'s "odd" ]` name'];
const comparisons = "eq ne gt gte lt lte";
const matches = "startsWith istartsWith endsWith iendsWith contains icontains like ilike";
/** What mostly fits the fields. */
const fitting = fc.oneof(
  one(texts, `${comparisons} ${matches}`, string),
  one(["share", "lines.sizes"], comparisons, number),
  one(["share", "lines.sizes"], "between", fc.tuple(number, number)),
  one(["tags"], "in nin", fc.array(fc.oneof(string, fc.constant(null), fc.array(string)), { maxLength: 4 })),
  one(["lines.sizes"], "eq ne", fc.array(number, { maxLength: 3 })),
  one(["due", "day", "days"], comparisons, fc.constantFrom("2026-01-01", "0000-01-01T00:00:00+00:00")),
  one(Object.keys(fields), "isNull notNull", fc.boolean()),
);
const whereText = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.array(fitting, { minLength: 1, maxLength: 3 }).map(($or) => JSON.stringify({ $or })),
  },
  { weight: 8, arbitrary: where.map((value) => JSON.stringify(value)) },
  // A text broken somewhere.
  fc.tuple(where, fc.nat(), string).map(([value, at, part]) => {
    const whole = JSON.stringify(value);
    const cut = at % (whole.length + 1);
    return whole.slice(0, cut) + part + whole.slice(cut);
  }),
);
const order = fc.oneof(
  fc
    .array(
      fc.tuple(fc.constantFrom("", "-", "--", "+"), path).map((parts) => parts.join("")),
      { maxLength: 9 },
    )
    .map((keys) => keys.join(",")),
  fc
    .uniqueArray(fc.constantFrom(...Object.keys(fields)), { minLength: 1, maxLength: 8 })
    .map((keys) => keys.join(",")),
  fc.constantFrom("_relevance", "-_relevance", "id", "-id"),
);
/** What is no Unicode cannot be percent-encoded. */
const encoded = (value: string) => encodeURIComponent(value.replace(/\p{Surrogate}/gu, "?"));

/** Only refusals with details, or documents; never a failure of ours. */
async function answersProperly(parameters: Readonly<Record<string, string | undefined>>): Promise<void> {
  const query = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encoded(value)}`],
  );
  const answer = await shop.send("GET", `items?${query.join("&")}`);
  expect([200, 400]).toContain(answer.status);
  if (answer.status === 400) expect(details(answer).length).toBeGreaterThan(0);
  else expect(Array.isArray(answer.body["items"]) && answer.body["items"].every(isJsonObject)).toBe(true);
}

test("where: whatever is sent is answered, or refused with a detail per problem", async () => {
  const more = fc.record({
    count: fc.constantFrom("true", undefined),
    deleted: fc.constantFrom("include", undefined),
  });
  await fc.assert(
    fc.asyncProperty(whereText, more, (asked, others) => answersProperly({ where: asked, ...others })),
    { seed: 11, numRuns: runs(600) },
  );
});

test("order_by: whatever is sent is answered, or refused with a detail per problem", async () => {
  const searching = fc.constantFrom(undefined, '{"$search":"a"}', '{"$search":"a","size":{"$in":[]}}');
  await fc.assert(
    fc.asyncProperty(order, searching, (order_by, asked) =>
      answersProperly({ where: asked, order_by, limit: "2" }),
    ),
    { seed: 12, numRuns: runs(250) },
  );
});

test("after: whatever is sent is answered, or refused with a detail per problem", async () => {
  const first = await shop.send("GET", "items?limit=1&order_by=share");
  const cursor = text(first.body, "next_cursor");
  const mutated = fc
    .tuple(fc.nat(cursor.length), fc.string({ maxLength: 3 }))
    .map(([at, part]) => cursor.slice(0, at) + part + cursor.slice(at));
  const after = fc.oneof(
    mutated,
    string,
    fc.constant(cursor),
    fc.base64String().map((value) => `_${value}`),
  );
  await fc.assert(
    fc.asyncProperty(after, fc.option(order, { nil: undefined }), (given, order_by) =>
      answersProperly({ after: given, order_by }),
    ),
    { seed: 13, numRuns: runs(200) },
  );
});
