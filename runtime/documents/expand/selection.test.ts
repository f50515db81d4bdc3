import fc from "fast-check";
import { expect, test } from "vitest";
import { selected, selectionOf } from "./selection.ts";

test.each([
  [["name"], { id: "1", name: "a", address: { city: "x" } }, { name: "a" }],
  [["name", "address"], { name: null, address: { city: "x" } }, { name: null, address: { city: "x" } }],
  [["address.city"], { address: { city: "x", zip: "y" } }, { address: { city: "x" } }],
  [["address.city"], { address: { zip: "y" } }, { address: {} }],
  [["address.city"], { address: "street" }, {}],
  [["address.city"], { address: null }, {}],
  [["address.city"], {}, {}],
  [["address", "address.city"], { address: { zip: "y" } }, { address: { zip: "y" } }],
  [["address.city", "address"], { address: { zip: "y" } }, { address: { zip: "y" } }],
  [
    ["address.city", "address.zip"],
    { address: { city: 1, zip: 2, no: 3 } },
    { address: { city: 1, zip: 2 } },
  ],
  [["lines.sku"], { lines: [{ sku: 1, qty: 2 }, { qty: 3 }, null, 7] }, { lines: [{ sku: 1 }, {}] }],
  [["lines.sku"], { lines: [[{ sku: 1, qty: 2 }], []] }, { lines: [[{ sku: 1 }], []] }],
  [["lines"], { lines: [1, null] }, { lines: [1, null] }],
])("Reference expansion 1: the fields %j are selected", (paths, document, shown) => {
  expect(selected(document, selectionOf(paths))).toEqual(shown);
});

test("Reference expansion 1: members are own members, whatever they are called", () => {
  const document = JSON.parse('{"__proto__":{"a":1,"b":2},"toString":3}');
  expect(JSON.stringify(selected(document, selectionOf(["__proto__.a", "constructor", "toString"])))).toBe(
    '{"__proto__":{"a":1},"toString":3}',
  );
});

test("Reference expansion 1: selecting every top-level field shows the whole document", () => {
  fc.assert(
    fc.property(
      fc.dictionary(
        fc.string().filter((name) => !name.includes(".")),
        fc.jsonValue(),
      ),
      (members) => {
        const document = JSON.parse(JSON.stringify(members));
        expect(selected(document, selectionOf(Object.keys(document)))).toEqual(document);
      },
    ),
  );
});
