import fc from "fast-check";
import { expect, test } from "vitest";
import { type Entry, entryTexts, parseEntry } from "./entries.ts";

test.each([
  ["author", ["author"]],
  ["author,tags", ["author", "tags"]],
  ["author(name,address.city),tags(slug)", ["author(name,address.city)", "tags(slug)"]],
  ["", [""]],
  [",", ["", ""]],
  ["a(b,c", ["a(b,c"]],
  ["a)b,c", ["a)b", "c"]],
])("Reference expansion 1: %j is split into its entries", (text, texts) => {
  expect(entryTexts(text)).toEqual(texts);
});

test.each([
  ["author", { path: ["author"], fields: undefined }],
  ["author.team", { path: ["author", "team"], fields: undefined }],
  ["author(name)", { path: ["author"], fields: ["name"] }],
  ["author.team(name,_meta.version)", { path: ["author", "team"], fields: ["name", "_meta.version"] }],
  ["a.b.c", { path: ["a", "b", "c"], fields: undefined }],
  ["a(first name)", { path: ["a"], fields: ["first name"] }],
])("Reference expansion 1: %s is read", (text, entry) => {
  expect(parseEntry(text)).toEqual(entry);
});

test.each([
  " author",
  "author.",
  ".author",
  "author..team",
  "author()",
  "author(",
  "author)",
  "author(name",
  "author(name))",
  "author(name)(name)",
  "author(name).team",
  "author(name)x",
  "author(a,,b)",
  "author(,a)",
  "author(a.)",
  "author(.a)",
  "author(a..b)",
  "author(team(name))",
  "(name)",
  "aut-hor",
  "auteur.é",
])("Reference expansion 5: %s is malformed", (text) => {
  expect(parseEntry(text)).toBeUndefined();
});

test("Reference expansion 1: entries that are written are read again", () => {
  const name = fc.stringMatching(/^[A-Za-z0-9_]{1,5}$/);
  const field = fc.array(fc.stringMatching(/^[^(),.]{1,5}$/), { minLength: 1, maxLength: 3 });
  const entry = fc.record({
    path: fc.array(name, { minLength: 1, maxLength: 3 }),
    fields: fc.option(
      fc.array(
        field.map((segments) => segments.join(".")),
        { minLength: 1, maxLength: 3 },
      ),
      { nil: undefined },
    ),
  });
  const written = ({ path, fields }: Entry) =>
    path.join(".") + (fields === undefined ? "" : `(${fields.join(",")})`);
  fc.assert(
    fc.property(fc.array(entry, { minLength: 1, maxLength: 5 }), (entries) => {
      expect(entryTexts(entries.map(written).join(",")).map(parseEntry)).toEqual(entries);
    }),
  );
});
