import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../runtime/json.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { targetOf, valueAt } from "../schema/place.ts";
import { collectionSlots } from "../settings/collection.ts";
import { realmSlots } from "../settings/realm.ts";
import { canonicalJson, meaningOf } from "../source/meaning.ts";
import { parseSource } from "../source/reader.ts";
import { createFaults } from "./faults.ts";
import { collectionIndexes } from "./indexes.ts";

function source(path: string, text: string) {
  const diagnostics: Diagnostic[] = [];
  const file = parseSource(path, text, diagnostics);
  if (file === undefined) throw new Error(JSON.stringify(diagnostics));
  return file;
}

describe("realm.yaml", () => {
  test("defaults", () => {
    expect(realmSlots(source("a/realm.yaml", "auth: enabled\n"))).toMatchObject({
      auth: true,
      signup: "closed",
      signupLimit: { address: { limit: 10, period: 3_600_000 }, network: { limit: 100, period: 3_600_000 } },
      roles: [],
      defaultRoles: [],
      origins: [],
      sessions: { lifetime: 30 * 86_400_000, idleTimeout: 7 * 86_400_000 },
      appConfig: {},
      openapi: "public",
    });
  });

  test("everything given", () => {
    const text = `
auth: enabled
signup: open
signup_limit: { address: 5/m, network: 2400/d }
roles: { editor: {}, boss: { admin: true }, clerk: { admin: [data, users] }, none: { admin: false }, support: { admin: read } }
default_roles: [editor]
cors: { origins: ['https://a.example'] }
sessions:
  lifetime: 8h
  idle_timeout: 15m
  cookie: { enabled: true, same_site: strict }
  admin_idle_timeout: 5m
  admin_max_lifetime: 1h
mfa: { totp: true }
email: { from: 'a@b.example', verify_link: 'https://a.example/{token}' }
admin: { allowed_networks: [10.0.0.0/8], read_access: { data: true, users: false } }
app_config: { trial_days: 14 }
openapi: users
`;
    expect(realmSlots(source("a/realm.yaml", text))).toMatchObject({
      signup: "open",
      signupLimit: { address: { limit: 5, period: 60_000 }, network: { limit: 2_400, period: 86_400_000 } },
      roles: [
        { name: "boss", admin: true },
        { name: "clerk", admin: ["users", "data"] },
        { name: "editor" },
        { name: "none" },
        { name: "support", admin: "read" },
      ],
      defaultRoles: ["editor"],
      origins: ["https://a.example"],
      sessions: {
        lifetime: 28_800_000,
        idleTimeout: 900_000,
        adminIdleTimeout: 300_000,
        adminMaxLifetime: 3_600_000,
        cookie: { sameSite: "strict" },
      },
      totp: true,
      email: { from: "a@b.example", verifyLink: "https://a.example/{token}" },
      admin: { allowedNetworks: ["10.0.0.0/8"], readAccess: ["data"] },
      appConfig: { trial_days: 14 },
      openapi: "users",
    });
  });

  test("cookies that are not enabled are absent", () => {
    const text = "auth: enabled\nsessions: { cookie: { enabled: false, same_site: none } }\n";
    expect(realmSlots(source("a/realm.yaml", text)).sessions.cookie).toBeUndefined();
  });
});

const settings = (text: string) => collectionSlots(source("a/b/c/collection.yaml", text), "b");

describe("collection.yaml", () => {
  test("write stands for create, update and delete where those are not given", () => {
    const { rules } = settings("rules: { write: hasRole('a'), delete: false, read: true, purge: true }\n");
    expect(
      Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, `${rule?.key}: ${rule?.text}`])),
    ).toEqual({
      create: "write: hasRole('a')",
      read: "read: true",
      update: "write: hasRole('a')",
      delete: "delete: false",
      purge: "purge: true",
    });
  });

  test("no file, no settings", () => {
    expect(collectionSlots(undefined, "b")).toEqual({ rules: {}, fieldRules: [], references: [] });
  });

  test("references have their defaults", () => {
    const { references } = settings(
      "references: { author: { collection: people }, tags: { collection: t, database: d, field: f, key: k, many: true, max_expand: 5 } }\n",
    );
    expect(references).toMatchObject([
      { name: "author", database: "b", collection: "people", field: "author", key: "id", many: false },
      { name: "tags", database: "d", collection: "t", field: "f", key: "k", many: true, maxExpand: 5 },
    ]);
    expect(references[0]).not.toHaveProperty("maxExpand");
  });

  test("field rules, sorted by path", () => {
    const { fieldRules } = settings("fields:\n  b.c: { write: false }\n  a: { read: true }\n");
    expect(fieldRules.map(({ path, read, write }) => [path, read?.text, write?.text])).toEqual([
      ["a", "true", undefined],
      ["b.c", undefined, "false"],
    ]);
  });

  test("soft delete with and without retention, and off", () => {
    expect(settings("soft_delete: true\n").softDelete).toEqual({});
    expect(settings("soft_delete: { retention: 30d }\n").softDelete).toEqual({ retention: 2_592_000_000 });
    expect(settings("soft_delete: false\n").softDelete).toBeUndefined();
  });

  test("custom ids of all forms", () => {
    expect(settings("custom_id: true\n").customId).toMatchObject({ duplicateLimit: 20 });
    expect(settings("custom_id: user\n").customId).toMatchObject({ is: "user", duplicateLimit: 20 });
    expect(settings("custom_id: { pattern: '^a$', duplicate_limit: 5 }\n").customId).toMatchObject({
      pattern: "^a$",
      duplicateLimit: 5,
    });
    expect(settings("custom_id: false\n").customId).toBeUndefined();
  });

  test("public caching only where it is public", () => {
    expect(settings("cache: { public: true, max_age: 60 }\n").publicCache).toMatchObject({ maxAge: 60 });
    expect(settings("cache: { public: false, max_age: 60 }\n").publicCache).toBeUndefined();
  });
});

describe("queries", () => {
  test("limits of expansion, those that are given", () => {
    expect(settings("expand: { max_depth: 1, max_docs: 500 }\n").expand).toMatchObject({
      maxDepth: 1,
      maxDocs: 500,
    });
    expect(settings("expand: { max_docs: 500 }\n").expand).not.toHaveProperty("maxPaths");
    expect(settings("cache: { public: false }\n").expand).toBeUndefined();
  });

  test("groups in the order of the file, metrics by path, functions in an order of their own", () => {
    const { aggregate } = settings(
      "aggregate:\n  group_by: [status, author_id]\n  metrics: { hours: [max, sum], cost: [distinct, avg] }\n",
    );
    expect(aggregate).toMatchObject({
      groupBy: ["status", "author_id"],
      metrics: [
        { path: "cost", functions: ["avg", "distinct"] },
        { path: "hours", functions: ["sum", "max"] },
      ],
    });
    expect(settings("cache: { public: false }\n").aggregate).toBeUndefined();
  });

  test("a text index without a language does not stem", () => {
    const text = (value: JsonObject) =>
      collectionIndexes(source("a/b/c/indexes.json", JSON.stringify({ text: value }))).text;
    expect(text({ fields: { title: 10, body: 2 } })).toMatchObject({
      fields: [
        { path: "title", weight: 10 },
        { path: "body", weight: 2 },
      ],
      defaultLanguage: "none",
    });
    expect(text({ fields: { a: 1 }, default_language: "de", language_field: "lang" })).toMatchObject({
      defaultLanguage: "de",
      languageField: "lang",
    });
    expect(collectionIndexes(undefined)).toEqual({ indexes: [] });
  });
});

describe("indexes.json", () => {
  const indexes = (value: JsonObject) =>
    collectionIndexes(source("a/b/c/indexes.json", JSON.stringify(value))).indexes;

  test("names are made of fields, directions are read", () => {
    expect(
      indexes({
        indexes: [{ fields: ["status", "-due.at"] }, { fields: ["slug"], unique: true, name: "by_slug" }],
      }),
    ).toMatchObject([
      {
        name: "status_due_at",
        fields: [
          { path: "status", descending: false },
          { path: "due.at", descending: true },
        ],
        unique: false,
      },
      { name: "by_slug", unique: true },
    ]);
  });

  test("long names are shortened, and stay different", () => {
    const fields = [...Array(16).keys()].map((at) => `some_long_field_${at}`);
    const [one, other] = indexes({ indexes: [{ fields }, { fields: [...fields.slice(0, 15), "x"] }] });
    expect(one?.name).toHaveLength(63);
    expect(other?.name).toHaveLength(63);
    expect(one?.name).not.toBe(other?.name);
  });
});

describe("the meaning of a file", () => {
  test("does not depend on order, layout or comments", () => {
    const one = source("a.yaml", "# why\na: 1\nb: { c: [1, 2], d: x }\n").value;
    const other = source("b.json", '{"b":{"d":"x","c":[1,2]},"a":1.0}').value;
    expect(meaningOf(one)).toBe(meaningOf(other));
    expect(meaningOf(one)).toMatch(/^[0-9a-f]{64}$/);
  });

  test("depends on values and the order of lists", () => {
    expect(canonicalJson({ b: [2, 1], a: null })).toBe('{"a":null,"b":[2,1]}');
    expect(meaningOf({ a: [1, 2] })).not.toBe(meaningOf({ a: [2, 1] }));
    expect(meaningOf({ a: "1" })).not.toBe(meaningOf({ a: 1 }));
  });
});

describe("faults", () => {
  test("touch what is inside of them and around them, not beside them", () => {
    const faults = createFaults();
    faults.add("a.yaml", ["rules", "read"]);
    expect(faults.touch("a.yaml", ["rules", "read"])).toBe(true);
    expect(faults.touch("a.yaml", ["rules"])).toBe(true);
    expect(faults.touch("a.yaml", ["rules", "read", "x"])).toBe(true);
    expect(faults.touch("a.yaml", ["rules", "reads"])).toBe(false);
    expect(faults.touch("b.yaml", ["rules", "read"])).toBe(false);
    faults.add("b.yaml", []);
    expect(faults.touch("b.yaml", ["anything"])).toBe(true);
  });
});

describe("pointers", () => {
  const from = "desk/support/tickets/schema.json";
  test.each([
    ["#/$defs/a", from, "/$defs/a"],
    ["#", from, ""],
    ["../../_shared/a.json", "desk/_shared/a.json", ""],
    ["../people/schema.json#/properties/a~1b", "desk/support/people/schema.json", "/properties/a~1b"],
    ["a%20b.json#/x%25", "desk/support/tickets/a b.json", "/x%"],
    ["../../../../../x.json", "../../x.json", ""],
  ])("%s", (ref, path, pointer) => {
    expect(targetOf(ref, from)).toEqual({ path, pointer });
  });

  test.each([
    "https://x.example/a.json",
    "urn:x",
    "/a.json",
    "#name",
    "a.json#name",
    "%zz",
    "a\\b.json",
    "a.json?x=1",
  ])("%s is none", (ref) => {
    expect(targetOf(ref, from)).toBeUndefined();
  });

  test("values are own members, array positions exact", () => {
    const document = { a: [{ "b/c": 1 }], "": 2 };
    expect(valueAt(document, "/a/0/b~1c")).toBe(1);
    expect(valueAt(document, "/")).toBe(2);
    expect(valueAt(document, "/a/00")).toBeUndefined();
    expect(valueAt(document, "/constructor")).toBeUndefined();
    expect(valueAt(document, "/a/length")).toBeUndefined();
  });
});
