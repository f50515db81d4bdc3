import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Collection } from "../../compiler/model/model.ts";
import { packageRoot } from "../../compiler/package/package.ts";
import type { JsonObject } from "../../runtime/json.ts";
import { collectionOf, declaredField, organizations, realmOf, schemaOf } from "../testing/models.ts";
import { clientFile } from "./file.ts";

const codes = ["not_found"];

async function emitted(
  collections: readonly Collection[],
  further: Parameters<typeof realmOf>[2] = {},
): Promise<string> {
  return (await clientFile(realmOf("shop", collections, further), codes)).text;
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
  expect(text).toContain("key: OrderKey2Shape");
});

/** Names that a module declares or imports, in its order. */
function declaredIn(text: string): readonly string[] {
  const declarations = /^(?:export )?(?:abstract )?(?:class|const|function|interface|type) (\w+)/gm;
  const imports = /^import (?:type )?\{([^}]*)\}/gm;
  return [
    ...[...text.matchAll(imports)].flatMap(([, list = ""]) => list.match(/\w+(?=,|\s*$)/g) ?? []),
    ...[...text.matchAll(declarations)].map(([, name = ""]) => name),
  ];
}

/** Names that the modules of `realmc/client` declare. */
function declaredByRuntime(): readonly string[] {
  const folder = join(packageRoot, "runtime/client");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !name.startsWith("testing/"),
  );
  return files.flatMap((name) => declaredIn(readFileSync(join(folder, name), "utf8")));
}

it.each([
  ["without accounts", {}],
  ["with accounts", { auth: true, signup: "invite", roles: [{ name: "agent" }] }],
  ["with organizations", { auth: true, organizations }],
] as const)("no name of a realm's own meets one of the client's, %s", async (_, further) => {
  const client = async (collections: readonly Collection[]): Promise<string> =>
    (await clientFile(realmOf("shop", collections, further), codes)).text;
  const empty = await client([collectionOf("shop", "db", "none")]);
  const type = { type: "object", properties: { is: { type: "string" } } };
  const names = [...new Set([...declaredIn(empty), ...declaredByRuntime()])].filter((name) =>
    /^[A-Z]/.test(name),
  );
  expect(names).toEqual(expect.arrayContaining(["ChangeError", "Refusal", "Databases", "DocumentMeta"]));
  const definitions: JsonObject = {
    type: "object",
    properties: Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }])),
    $defs: Object.fromEntries(names.map((name) => [name, type])),
  };
  // `ChangeError` is what is made of `change/error`, too.
  const places = names.flatMap((name) => {
    const [first, ...others] = [...name.matchAll(/[A-Z]+[a-z\d]*/g)].map(([word]) => word.toLowerCase());
    return others.length > 0 ? [`${first}/${others.join("_")}`] : [];
  });
  const collections = [...new Set(places)].map((place) => withSchema(place, type));
  const text = await client([withSchema("defined/here", definitions), ...collections]);
  const declared = declaredIn(text);
  expect(declared.filter((name, at) => declared.indexOf(name) !== at)).toEqual([]);
  expect(declared.length).toBeGreaterThan(2 * names.length);
});

it("fields that the caller may not see may be missing", async () => {
  const people = withSchema("people", {
    type: "object",
    properties: { salary: { type: "number" } },
    required: ["salary"],
  });
  const rule = { text: "true", span: people.span, positions: [], key: "read" };
  const fields = [declaredField("salary", { kinds: ["number"] })];
  const hidden = { ...people, fields, fieldRules: [{ path: "salary", span: people.span, read: rule }] };
  const unwritable = { ...people, fieldRules: [{ path: "salary", span: people.span, write: rule }] };
  expect(await emitted([hidden], { auth: true })).toContain(
    'SalesPeopleDocument = Partly<SalesPeople, "salary"> & {',
  );
  expect(await emitted([unwritable], { auth: true })).toContain("SalesPeopleDocument = SalesPeople & {");
});

it("what a realm has not is not offered", async () => {
  const closed = await emitted([], { auth: true, signup: "closed" });
  expect(closed).toContain(
    '| "$auth.signUp"\n    | "$auth.enrolTotp"\n    | "$auth.removeTotp"\n    | "$auth.renewRecoveryCodes"\n    | "$auth.confirmTotp"\n    | "$auth.tokens"\n    | "$auth.createToken"\n    | "$auth.rotateToken"\n    | "$auth.revokeToken";',
  );
  expect(closed).not.toContain("databases(");
  const invited = await emitted([], { auth: true, signup: "invite", totp: true, tokens: true });
  expect(invited).toContain("unanswered: never;");
  expect(invited).toContain("signUp: { invitation: string };");
  expect(invited).toContain('codes: { signUp: "forbidden" };');
  expect(await emitted([])).not.toContain("$auth");
});

it("who may come without an invitation and for no cookie is not refused, as far as errors go", async () => {
  const open = await emitted([], { auth: true, signup: "open" });
  expect(open).toContain("codes: { signUp: never };");
  expect(open).toContain("signUp: { invitation?: string | null | undefined }; logIn: object");
  const { sessions } = realmOf("shop", []);
  const cookies = {
    auth: true,
    signup: "open",
    sessions: { ...sessions, cookie: { sameSite: "lax" } },
  } as const;
  expect(await emitted([], cookies)).toContain('codes: { signUp: "forbidden" };');
});

it("keys of organizations are answered where these may have some", async () => {
  const of = (keys: boolean): Promise<string> =>
    emitted([], { auth: true, organizations: { ...organizations, keys } });
  expect(await of(false)).toContain('"$orgs.createKey"');
  expect(await of(true)).not.toContain('"$orgs.createKey"');
});

it("organizations are offered where the realm has them, with its roles", async () => {
  const { text } = await clientFile(
    realmOf("shop", [], {
      auth: true,
      organizations: { ...organizations, teamRoles: [{ name: "lead", grants: [] }] },
    }),
    codes,
  );
  expect(text).toContain("readonly $orgs: Organizations;");
  expect(text).toContain("$orgs: organizations(connected)");
  expect(text).toContain("type OrganizationAdministration as AdministrationOf");
  expect(text).toContain('export type OrganizationRole = "member" | "owner";');
  expect(text).toContain('export type TeamRoleName = "lead";');
  const without = await clientFile(realmOf("shop", [], { auth: true }), codes);
  expect(without.text).not.toMatch(/\$orgs|Organizations|Teams|OrganizationRole/);
});

it("documents of organizations say so, and creates are asked for what is required", async () => {
  const of = (organization: NonNullable<Collection["organization"]>): Promise<string> =>
    emitted([collectionOf("shop", "sales", "orders", { organization })], { auth: true });
  const required = await of({ required: true, teams: "required", onDelete: "keep" });
  expect(required).toContain(
    'traits: "accounts" | "organization" | "organization_required" | "team" | "team_required";',
  );
  expect(required).toContain("interface SalesOrdersFields extends TeamFields {");
  expect(required).toContain("_meta: DocumentMeta & OwnershipMeta & OrganizationMeta & TeamMeta;");
  const optional = await of({ required: false, onDelete: "keep" });
  expect(optional).toContain('traits: "accounts" | "organization";');
  expect(optional).toContain("_meta: DocumentMeta & OwnershipMeta & Partial<OrganizationMeta>;");
  expect(await emitted([collectionOf("shop", "sales", "orders")])).not.toMatch(/organization/i);
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
