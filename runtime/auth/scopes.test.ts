import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { KeyCaller, KeyScopes } from "../realm/caller.ts";
import { type Access, InvalidScopes, parseScopes, permits } from "./scopes.ts";

function key(scopes: KeyScopes | undefined): KeyCaller {
  return { kind: "key", actor: "key:k", keyId: "1", scopes, admin: false };
}

const accesses: readonly Access[] = ["read", "write", "call"];

describe("Authentication 3: scopes of a key", () => {
  it("a key without scopes has full access", () => {
    for (const access of accesses) expect(permits(key(undefined), access, "shop", "orders")).toBe(true);
  });

  it("scopes: {} allows nothing", () => {
    for (const access of accesses) expect(permits(key({}), access, "shop", "orders")).toBe(false);
  });

  it('"*" grants everything of its kind and nothing of another', () => {
    const reader = key({ read: "*" });
    expect(permits(reader, "read", "shop", "orders")).toBe(true);
    expect(permits(reader, "write", "shop", "orders")).toBe(false);
    expect(permits(reader, "call", "shop", "orders")).toBe(false);
  });

  it("a database grants all of its collections and functions", () => {
    const caller = key({ write: ["shop"], call: ["shop"] });
    expect(permits(caller, "write", "shop", "orders")).toBe(true);
    expect(permits(caller, "call", "shop", "refund")).toBe(true);
    expect(permits(caller, "write", "shopping", "orders")).toBe(false);
  });

  it("a collection grants only itself, in its own database", () => {
    const caller = key({ read: ["shop/orders"] });
    expect(permits(caller, "read", "shop", "orders")).toBe(true);
    expect(permits(caller, "read", "shop", "ordersX")).toBe(false);
    expect(permits(caller, "read", "other", "orders")).toBe(false);
  });

  it("a wildcard inside a list is refused, not taken for everything", () => {
    expect(() => parseScopes('{"read": ["*"]}')).toThrow(/write "read": "\*" for everything/);
  });

  it("well-formed scopes come back as they are", () => {
    const name = fc.stringMatching(/^[A-Za-z][A-Za-z0-9_-]{0,10}$/);
    const target = fc.oneof(
      name,
      fc.tuple(name, name).map(([database, collection]) => `${database}/${collection}`),
    );
    const granted = fc.oneof(fc.constant("*" as const), fc.array(target, { maxLength: 4 }));
    const scopes = fc.record({ read: granted, write: granted, call: granted }, { requiredKeys: [] });
    fc.assert(
      fc.property(scopes, (value) => {
        expect(parseScopes(JSON.stringify(value))).toEqual({ ...value });
      }),
    );
  });

  it.each([
    ["not JSON", "{read}", /not valid JSON/],
    ["an array", '["read"]', /not a JSON object/],
    ["a string", '"*"', /not a JSON object/],
    ["an unknown scope", '{"delete": "*"}', /unknown scope "delete"/],
    ["a prototype member", '{"__proto__": "*"}', /unknown scope "__proto__"/],
    ["a single name", '{"read": "shop"}', /read is neither "\*" nor an array/],
    ["null", '{"read": null}', /read is neither/],
    ["a number in the list", '{"read": [1]}', /lists 1/],
    ["an empty name", '{"read": [""]}', /lists ""/],
    ["three levels", '{"read": ["a/b/c"]}', /lists "a\/b\/c"/],
    ["a trailing slash", '{"write": ["shop/"]}', /lists "shop\/"/],
  ])("malformed scopes are refused with what is wrong: %s", (_, text, message) => {
    expect(() => parseScopes(text)).toThrow(InvalidScopes);
    expect(() => parseScopes(text)).toThrow(message);
  });
});
