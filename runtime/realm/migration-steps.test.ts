import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../json.ts";
import {
  assign,
  type Converted,
  convert,
  type DocumentStep,
  drop,
  fill,
  rename,
  steps,
  translate,
  where,
} from "./migration-steps.ts";

function through(step: DocumentStep, document: JsonObject): JsonObject {
  const before = structuredClone(document);
  const changed = steps(step)(document);
  expect(document, "what is given stays as it is").toEqual(before);
  expect(changed).not.toBe(document);
  return changed;
}

describe("rename", () => {
  const contact = rename("mail", "contact.email");

  test("moves a value, and makes the objects on its way", () => {
    expect(through(contact, { mail: "a@b.example" })).toEqual({ contact: { email: "a@b.example" } });
    expect(through(contact, { mail: null, contact: { phone: "1" } })).toEqual({
      contact: { phone: "1", email: null },
    });
  });

  test("leaves a document without the value as it is", () => {
    expect(through(contact, { contact: { email: "a" } })).toEqual({ contact: { email: "a" } });
    expect(through(rename("a.b.c", "d"), { a: { b: "text" } })).toEqual({ a: { b: "text" } });
  });

  test("an object that it leaves empty goes, one with other members stays", () => {
    expect(through(rename("a.b.c", "d"), { a: { b: { c: 1 } } })).toEqual({ d: 1 });
    expect(through(rename("a.b.c", "d"), { a: { b: { c: 1 }, e: 2 } })).toEqual({ a: { e: 2 }, d: 1 });
  });

  test("a value moves into, and out of, what stands under its own name", () => {
    expect(through(rename("name", "name.full"), { name: "Ann" })).toEqual({ name: { full: "Ann" } });
    expect(through(rename("name.full", "name"), { name: { full: "Ann" } })).toEqual({ name: "Ann" });
  });

  test("values move inside of each element of an array", () => {
    const step = rename("lines.cost", "lines.price.net");
    expect(through(step, { lines: [{ cost: 1 }, { sku: "a" }, "text", [{ cost: 2 }]] })).toEqual({
      lines: [{ price: { net: 1 } }, { sku: "a" }, "text", [{ price: { net: 2 } }]],
    });
  });

  test.each<[string, DocumentStep, JsonObject, string]>([
    [
      "a value that is there",
      contact,
      { mail: "a", contact: { email: "b" } },
      "'contact.email' has a value already",
    ],
    ["a text on the way", contact, { mail: "a", contact: "b" }, "'contact.email' leads into a string"],
    ["an array on the way", contact, { mail: "a", contact: [] }, "'contact.email' leads into an array"],
    [
      "an array that it would leave",
      rename("lines.cost", "cost"),
      { lines: [{ cost: 1 }] },
      "'lines.cost' leads into an array",
    ],
  ])("refuses %s", (_, step, document, message) => {
    expect(() => step(document)).toThrow(message);
  });
});

describe("fill and assign", () => {
  test("fill gives a value where there is none, assign always", () => {
    expect(through(fill("priority", 3), {})).toEqual({ priority: 3 });
    expect(through(fill("priority", 3), { priority: null })).toEqual({ priority: null });
    expect(through(assign("priority", 3), { priority: 1 })).toEqual({ priority: 3 });
  });

  test("objects on the way are made, elements of arrays each get the value", () => {
    expect(through(fill("a.b.c", []), {})).toEqual({ a: { b: { c: [] } } });
    expect(through(fill("lines.tax", 0), { lines: [{ tax: 7 }, {}] })).toEqual({
      lines: [{ tax: 7 }, { tax: 0 }],
    });
  });

  test.each<[JsonValue, string]>([
    ["text", "'a' holds a string, so nothing can be put into it"],
    [null, "'a' holds null, so nothing can be put into it"],
    [[1], "'a' holds a number, so nothing can be put into it"],
  ])("%j on the way is refused", (value, message) => {
    expect(() => assign("a.b", 1)({ a: value })).toThrow(message);
  });
});

test("drop removes a value, in each element of an array, and where there is none nothing", () => {
  expect(through(drop("legacy"), { legacy: 1, a: 2 })).toEqual({ a: 2 });
  expect(through(drop("lines.cost"), { lines: [{ cost: 1, sku: "a" }, {}] })).toEqual({
    lines: [{ sku: "a" }, {}],
  });
  expect(through(drop("a.b"), { a: "text" })).toEqual({ a: "text" });
});

test("translate replaces texts by the table, at once, and leaves what is not in it", () => {
  const swap = translate("status", { a: "b", b: "a", constructor: 1 });
  expect(through(swap, { status: "a" })).toEqual({ status: "b" });
  expect(through(swap, { status: ["a", "b", "c", 7] })).toEqual({ status: ["b", "a", "c", 7] });
  expect(through(swap, { status: "toString" })).toEqual({ status: "toString" });
  expect(through(swap, { status: "constructor" })).toEqual({ status: 1 });
  expect(through(translate("status", { a: null }), { status: "a" })).toEqual({ status: null });
});

describe("convert", () => {
  test.each<[Converted, JsonValue, JsonValue]>([
    ["number", " 12.50 ", 12.5],
    ["number", "-.5e1", -5],
    ["number", 3, 3],
    ["integer", "12", 12],
    ["integer", 12.0, 12],
    ["string", 12.5, "12.5"],
    ["string", false, "false"],
    ["boolean", "true", true],
    ["boolean", 0, false],
    ["date", "2026-11-24", "2026-11-24"],
    ["date", "2026-11-24T23:30:00-02:00", "2026-11-25"],
    ["date", 0, "1970-01-01"],
    ["date-time", "2026-11-24", "2026-11-24T00:00:00.000Z"],
    ["date-time", "2026-11-24T10:00:00+02:00", "2026-11-24T08:00:00.000Z"],
    ["date-time", 1000, "1970-01-01T00:00:01.000Z"],
    ["number", null, null],
    ["number", ["1", 2, null], [1, 2, null]],
  ])("to %s: %j becomes %j", (to, value, converted) => {
    expect(through(convert("field", to), { field: value })).toEqual({ field: converted });
  });

  test.each<[Converted, JsonValue, string]>([
    ["number", "12,5", "a string that cannot be made a number"],
    ["number", "", "a string that cannot be made a number"],
    ["number", "0x10", "a string that cannot be made a number"],
    ["number", "1e999", "a string that cannot be made a number"],
    ["number", "9007199254740993", "a string that cannot be made a number"],
    ["number", true, "a boolean that cannot be made a number"],
    ["integer", 1.5, "a number that cannot be made an integer"],
    ["string", {}, "an object that cannot be made a string"],
    ["boolean", "yes", "a string that cannot be made a boolean"],
    ["date", "24.11.2026", "a string that cannot be made a date"],
    ["date-time", "2026-11-24T10:00:00", "a string that cannot be made a date-time"],
    ["date-time", 1e17, "a number that cannot be made a date-time"],
    ["integer", ["1", [2]], "an array that cannot be made an integer"],
  ])("to %s: %j is refused, or becomes what stands for it", (to, value, words) => {
    expect(() => convert("a.field", to)({ a: { field: value } })).toThrow(`'a.field' holds ${words}`);
    const step = convert("a.field", to, { otherwise: null });
    expect(through(step, { a: { field: Array.isArray(value) ? value.slice(1) : value } })).toEqual({
      a: { field: Array.isArray(value) ? [null] : null },
    });
  });

  test("a document without the field stays as it is", () => {
    expect(through(convert("a.field", "number"), { a: {} })).toEqual({ a: {} });
  });
});

test("steps are done one after another, under their conditions", () => {
  const both = steps(
    rename("old", "state"),
    where(({ state }) => state === "sold", assign("archived", true)),
  );
  expect(both({ old: "sold" })).toEqual({ state: "sold", archived: true });
  expect(both({ old: "new" })).toEqual({ state: "new" });
});

test("documents do not share what they are given", () => {
  const all = steps(fill("a", { list: [1] }), assign("b", [1]), convert("c", "number", { otherwise: [1] }));
  const [one, other] = [all({ c: "x" }), all({ c: "x" })];
  expect(one).toEqual({ a: { list: [1] }, b: [1], c: [1] });
  for (const name of ["a", "b", "c"]) expect(one[name]).not.toBe(other[name]);
});

test("members called as what objects inherit are members like others", () => {
  const document: JsonObject = JSON.parse('{"__proto__":{"a":1}}');
  expect(Object.keys(through(rename("__proto__.a", "constructor"), document))).toEqual(["constructor"]);
  expect(JSON.stringify(through(assign("__proto__.b", 2), document))).toBe('{"__proto__":{"a":1,"b":2}}');
  expect(through(fill("toString", 1), {})).toEqual({ toString: 1 });
});
