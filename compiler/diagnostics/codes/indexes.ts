import type { CatalogueEntry } from "../entry.ts";

/** What can be wrong with indexes.json. */
export const indexCodes = {
  "index-field": {
    severity: "error",
    summary: "An index names a field that is not declared.",
    message: "'{field}' is not a declared field of {collection}",
    explanation:
      "Fields are declared by the schema's `properties`, through `items`, `$ref`, `allOf`, `anyOf` and `oneOf`; `id` and the members of `_meta` that documents of the collection have can be indexed too.",
    wrong: '{ "indexes": [{ "fields": ["staus"] }] }',
    right: '{ "indexes": [{ "fields": ["status"] }] }',
  },
  "index-arrays": {
    severity: "error",
    summary: "Two fields of one index pass through arrays.",
    message: "'{field}' and '{other}' both pass through an array; an index can hold one such field",
    explanation: "The index would hold every combination of the elements of both.",
    wrong: '{ "indexes": [{ "fields": ["tags", "lines.sku"] }] }',
    right: '{ "indexes": [{ "fields": ["tags"] }, { "fields": ["lines.sku"] }] }',
  },
  "index-unique-array": {
    severity: "error",
    summary: "A unique index over a field that is, or lies in, an array.",
    message: "'{field}' is an array or lies in one; a unique index holds single values",
    explanation: "Unique indexes are over scalars: one value a document.",
    wrong: '{ "indexes": [{ "fields": ["tags"], "unique": true }] }',
    right: '{ "indexes": [{ "fields": ["slug"], "unique": true }] }',
  },
  "index-object": {
    severity: "error",
    summary: "An index over an object.",
    message: "'{field}' {be} an object; an index holds scalar fields",
    explanation: "Objects have no order and no comparison. Index a field inside the object by its path.",
    wrong: '{ "indexes": [{ "fields": ["address"] }] }',
    right: '{ "indexes": [{ "fields": ["address.city"] }] }',
  },
  "index-repeats-field": {
    severity: "error",
    summary: "An index names one field twice.",
    message: "the index names '{field}' twice",
    explanation: "The second one orders nothing.",
    wrong: '{ "indexes": [{ "fields": ["status", "-status"] }] }',
    right: '{ "indexes": [{ "fields": ["status"] }] }',
  },
  "index-duplicate": {
    severity: "error",
    summary: "Two indexes are the same, or have the same name.",
    message: "{problem}",
    explanation:
      "Each index costs something at every write. An index without a name is named after its fields; give names where that clashes.",
    wrong: '{ "indexes": [{ "fields": ["status"] }, { "fields": ["status"] }] }',
    right: '{ "indexes": [{ "fields": ["status"] }] }',
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
