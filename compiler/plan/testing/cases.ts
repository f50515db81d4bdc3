/** Changes of configurations with documents that meet them: each of a kind that a plan tells of, or keeps quiet about. */
import type { Sketch } from "../../diff/testing/case.ts";
import type { PlanCase } from "./case.ts";
import { migrationCases } from "./migration-cases.ts";
import { readerCases } from "./reader-cases.ts";
import { settingCases } from "./setting-cases.ts";

const text = { type: "string" };
const fields = (properties: object, more: object = {}): Sketch => ({
  schema: { type: "object", properties, ...more },
});
const notes = (...documents: readonly object[]): PlanCase["documents"] => ({
  "db.notes": Object.fromEntries(documents.map((each, at) => [`n${at + 1}`, { ...each }])),
});
const change = (was: Sketch, now: Sketch, ...documents: readonly object[]): PlanCase => ({
  ...{ was: [was], now },
  documents: notes(...documents),
});
const indexed = (sketch: Sketch, ...indexes: readonly object[]): Sketch => ({ ...sketch, indexes });
const titled = fields({ title: text });
const searched = (weight: number, more: object = {}): Sketch => ({
  ...titled,
  text: { fields: { title: weight }, ...more },
});
const unique = { fields: ["title"], unique: true };

export const schemaCases: Readonly<Record<string, PlanCase>> = {
  "a required field is added, which some documents have": change(
    titled,
    fields({ title: text, priority: { type: "integer" } }, { required: ["priority"] }),
    { title: "a", priority: 1 },
    { title: "b" },
    { title: "c" },
  ),
  "a required field is added, which all documents have": change(
    titled,
    fields({ title: text }, { required: ["title"] }),
    { title: "a" },
    { title: "b" },
  ),
  "an optional field is added": change(titled, fields({ title: text, body: text }), { title: "a" }),
  "an enumeration is narrowed": change(
    fields({ status: { enum: ["todo", "done", "wontfix"] } }),
    fields({ status: { enum: ["todo", "done"] } }),
    { status: "todo" },
    { status: "wontfix" },
    { status: "wontfix" },
  ),
  "a value is added to an enumeration": change(
    fields({ status: { enum: ["todo"] } }),
    fields({ status: { enum: ["todo", "done"] } }),
    { status: "todo" },
  ),
  "a type is changed: cursors end, and there is no way back": change(
    fields({ price: text }),
    fields({ price: { type: "number" } }),
    { price: "3" },
    { price: "4" },
    {},
  ),
  "elements of a list are one reason": change(
    fields({ lines: { type: "array", items: { type: "object", properties: { n: { type: "integer" } } } } }),
    fields({
      lines: { type: "array", items: { type: "object", properties: { n: { type: "integer", maximum: 9 } } } },
    }),
    { lines: [{ n: 10 }, { n: 1 }, { n: 12 }] },
  ),
  "other members are refused": change(
    fields({ title: text, old: text }),
    fields({ title: text }, { additionalProperties: false }),
    { title: "a", old: "x" },
    { title: "b" },
  ),
  "a field becomes a date": change(
    fields({ at: text }),
    fields({ at: { type: "string", format: "date-time", "x-svc-store": "date" } }),
    { at: "2026-01-01T00:00:00.000Z" },
    { at: "yesterday" },
  ),
  "descriptions change nothing": change(
    titled,
    fields({ title: { type: "string", description: "of the note" } }),
    { title: "a" },
  ),
  "deleted documents are looked at, too": change(
    { ...titled, collection: "soft_delete: true\n" },
    { ...fields({ title: text }, { required: ["title"] }), collection: "soft_delete: true\n" },
    { _meta: { deleted_at: "2026-03-02T00:00:00.000Z" } },
    { title: "a" },
  ),
  "a collection comes back with another schema": {
    was: [titled, { files: { "db/notes/schema.json": null, "db/other/schema.json": '{"type":"object"}' } }],
    now: fields({ title: { type: "integer" } }),
    documents: notes({ title: "a" }),
  },
};

export const indexCases: Readonly<Record<string, PlanCase>> = {
  "an index is added": change(titled, indexed(titled, { fields: ["title"] }), { title: "a" }),
  // Texts of 30 MB together: a tenth of a second.
  "an index over much: an embedded store has one writer": change(
    fields({ title: text, body: text }),
    indexed(fields({ title: text, body: text }), { fields: ["title"] }),
    ...Array.from({ length: 30 }, () => ({ title: "a", body: "b".repeat(1_000_000) })),
  ),
  "an index goes": change(indexed(titled, { fields: ["title"] }), titled, { title: "a" }),
  "an index changes its direction": change(
    indexed(titled, { name: "by_title", fields: ["title"] }),
    indexed(titled, { name: "by_title", fields: ["-title"] }),
    { title: "a" },
  ),
  "a unique index that documents violate": change(
    titled,
    indexed(titled, unique),
    { title: "a" },
    { title: "b" },
    { title: "a" },
    { title: "a" },
    {},
    {},
  ),
  "a unique index that nobody violates: absent, null and deleted take no part": change(
    { ...titled, collection: "soft_delete: true\n" },
    { ...indexed(titled, unique), collection: "soft_delete: true\n" },
    { title: "a" },
    { title: null },
    { title: null },
    { title: "a", _meta: { deleted_at: "2026-03-02T00:00:00.000Z" } },
  ),
  "a unique index over two fields, which tells 1 from its text": change(
    fields({ a: { type: ["string", "integer"] }, b: text }),
    indexed(fields({ a: { type: ["string", "integer"] }, b: text }), { fields: ["a", "b"], unique: true }),
    { a: 1, b: "x" },
    { a: "1", b: "x" },
    { a: 1, b: "y" },
    { a: 1, b: "x" },
  ),
  "searches are added": change(titled, searched(1), { title: "a" }),
  "the text index is weighed anew": change(searched(1), searched(2), { title: "a" }),
  "the text index has another language": change(searched(1), searched(1, { default_language: "de" }), {
    title: "a",
  }),
  "searches go": change(searched(1), titled, { title: "a" }),
  "nothing changes": change(indexed(titled, unique), indexed(titled, unique), { title: "a" }),
};

export const planCases: Readonly<Record<string, PlanCase>> = {
  ...schemaCases,
  ...indexCases,
  ...migrationCases,
  ...readerCases,
  ...settingCases,
};
