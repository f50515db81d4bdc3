/** Texts in a realm without accounts and in one with them, and what clients find of them by `$search`. */
import { expect } from "vitest";
import { eq } from "../../filter/algebra.ts";
import { documentFields, field, ownershipFields } from "../../filter/fields.ts";
import { textIndex } from "../../filter/search/index.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { allowed } from "../../rules/index.ts";
import { collection, details, type Received, type Shop, startShop, text } from "./shop.ts";

const fields = {
  ...documentFields,
  ...ownershipFields,
  title: field("title", "string"),
  body: field("body", "string"),
  tags: field("tags", "string", ["tags"]),
  lang: field("lang", "string"),
  size: field("size", "integer"),
  author: field("author", "string"),
};
const index = textIndex({
  fields: [
    { field: fields.title, weight: 10 },
    { field: fields.body, weight: 1 },
    { field: fields.tags, weight: 5 },
  ],
  defaultLanguage: "en",
  languageField: fields.lang,
});
const open = { fields, validate: () => true, rules: { create: allowed, read: allowed, update: allowed } };
const texts = collection("texts", { ...open, text: index });
const many = collection("many", { ...open, text: index });
const visible = collection("visible", {
  ...open,
  text: index,
  rules: {
    create: allowed,
    read: { filter: () => eq(fields.lang, "en"), check: (_, { lang }) => lang === "en" },
  },
});
const linked = collection("linked", {
  ...open,
  text: index,
  references: {
    author: { database: "main", collection: "texts", field: fields.author, key: "id", many: false },
  },
});
const shown = collection("shown", { ...open, text: index, publicMaxAge: 60 });
const plain = collection("plain", open);
export const unruled = collection("unruled", { fields, text: index });

export interface Asked {
  readonly where?: JsonValue;
  readonly more?: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export class Texts {
  /** Without accounts. */
  readonly shop: Shop;
  /** With accounts. */
  readonly locked: Shop;
  /** Those of the shop, by size. */
  readonly ids: Readonly<Record<string, string>>;

  private constructor(shop: Shop, locked: Shop, ids: Readonly<Record<string, string>>) {
    this.shop = shop;
    this.locked = locked;
    this.ids = ids;
  }

  static async start(): Promise<Texts> {
    const shop = await startShop("disabled", [texts, many, plain]);
    const locked = await startShop("enabled", [texts, visible, linked, shown]);
    const ids: Record<string, string> = {};
    const documents: readonly JsonObject[] = [
      { title: "Running shoes", body: "For long runs", tags: ["sport"], size: 1 },
      { title: "A house", body: "runs in the family", tags: ["home"], size: 2 },
      { title: "Die Häuser am See", body: "Mehrere Häuser", lang: "de", size: 3 },
      { title: "Quick brown fox", body: "The lazy dog sleeps", tags: ["quick brown", "fox"], size: 4 },
    ];
    for (const body of documents) {
      for (const server of [shop, locked]) {
        server.clock.advance(1);
        const created = await server.send("POST", "texts", { body });
        if (server === shop) ids[String(body["size"])] = text(created.body, "id");
      }
    }
    return new Texts(shop, locked, ids);
  }

  async stop(): Promise<void> {
    await Promise.all([this.shop.stop(), this.locked.stop()]);
  }

  list(name: string, { where, more = "", token, headers }: Asked, server = this.shop): Promise<Received> {
    const asked = where === undefined ? "" : `where=${encodeURIComponent(JSON.stringify(where))}`;
    return server.send("GET", `${name}?${asked}${more}`, {
      ...(token !== undefined && { token }),
      ...(headers !== undefined && { headers }),
    });
  }

  /** The sizes of the texts found. */
  async found($search: string, more: Omit<Asked, "where"> = {}, server = this.shop): Promise<unknown> {
    const page = await this.list("texts", { where: { $search }, ...more }, server);
    expect([page.status, details(page)]).toEqual([200, []]);
    return sizes(page);
  }
}

export function itemsOf({ body }: Received): readonly JsonObject[] {
  return Array.isArray(body["items"]) ? body["items"].filter(isJsonObject) : [];
}

export const sizes = (page: Received) => itemsOf(page).map(({ size }) => size);
