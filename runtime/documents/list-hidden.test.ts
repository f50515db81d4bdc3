import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { field, ownershipFields } from "../filter/fields.ts";
import { textIndex } from "../filter/search/index.ts";
import { isJsonObject, type JsonValue } from "../json.ts";
import { allowed, byCaller } from "../rules/index.ts";
import {
  code,
  collection,
  fields as common,
  details,
  type Received,
  type Shop,
  startShop,
} from "./testing/shop.ts";

const isHr = byCaller(({ user }) => user?.email === "hr@example.com");
const fields = {
  ...common,
  ...ownershipFields,
  salary: field("salary", ["integer", "null"]),
  secret: field("secret", "string"),
  address: field("address", "object"),
  "address.city": field("address.city", "string"),
  "address.zip": field("address.zip", "string"),
  extra: field("extra", "object"),
  "extra.deep": field("extra.deep", "string"),
};
const rules = { create: allowed, read: allowed };
const validate = () => true;

/** `salary`, `extra` and `address.zip` are for `hr`; `secret` depends on the document; `slug` is for all to read. */
const people = collection("people", {
  fields,
  rules,
  validate,
  fieldRules: [
    { path: ["salary"], read: isHr },
    { path: ["extra"], read: isHr },
    { path: ["address", "zip"], read: isHr },
    { path: ["secret"], read: { check: (_, document) => document["title"] === "open" } },
    { path: ["slug"], read: allowed, write: isHr },
  ],
  text: textIndex({ fields: [{ field: fields.title, weight: 1 }], defaultLanguage: "en" }),
});
const searched = collection("searched", {
  fields,
  rules,
  validate,
  fieldRules: [{ path: ["secret"], read: isHr }],
  text: textIndex({
    fields: [
      { field: fields.title, weight: 1 },
      { field: fields.secret, weight: 1 },
    ],
    defaultLanguage: "en",
  }),
});
const spoken = collection("spoken", {
  fields,
  rules,
  validate,
  fieldRules: [{ path: ["lang"], read: isHr }],
  text: textIndex({
    fields: [{ field: fields.title, weight: 1 }],
    defaultLanguage: "en",
    languageField: fields.lang,
  }),
});

let shop: Shop;
let hr = "";
let other = "";
let key = "";
beforeAll(async () => {
  shop = await startShop("enabled", [people, searched, spoken]);
  hr = (await shop.signUp("hr@example.com")).token;
  other = (await shop.signUp("other@example.com")).token;
  key = await shop.key();
  const body = {
    title: "open",
    salary: 10,
    secret: "s",
    slug: "a",
    lang: "en",
    address: { city: "Bern", zip: "3000" },
    extra: { deep: "x" },
  };
  for (const name of ["people", "searched", "spoken"]) {
    expect((await shop.send("POST", name, { token: hr, body })).status).toBe(201);
  }
});
afterAll(() => shop.stop());

function list(
  query: Readonly<Record<string, JsonValue>>,
  token?: string,
  name = "people",
): Promise<Received> {
  const parts = Object.entries(query).map(([parameter, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${parameter}=${encodeURIComponent(text)}`;
  });
  return shop.send("GET", `${name}?${parts.join("&")}`, token === undefined ? {} : { token });
}

const count = ({ body }: Received) => (Array.isArray(body["items"]) ? body["items"].length : undefined);

const hidden = ["salary", "extra", "extra.deep", "address.zip", "secret"];

describe("Field rules: a hidden field is an unknown field", () => {
  test.each(hidden)("where: %s cannot be probed", async (path) => {
    const probes: readonly JsonValue[] = [
      10,
      "x",
      null,
      { $isNull: true },
      { $gt: 5 },
      { $in: [] },
      { $foo: 1 },
      {},
    ];
    for (const token of [undefined, other]) {
      for (const probe of probes) {
        for (const around of [(where: JsonValue) => where, (where: JsonValue) => ({ $or: [where] })]) {
          const asked = await list({ where: around({ [path]: probe }) }, token);
          const unknown = await list({ where: around({ nowhere: probe }) }, token);
          expect(asked.status).toBe(400);
          expect(answerOf(asked)).toBe(answerOf(unknown).replaceAll("nowhere", path));
        }
      }
    }
  });

  test.each(hidden)("order_by: %s cannot be probed", async (path) => {
    for (const sign of ["", "-"]) {
      const asked = await list({ order_by: sign + path }, other);
      const unknown = await list({ order_by: `${sign}nowhere` }, other);
      expect(asked.status).toBe(400);
      expect(answerOf(asked)).toBe(answerOf(unknown).replaceAll("nowhere", path));
    }
  });

  test("those who see a field in every document may ask for it; API keys bypass the rules", async () => {
    for (const token of [hr, key]) {
      for (const path of ["salary", "extra.deep", "address.zip"]) {
        expect(count(await list({ where: { [path]: { $notNull: true } }, order_by: path }, token))).toBe(1);
      }
    }
    expect(count(await list({ where: { secret: "s" } }, key))).toBe(1);
    // Whether hr sees it depends on the document.
    expect(details(await list({ where: { secret: "s" } }, hr))).toEqual([
      { path: "where.secret", reason: "unknown field" },
    ]);
  });

  test("beside a hidden field everything may be asked for, and so may what is only not writable", async () => {
    expect(count(await list({ where: { "address.city": "Bern", slug: "a" }, order_by: "slug" }, other))).toBe(
      1,
    );
    expect(count(await list({ where: { address: { $notNull: true } } }, other))).toBe(1);
    expect(count(await list({ where: { $search: "open" } }, other))).toBe(1);
  });

  test.each(["searched", "spoken"])(
    "$search: where the index of %s reads a hidden field: 400",
    async (name) => {
      for (const token of [undefined, other]) {
        for (const value of ["open", "nothing", ""]) {
          const answer = await list({ where: { $search: value } }, token, name);
          expect([answer.status, code(answer), details(answer)]).toEqual([
            400,
            "invalid_query",
            [{ path: "where.$search", reason: "is not available: it reads fields that are hidden from you" }],
          ]);
        }
      }
      expect(count(await list({ where: { $search: "open" } }, hr, name))).toBe(1);
      expect(count(await list({ where: { $search: "open" } }, key, name))).toBe(1);
    },
  );
});

/** An error without what is each request's own. */
function answerOf({ status, body }: Received): string {
  const error = isJsonObject(body["error"]) ? body["error"] : {};
  return JSON.stringify([status, { ...error, request_id: "" }]);
}
