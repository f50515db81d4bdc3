import { expect } from "vitest";
import { field, ownershipFields } from "../../../filter/fields.ts";
import { textIndex } from "../../../filter/search/index.ts";
import { isJsonObject, type JsonObject } from "../../../json.ts";
import { allowed, denied } from "../../../rules/index.ts";
import { collection, day, fields, type Received, type Shop, startShop, text } from "../../testing/shop.ts";

const salary = field("salary", "integer");
const closed = {
  create: denied,
  read: denied,
  update: denied,
  delete: denied,
  restore: denied,
  purge: denied,
};
const hidden = [
  { path: ["salary"], read: denied, write: denied },
  { path: ["slug"], read: denied, write: denied },
];

/** Nobody may do anything to them, nor see two of their fields. */
const staff = collection("staff", {
  fields: { ...fields, ...ownershipFields, salary },
  rules: closed,
  fieldRules: hidden,
  softDelete: { retention: day },
  publicMaxAge: 60,
  indexes: [{ name: "slug", keys: [{ field: fields.slug, descending: false }], unique: true }],
  text: textIndex({ fields: [{ field: fields.slug, weight: 1 }], defaultLanguage: "en" }),
  aggregate: { groupBy: [fields.slug], metrics: [{ field: salary, functions: ["sum"] }] },
  references: {
    boss: { database: "main", collection: "bosses", field: fields.owner, key: "id", many: false },
    by_slug: { database: "main", collection: "staff", field: fields.slug, key: "slug", many: false },
  },
});
export const bosses = collection("bosses", {
  fields: { ...fields, salary },
  rules: closed,
  fieldRules: hidden,
});
/** No rules at all. */
export const unruled = collection("unruled");
const open = collection("open", { rules: { create: allowed, read: allowed }, fieldRules: hidden });
const chosen = collection("chosen", { customId: { duplicateLimit: 2 }, rules: closed });
const own = collection("own", { customId: { is: "user", duplicateLimit: 20 }, rules: closed });
const everything = [staff, bosses, unruled, open, chosen, own];

type Headers = Readonly<Record<string, string>>;

/** A shop of these collections as a key of an administrator sees it. */
export interface DataShop {
  readonly shop: Shop;
  readonly key: string;
  /** An administrator, signed in. */
  readonly boss: { readonly token: string; readonly id: string };
  readonly stop: () => Promise<unknown>;
  /** A request to `/_admin/data/main/…`. */
  readonly admin: (
    method: string,
    path: string,
    body?: JsonObject,
    headers?: Headers,
    token?: string,
  ) => Promise<Received>;
  /** Makes a document: its id. */
  readonly create: (collection: string, body?: JsonObject) => Promise<string>;
}

export async function startData(): Promise<DataShop> {
  const shop = await startShop("enabled", everything);
  const key = await shop.key({ name: "admin", admin: true });
  const boss = await shop.person("boss@example.com", "boss");
  const admin: DataShop["admin"] = (method, path, body, headers = {}, token = key) =>
    shop.send(method, `../_admin/data/main/${path}`, { token, headers, ...(body && { body }) });
  return {
    shop,
    key,
    boss,
    stop: () => shop.stop(),
    admin,
    async create(name, body = {}) {
      const answer = await admin("POST", name, { title: "a", ...body });
      expect(answer.status).toBe(201);
      return text(answer.body, "id");
    },
  };
}

/** The documents of a list's answer. */
export function items({ status, body }: Received): readonly JsonObject[] {
  expect([status, body]).toMatchObject([200, { items: expect.any(Array) }]);
  return Array.isArray(body["items"]) ? body["items"].filter(isJsonObject) : [];
}

export const where = (condition: JsonObject): string =>
  `where=${encodeURIComponent(JSON.stringify(condition))}`;
