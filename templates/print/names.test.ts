import { describe, expect, test } from "vitest";
import { sketch } from "../openapi/testing/models.ts";
import { collectionStems } from "../server/names.ts";
import { Names, pascalCase } from "./names.ts";

const schema = { type: "object" };

function stemsOf(databases: Record<string, readonly string[]>): readonly string[] {
  const { realm } = sketch({
    databases: Object.fromEntries(
      Object.entries(databases).map(([database, names]) => [
        database,
        Object.fromEntries(names.map((name) => [name, { schema }])),
      ]),
    ),
  });
  return [...collectionStems(realm).values()];
}

describe("names in the OpenAPI document", () => {
  test("are the configuration's own in Pascal case", () => {
    expect(["line_items", "line-items", "lineItems", "2fa", "日本", "a/b~c"].map(pascalCase)).toEqual([
      "LineItems",
      "LineItems",
      "LineItems",
      "2fa",
      "",
      "ABC",
    ]);
  });

  test("of collections hang on nothing but the database's and their own", () => {
    expect(stemsOf({ shop: ["orders", "line_items"], support: ["people"] })).toEqual([
      "ShopOrders",
      "ShopLineItems",
      "SupportPeople",
    ]);
    expect(stemsOf({ support: ["orders", "people"] })).toEqual(["SupportOrders", "SupportPeople"]);
  });

  test("of collections stand as they are where joined words could be another's", () => {
    const alike = {
      shop: ["line-items", "lineItems", "line_items", "line__items", "items_2"],
      "shop-line": ["items"],
      shopLine: ["items"],
    };
    expect(stemsOf(alike)).toEqual([
      "Shop.line-items",
      "Shop.lineItems",
      "ShopLineItems",
      "Shop.line__items",
      "Shop.items_2",
      "Shop-line.items",
      "ShopLine.items",
    ]);
  });

  test("never differ by case alone", () => {
    const names = new Names();
    expect([names.claim("Ticket"), names.claim("TICKET"), names.claim("ticket")]).toEqual([
      "Ticket",
      "TICKET2",
      "ticket3",
    ]);
  });
});
