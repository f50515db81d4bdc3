import { expect, it } from "vitest";
import type { JsonObject } from "../../../runtime/json.ts";
import type { Collection } from "../../model/model.ts";
import { collectionOf, declaredField, realmOf, schemaOf } from "../testing.ts";
import { clientFile } from "./client.ts";

/** The part of a client that varies by realm. */
async function emitted(
  collections: readonly Collection[],
  further: Parameters<typeof realmOf>[2] = {},
): Promise<string> {
  const { text } = await clientFile(realmOf("shop", collections, further));
  return text.slice(0, text.indexOf("\n// From here on"));
}

/** @param place `sales/orders`, or a name in `sales` */
function withSchema(place: string, schema: JsonObject, others: Record<string, JsonObject> = {}): Collection {
  const [name = "", database = "sales"] = place.split("/").reverse();
  const path = `shop/${database}/${name}/schema.json`;
  return collectionOf("shop", database, name, { schema: schemaOf(path, schema, others) });
}

it("a schema that two collections refer to is declared once", async () => {
  const shared = {
    "shop/_shared/address.json": { type: "object", properties: { city: { type: "string" } } },
  };
  const schema = { type: "object", properties: { at: { $ref: "../../_shared/address.json" } } };
  const text = await emitted([withSchema("customers", schema, shared), withSchema("orders", schema, shared)]);
  expect(text.match(/^export interface Address/gm)).toEqual(["export interface Address"]);
  expect(text.match(/at\?: Address;/g)).toHaveLength(2);
});

it("different schemas of one name, and names that the client itself uses, get a number", async () => {
  const own = (type: string): JsonObject => ({
    type: "object",
    properties: { part: { $ref: "#/$defs/part" } },
    $defs: { part: { type: "object", properties: { is: { type } } } },
  });
  const text = await emitted([
    withSchema("order/key", own("string")),
    withSchema("api/key", own("number")),
    withSchema("abort/signal", { type: "object" }),
  ]);
  for (const name of [
    "Part",
    "Part2",
    "OrderKey2",
    "OrderKey2Document",
    "ApiKey2",
    "ApiKey2Create",
    "AbortSignal2",
  ])
    expect(text).toMatch(new RegExp(`^export (?:interface|type) ${name}\\b`, "m"));
  expect(text).toContain("key: new Collection<OrderKey2Shape, Further>");
});

it("fields that the caller may not see may be missing", async () => {
  const people = withSchema("people", {
    type: "object",
    properties: { salary: { type: "number" } },
    required: ["salary"],
  });
  const rule = { text: "true", span: people.span, positions: [], key: "read" };
  const hidden = { ...people, fieldRules: [{ path: "salary", span: people.span, read: rule }] };
  const unwritable = { ...people, fieldRules: [{ path: "salary", span: people.span, write: rule }] };
  expect(await emitted([hidden], { auth: true })).toContain(
    'SalesPeopleDocument = Partly<SalesPeople, "salary"> & {',
  );
  expect(await emitted([unwritable], { auth: true })).toContain("SalesPeopleDocument = SalesPeople & {");
});

it("what a realm has not is not offered", async () => {
  const closed = await emitted([], { auth: true, signup: "closed" });
  expect(closed).toContain('$auth: Omit<Accounts, "signUp" | "enrolTotp" | "confirmTotp" | "removeTotp">');
  expect(closed).not.toMatch(/databases|Shapes/);
  const invited = await emitted([], { auth: true, signup: "invite", totp: true });
  expect(invited).toContain("readonly $auth: Accounts;");
  expect(invited).toContain("type InvitationChoice = { invitation: string };");
  expect(await emitted([])).not.toContain("$auth");
});

it("fields say what queries may say of them", async () => {
  const fields = [
    declaredField("amount", { kinds: ["integer"], nullable: true }),
    declaredField("any", { kinds: ["boolean", "number", "string"] }),
    declaredField("day", { kinds: ["date"] }),
    declaredField("lines", { kinds: ["object"], arrays: ["lines"], scalar: false }),
    declaredField("lines.sku", { arrays: ["lines"] }),
    declaredField("size", { values: ["l", "m"], nullable: true }),
    declaredField("tags", { values: ["a", "b"], arrays: ["tags"], scalar: false }),
  ];
  const text = await emitted([collectionOf("shop", "sales", "orders", { fields })]);
  const [, listed = ""] = /interface SalesOrdersFields extends DocumentFields \{\n([^}]*)\}/.exec(text) ?? [];
  expect(listed.trim().split(/\n\s*/)).toEqual([
    "amount: Condition<number | null>;",
    "any: TextCondition<string | number | boolean>;",
    "day: Condition<string | Date>;",
    "lines: PresenceCondition;",
    '"lines.sku": TextCondition<string>;',
    'size: TextCondition<"l" | "m" | null>;',
    'tags: TextCondition<"a" | "b" | readonly ("a" | "b")[]>;',
  ]);
});
