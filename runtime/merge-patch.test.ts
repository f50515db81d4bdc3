import fc from "fast-check";
import { expect, test } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import { mergePatch } from "./merge-patch.ts";
import { runs } from "./testing/random.ts";

// RFC 7396, appendix A, as far as target and patch can be documents here: both are objects.
test.each<[JsonObject, JsonObject, JsonObject]>([
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
])("Document endpoints 5: RFC 7396 appendix A: %j patched with %j is %j", (target, patch, result) => {
  expect(mergePatch(target, patch)).toEqual(result);
});

// The other examples of appendix A, one level down.
test.each<[JsonValue, JsonValue, JsonValue]>([
  [
    ["a", "b"],
    ["c", "d"],
    ["c", "d"],
  ],
  [{ a: "b" }, ["c"], ["c"]],
  [{ a: "foo" }, "bar", "bar"],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
])(
  "Document endpoints 5: RFC 7396 appendix A, as a member: %j patched with %j is %j",
  (target, patch, result) => {
    expect(mergePatch({ member: target }, { member: patch })).toEqual({ member: result });
  },
);

test("Document endpoints 5: RFC 7396 section 3, the example", () => {
  const target = {
    title: "Goodbye!",
    author: { givenName: "John", familyName: "Doe" },
    tags: ["example", "sample"],
    content: "This will be unchanged",
  };
  const patch = {
    title: "Hello!",
    phoneNumber: "+01-123-456-7890",
    author: { familyName: null },
    tags: ["example"],
  };
  expect(mergePatch(target, patch)).toEqual({
    title: "Hello!",
    author: { givenName: "John" },
    tags: ["example"],
    content: "This will be unchanged",
    phoneNumber: "+01-123-456-7890",
  });
});

test("Document endpoints 5: null in an array of a patch is a value", () => {
  expect(mergePatch({}, { a: [null, { b: null }] })).toEqual({ a: [null, { b: null }] });
});

test("Fine points: __proto__ and constructor are plain data", () => {
  const patch: JsonObject = JSON.parse(
    '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"x": 1}}}',
  );
  const once = mergePatch({}, patch);
  expect(JSON.stringify(once)).toBe('{"__proto__":{"polluted":1},"constructor":{"prototype":{"x":1}}}');
  expect(Object.getPrototypeOf(once)).toBe(Object.prototype);
  const twice = mergePatch(once, JSON.parse('{"__proto__": {"more": 2}}'));
  expect(JSON.stringify(twice)).toBe(
    '{"__proto__":{"polluted":1,"more":2},"constructor":{"prototype":{"x":1}}}',
  );
  expect(JSON.stringify(mergePatch(twice, JSON.parse('{"__proto__": null, "constructor": null}')))).toBe(
    "{}",
  );
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  expect(JSON.stringify(mergePatch({}, JSON.parse('{"toString": {"a": 1}}')))).toBe('{"toString":{"a":1}}');
});

const names = fc.constantFrom("a", "b", "c", "__proto__", "constructor");
const { object } = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(null, 0, 1, "x", true),
    tie("object"),
    fc.array(tie("value"), { maxLength: 2 }),
  ),
  object: fc
    .array(fc.tuple(names, tie("value")), { maxLength: 4 })
    .map(
      (members): JsonObject =>
        JSON.parse(`{${members.map(([name, value]) => `"${name}":${JSON.stringify(value)}`)}}`),
    ),
}));

/** The pseudo-code of RFC 7396 section 2, on maps. */
function reference(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return patch;
  const result = new Map(isJsonObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null || value === undefined) result.delete(name);
    else result.set(name, reference(result.get(name), value));
  }
  return JSON.parse(`{${[...result].map(([name, value]) => `"${name}":${JSON.stringify(value)}`)}}`);
}

test("Document endpoints 5: agrees with the pseudo-code of RFC 7396, and changes neither argument", () => {
  fc.assert(
    fc.property(object, object, (target, patch) => {
      const before = JSON.stringify([target, patch]);
      expect(JSON.stringify(mergePatch(target, patch))).toBe(JSON.stringify(reference(target, patch)));
      expect(JSON.stringify([target, patch])).toBe(before);
    }),
    { numRuns: runs(500) },
  );
});

test("Document endpoints 5: a patch applied twice changes nothing more", () => {
  fc.assert(
    fc.property(object, object, (target, patch) => {
      const once = mergePatch(target, patch);
      expect(JSON.stringify(mergePatch(once, patch))).toBe(JSON.stringify(once));
    }),
  );
});
