import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KeyScopes } from "../realm/caller.ts";
import { type Access, missingTargets, permits, readScopes, scopesCover } from "./scopes.ts";

const accesses: readonly Access[] = ["read", "write", "call"];

describe("Authentication 3: scopes of a key", () => {
  it("a key without scopes has full access", () => {
    for (const access of accesses) expect(permits(undefined, access, "shop", "orders")).toBe(true);
  });

  it("scopes: {} allows nothing", () => {
    for (const access of accesses) expect(permits({}, access, "shop", "orders")).toBe(false);
  });

  it('"*" grants everything of its kind and nothing of another', () => {
    const reader: KeyScopes = { read: "*" };
    expect(permits(reader, "read", "shop", "orders")).toBe(true);
    expect(permits(reader, "write", "shop", "orders")).toBe(false);
    expect(permits(reader, "call", "shop", "orders")).toBe(false);
  });

  it("a database grants all of its collections and functions", () => {
    const scopes: KeyScopes = { write: ["shop"], call: ["shop"] };
    expect(permits(scopes, "write", "shop", "orders")).toBe(true);
    expect(permits(scopes, "call", "shop", "refund")).toBe(true);
    expect(permits(scopes, "write", "shopping", "orders")).toBe(false);
  });

  it("a collection grants only itself, in its own database", () => {
    const scopes: KeyScopes = { read: ["shop/orders"] };
    expect(permits(scopes, "read", "shop", "orders")).toBe(true);
    expect(permits(scopes, "read", "shop", "ordersX")).toBe(false);
    expect(permits(scopes, "read", "other", "orders")).toBe(false);
  });

  it("a wildcard inside a list is refused, not taken for everything", () => {
    const [problem] = readScopes({ read: ["*"] }).problems;
    expect(problem?.path).toBe("scopes.read.0");
    expect(problem?.reason).toContain('write "read": "*" for everything');
  });

  it("well-formed scopes come back as they are", () => {
    fc.assert(
      fc.property(scopes(), (value) => {
        expect(readScopes({ ...value })).toEqual({ scopes: { ...value }, problems: [] });
      }),
    );
  });

  it.each<[string, string, string, RegExp]>([
    ["an array", '["read"]', "scopes", /must be an object/],
    ["a string", '"*"', "scopes", /must be an object/],
    ["an unknown scope", '{"delete": "*"}', "scopes.delete", /is no scope/],
    ["a prototype member", '{"__proto__": "*"}', "scopes.__proto__", /is no scope/],
    ["a single name", '{"read": "shop"}', "scopes.read", /must be "\*" or an array/],
    ["null", '{"read": null}', "scopes.read", /must be "\*" or an array/],
    ["a number in the list", '{"read": ["shop", 1]}', "scopes.read.1", /names no database/],
    ["an empty name", '{"read": [""]}', "scopes.read.0", /names no database/],
    ["three levels", '{"read": ["a/b/c"]}', "scopes.read.0", /names no database/],
    ["a trailing slash", '{"write": ["shop/"]}', "scopes.write.0", /names no database/],
    ["a long list", `{"read": ["a"${',"a"'.repeat(1_000)}]}`, "scopes.read", /at most 1000 entries/],
  ])("malformed scopes are refused with what is wrong: %s", (_, text, path, reason) => {
    expect(readScopes(JSON.parse(text)).problems).toEqual([{ path, reason: expect.stringMatching(reason) }]);
  });
});

describe("Scopes that name what the realm does not have", () => {
  const collections = [
    { database: "shop", name: "orders" },
    { database: "shop", name: "items" },
  ];

  it("are told of with what they are in", () => {
    const [problem] = missingTargets({ read: ["items"] }, collections);
    expect(problem?.reason).toMatch(/; did you mean 'shop\/items'\?$/);
  });

  it("are told by the place of each", () => {
    const named = { read: ["shop", "shop/orders", "shop/order"], write: "*", call: ["shop/orders"] } as const;
    expect(missingTargets(named, collections)).toEqual([
      {
        path: "scopes.read.2",
        reason: "names \"shop/order\", which the realm does not have; did you mean 'shop/orders'?",
      },
      { path: "scopes.call.0", reason: 'names "shop/orders", which the realm does not have' },
    ]);
  });
});

describe("Scopes that name functions", () => {
  it("are of calls alone, by themselves or by their database", () => {
    const functions = [{ database: "hooks", name: "inbound" }];
    const named = { read: ["hooks/inbound", "hooks"], call: ["hooks/inbound", "hooks", "hooks/other"] };
    expect(missingTargets(named, [], functions).map(({ path }) => path)).toEqual([
      "scopes.read.0",
      "scopes.call.2",
    ]);
  });
});

describe("Authentication 10: scopes that cover others", () => {
  const databases = ["shop", "other"];
  const names = ["orders", "items"];

  it("grant whatever the others do, also what is not there yet; nothing else covers", () => {
    const known = fc.constantFrom(
      ...databases,
      ...databases.flatMap((db) => names.map((name) => `${db}/${name}`)),
    );
    fc.assert(
      fc.property(fc.option(scopes(known), { nil: undefined }), scopes(known), (one, other) => {
        // A database and a collection that no list names stand for what comes later.
        const later = [...databases, "new"].flatMap((db) =>
          [...names, "new"].map((name) => [db, name] as const),
        );
        const covers = accesses.every((access) =>
          later.every(([db, name]) => !permits(other, access, db, name) || permits(one, access, db, name)),
        );
        expect(scopesCover(one, other)).toBe(covers);
      }),
    );
  });

  it("a database covers its collections, its collections not the database, no list everything", () => {
    expect(scopesCover({ read: ["shop"] }, { read: ["shop/orders", "shop"] })).toBe(true);
    expect(scopesCover({ read: ["shop/orders", "shop/items"] }, { read: ["shop"] })).toBe(false);
    expect(scopesCover({ read: ["shop", "other"] }, { read: "*" })).toBe(false);
    expect(scopesCover({ read: "*", write: "*", call: "*" }, undefined)).toBe(false);
    expect(scopesCover({}, {})).toBe(true);
  });
});

const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,10}$/);
const target = fc.oneof(
  name,
  fc.tuple(name, name).map(([database, collection]) => `${database}/${collection}`),
);

function scopes(of: fc.Arbitrary<string> = target): fc.Arbitrary<KeyScopes> {
  const granted = fc.oneof(fc.constant("*" as const), fc.array(of, { maxLength: 4 }));
  return fc.record({ read: granted, write: granted, call: granted }, { requiredKeys: [] });
}
