import type { CatalogueEntry } from "../entry.ts";

/** What can be wrong with indexes.json. */
export const indexCodes = {
  "index-field": {
    severity: "error",
    summary: "An index names a field that is not declared.",
    message: "'{field}' is not a declared field of {collection}",
    explanation:
      "Fields are declared by the schema's `properties`, through `items`, `$ref`, `allOf`, `anyOf` and `oneOf`; `id` and the members of `_meta` that documents of the collection have can be indexed too.",
    wrong: { "indexes.json": '{ "indexes": [{ "fields": ["staus"] }] }' },
    right: { "indexes.json": '{ "indexes": [{ "fields": ["status"] }] }' },
  },
  "index-arrays": {
    severity: "error",
    summary: "Two fields of one index pass through arrays.",
    message: "'{field}' and '{other}' both pass through an array; an index can hold one such field",
    explanation: "The index would hold every combination of the elements of both.",
    wrong: { "indexes.json": '{ "indexes": [{ "fields": ["tags", "lines.sku"] }] }' },
    right: { "indexes.json": '{ "indexes": [{ "fields": ["tags"] }, { "fields": ["lines.sku"] }] }' },
  },
  "index-unique-array": {
    severity: "error",
    summary: "A unique index over a field that is, or lies in, an array.",
    message: "'{field}' is an array or lies in one; a unique index holds single values",
    explanation: "Unique indexes are over scalars: one value a document.",
    wrong: { "indexes.json": '{ "indexes": [{ "fields": ["tags"], "unique": true }] }' },
    right: { "indexes.json": '{ "indexes": [{ "fields": ["slug"], "unique": true }] }' },
  },
  "index-unique-file": {
    severity: "error",
    summary: "A unique index over a member of a file.",
    message: "'{field}' is part of a file; a unique index is over what clients write",
    hint: "leave out unique",
    explanation:
      "What a file is called, how large it is and of which type is found out in its upload, which would be refused for it when all of it has been sent.",
    wrong: {
      "collection.yaml": "files:\n  photo: { accept: [image/png] }",
      "indexes.json": '{ "indexes": [{ "fields": ["photo.name"], "unique": true }] }',
    },
    right: {
      "collection.yaml": "files:\n  photo: { accept: [image/png] }",
      "indexes.json": '{ "indexes": [{ "fields": ["photo.name"] }] }',
    },
  },
  "index-object": {
    severity: "error",
    summary: "An index over an object.",
    message: "'{field}' {be} an object; an index holds scalar fields",
    explanation: "Objects have no order and no comparison. Index a field inside the object by its path.",
    wrong: { "indexes.json": '{ "indexes": [{ "fields": ["address"] }] }' },
    right: { "indexes.json": '{ "indexes": [{ "fields": ["address.city"] }] }' },
  },
  "index-repeats-field": {
    severity: "error",
    summary: "An index names one field twice.",
    message: "the index names '{field}' twice",
    explanation: "The second one orders nothing.",
    wrong: { "indexes.json": '{ "indexes": [{ "fields": ["status", "-status"] }] }' },
    right: { "indexes.json": '{ "indexes": [{ "fields": ["status"] }] }' },
  },
  "index-duplicate": {
    severity: "error",
    summary: "Two indexes are the same, or have the same name.",
    message: "{problem}",
    explanation:
      "Each index costs something at every write. An index without a name is named after its fields; give names where that clashes.",
    wrong: { "indexes.json": '{ "indexes": [{ "fields": ["status"] }, { "fields": ["status"] }] }' },
    right: { "indexes.json": '{ "indexes": [{ "fields": ["status"] }] }' },
  },
  "index-order-without-cursor": {
    severity: "warning",
    summary: "An index orders descending by a field whose order has no cursor.",
    message: "'{field}' {problem}: lists in such an order have no cursor and page by skip only",
    hint: "write '{field}' without -, where the index is there for where",
    explanation:
      "Lists page by cursor only in orders of single values of one kind: strings, numbers, booleans or dates. For finding documents by a value the direction of an index does not matter.",
    wrong: { "indexes.json": '{ "indexes": [{ "fields": ["-tags"] }] }' },
    right: { "indexes.json": '{ "indexes": [{ "fields": ["tags"] }] }' },
  },
  "index-missing": {
    severity: "warning",
    summary: "No index serves a read rule.",
    message:
      "no index finds the documents that the read rule lets callers see: their lists look at every document",
    explanation:
      "A read rule is a filter on every list, count, search and aggregation of those callers whose documents it selects. Whether an index serves, the planner of the embedded engine is asked, for what the server would ask of it. In a small collection that does not matter; in a large one such a list takes longer with every document that the caller never sees.",
    wrong: {
      "collection.yaml": "rules: { read: document._meta.owner == user.id }",
      "indexes.json": '{ "indexes": [] }',
    },
    right: {
      "collection.yaml": "rules: { read: document._meta.owner == user.id }",
      "indexes.json": '{ "indexes": [{ "fields": ["_meta.owner"] }] }',
    },
  },
  "index-advised": {
    severity: "hint",
    summary: "No index serves a field to group by, or a reference.",
    message: "{problem}",
    hint: "add {index} to indexes.json, where documents are many: every write keeps one more entry",
    explanation:
      '`aggregate` and `references` tell what clients will ask. On the embedded store an index that holds a field tells the groups by it without a look at the documents, some eight times sooner, where nothing else is asked; the documents that refer to another one, `where={"author_id": "…"}`, it finds on every store. In a small collection neither matters, and an index costs something at every write: so this is a hint, which `realmc check` alone tells (`--no-hints` leaves it out) and nothing fails for.',
    wrong: {
      "collection.yaml":
        "rules: { read: true }\nreferences:\n  author: { collection: people, field: author_id }\naggregate: { group_by: [status] }",
      "support/people/collection.yaml": "rules: { read: true }",
    },
    right: {
      "collection.yaml":
        "rules: { read: true }\nreferences:\n  author: { collection: people, field: author_id }\naggregate: { group_by: [status] }",
      "support/people/collection.yaml": "rules: { read: true }",
      "indexes.json": '{ "indexes": [{ "fields": ["author_id"] }, { "fields": ["status"] }] }',
    },
  },
  "index-unique-hidden": {
    severity: "warning",
    summary: "A unique index tells callers of values that a field rule hides from them.",
    message:
      "a 409 of this unique index tells callers who may write '{field}' but not read it which of its values are taken",
    hint: "let only those write '{rule}' who may read it: give its field rule a write of the same text",
    explanation:
      "A write that violates a unique index is answered with 409 `conflict`. Whoever may write a field but not read it can so find out whether some document has a value.",
    wrong: {
      "collection.yaml": "rules: { read: true, create: true }\nfields:\n  tax_id: { read: hasRole('hr') }",
      "indexes.json": '{ "indexes": [{ "fields": ["tax_id"], "unique": true }] }',
    },
    right: {
      "collection.yaml":
        "rules: { read: true, create: true }\nfields:\n  tax_id: { read: hasRole('hr'), write: hasRole('hr') }",
      "indexes.json": '{ "indexes": [{ "fields": ["tax_id"], "unique": true }] }',
    },
  },
  "text-field-type": {
    severity: "error",
    summary: "A text index over a field that does not hold strings.",
    message: "'{field}' is {found}; a text index holds strings and arrays of strings",
    explanation:
      "Words are looked for in strings only: fields declared as strings or arrays of strings, also inside arrays of objects. Dates stored by `x-svc-store` are no text.",
    wrong: { "indexes.json": '{ "text": { "fields": { "amount": 10 } } }' },
    right: { "indexes.json": '{ "text": { "fields": { "title": 10 } } }' },
  },
  "text-field-hidden": {
    severity: "warning",
    summary: "A text index over a field that a field rule hides.",
    message: "whoever may not read '{field}' cannot search this collection at all",
    hint: "leave '{field}' out of the text index where they are to search the other fields",
    explanation:
      "What a search finds tells of what stands in the fields that it looks into. A caller for whom the read rule of one of them may be false gets 400 for `$search`; no part of the index is left out for them.",
    wrong: {
      "collection.yaml": "rules: { read: true }\nfields:\n  note: { read: hasRole('editor') }",
      "indexes.json": '{ "text": { "fields": { "title": 10, "note": 1 } } }',
    },
    right: {
      "collection.yaml": "rules: { read: true }\nfields:\n  note: { read: hasRole('editor') }",
      "indexes.json": '{ "text": { "fields": { "title": 10 } } }',
    },
  },
  "text-language": {
    severity: "error",
    summary: "The default language of a text index is not a locale code.",
    message: "'{language}' is not a locale code",
    explanation:
      "Languages are called by their locale codes (BCP 47), such as `en`, `de` or `pt-BR`; `none` leaves words as they are written.",
    wrong: { "indexes.json": '{ "text": { "fields": { "title": 10 }, "default_language": "english" } }' },
    right: { "indexes.json": '{ "text": { "fields": { "title": 10 }, "default_language": "en" } }' },
  },
  "text-language-unstemmed": {
    severity: "warning",
    summary: "The default language of a text index has no stemmer.",
    message: "there is no stemmer for '{language}': words are found as they are written",
    hint: "write none, which says so",
    explanation:
      "Words are found in all of their forms only in languages whose rules are known. In others, as with `none`, a search finds the very words that it asks for.",
    wrong: { "indexes.json": '{ "text": { "fields": { "title": 10 }, "default_language": "ja" } }' },
    right: { "indexes.json": '{ "text": { "fields": { "title": 10 }, "default_language": "none" } }' },
  },
  "text-language-field": {
    severity: "error",
    summary: "The language field of a text index is not a single string.",
    message: "'{field}' is {found}; the language of a document stands in one string, outside of arrays",
    explanation: "A document has one language, by whose rules all of its text is indexed.",
    wrong: { "indexes.json": '{ "text": { "fields": { "title": 10 }, "language_field": "langs" } }' },
    right: { "indexes.json": '{ "text": { "fields": { "title": 10 }, "language_field": "lang" } }' },
  },
  "index-redundant": {
    severity: "warning",
    summary: "An index whose fields are the first ones of another index.",
    message: "the index '{other}' begins with the same fields, so this one serves nothing more",
    hint: "remove this index",
    explanation:
      "An index serves what asks for its first fields alone, too. The shorter one costs something at every write and gives nothing for it.",
    wrong: {
      "indexes.json":
        '{ "indexes": [{ "fields": ["status"] }, { "fields": ["status", "-_meta.created_at"] }] }',
    },
    right: { "indexes.json": '{ "indexes": [{ "fields": ["status", "-_meta.created_at"] }] }' },
  },
  "index-unique-boolean": {
    severity: "warning",
    summary: "A unique index over booleans alone.",
    message: "the collection could hold only {documents} documents with {fields}",
    hint: 'remove "unique", or name a field beside it that says within what it is unique',
    explanation:
      "A boolean has two values, so a unique index over it lets in one document of each. What is usually meant is one such document of each of something: then that belongs to the index.",
    wrong: { "indexes.json": '{ "indexes": [{ "fields": ["public"], "unique": true }] }' },
    right: { "indexes.json": '{ "indexes": [{ "fields": ["slug", "public"], "unique": true }] }' },
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
