import { describe, expect, test } from "vitest";
import { collectionStems, Names, pascalCase } from "./names.ts";
import { sketch } from "./testing.ts";

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

  test("of collections bear the database's name only where two collections would share one", () => {
    expect(stemsOf({ shop: ["orders", "people"], support: ["people", "tickets"] })).toEqual([
      "Orders",
      "ShopPeople",
      "SupportPeople",
      "Tickets",
    ]);
  });

  test("are numbered where that is not enough", () => {
    expect(stemsOf({ shop: ["line-items", "line_items"] })).toEqual(["ShopLineItems", "ShopLineItems2"]);
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
