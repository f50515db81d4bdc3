import type { Case, Sketch } from "./case.ts";

const fields = {
  type: "object",
  properties: {
    title: { type: "string" },
    body: { type: "string" },
    author: { type: "string" },
    count: { type: "integer" },
  },
};
const notes = (collection: string): Sketch => ({ schema: fields, collection });
const text = (more: object): Sketch => ({ schema: fields, text: { fields: { title: 1 }, ...more } });
const indexed = (...indexes: readonly object[]): Sketch => ({ schema: fields, indexes });
const people = { "db/people/schema.json": '{"type":"object","properties":{"slug":{"type":"string"}}}' };
const slugs = { "db/people/indexes.json": '{"indexes":[{"fields":["slug"],"unique":true}]}' };
const reference = (settings: string): Sketch => ({
  ...notes(
    settings === "" ? "soft_delete: false\n" : `references: { writer: { collection: people${settings} } }\n`,
  ),
  files: { ...people, ...slugs },
});
const many = (settings: string): Sketch => ({
  schema: { type: "object", properties: { ids: { type: "array", items: { type: "string" } } } },
  collection: `references: { all: { collection: people, field: ids, many: true } }\n${settings}`,
  files: people,
});

const defaulted = (status: string, defaults: string): Sketch => ({
  schema: { type: "object", properties: { status: { type: "string", default: status } } },
  collection: `defaults: ${defaults}\n`,
});

export const collectionCases: Readonly<Record<string, Case>> = {
  "collection-removed": {
    old: { files: people },
    now: {},
    line: "db/people: the collection is gone with its routes",
  },
  "collection-added": {
    old: {},
    now: { files: people },
    line: "db/people: the collection is new with its routes",
  },
  "soft-delete-disabled": {
    old: notes("soft_delete: true\n"),
    now: notes("soft_delete: false\n"),
    line: "db/notes soft_delete: deletes are final: the route restore, the parameters deleted and purge and _meta.deleted_at are gone",
  },
  "soft-delete-enabled": {
    old: {},
    now: { collection: "soft_delete: { retention: 30d }\n" },
    line: "db/notes soft_delete: deletes can be undone: the route restore, the parameters deleted and purge and _meta.deleted_at are new",
  },
  "retention-shortened": {
    old: notes("soft_delete: true\n"),
    now: notes("soft_delete: { retention: 30d }\n"),
    line: "db/notes soft_delete: deleted documents were kept for ever, are kept for 30d",
  },
  "retention-lengthened": {
    old: notes("soft_delete: { retention: 7d }\n"),
    now: notes("soft_delete: { retention: 30d }\n"),
    line: "db/notes soft_delete: deleted documents were kept for 7d, are kept for 30d",
  },
  "default-set": {
    old: defaulted("open", "ignore"),
    now: defaulted("open", "apply"),
    line: "db/notes schema.status: creates and replacements that leave it out have 'open'",
  },
  "default-changed": {
    old: defaulted("open", "apply"),
    now: defaulted("done", "apply"),
    line: "db/notes schema.status: creates and replacements that leave it out have 'done', 'open' before",
    also: ["description-changed"],
  },
  "default-not-set": {
    old: defaulted("open", "apply"),
    now: defaulted("open", "ignore"),
    line: "db/notes schema.status: creates and replacements that leave it out had 'open', have nothing now",
  },
  "custom-id-enabled": {
    old: {},
    now: { collection: "custom_id: true\n" },
    line: "db/notes custom_id: clients choose ids: a create without one is refused (id_required)",
    also: ["error-added", "error-removed"],
  },
  "custom-id-disabled": {
    old: { collection: "custom_id: true\n" },
    now: {},
    line: "db/notes custom_id: the server makes ids: a create with one is refused (id_not_allowed)",
    also: ["error-added", "error-removed"],
  },
  "custom-id-narrowed": {
    old: notes("custom_id: true\n"),
    now: notes("custom_id: { pattern: '^[a-z]+$' }\n"),
    line: "db/notes custom_id: new ids: any before, now those that match ^[a-z]+$",
  },
  "custom-id-widened": {
    old: notes("custom_id: { pattern: '^[a-z]+$' }\n"),
    now: notes("custom_id: true\n"),
    line: "db/notes custom_id: new ids: those that match ^[a-z]+$ before, now any",
  },
  "duplicate-limit-lowered": {
    old: notes("custom_id: true\n"),
    now: notes("custom_id: { duplicate_limit: 5 }\n"),
    line: "db/notes custom_id: a caller may be told 5 times a minute that an id is taken, 20 before",
  },
  "duplicate-limit-raised": {
    old: notes("custom_id: true\n"),
    now: notes("custom_id: { duplicate_limit: 50 }\n"),
    line: "db/notes custom_id: a caller may be told 50 times a minute that an id is taken, 20 before",
  },
  "unique-index-added": {
    old: indexed(),
    now: indexed({ fields: ["author", "title"], unique: true }),
    line: "db/notes indexes.author_title: author, title must be unique: a write of a value that another document has is refused (conflict)",
    also: ["error-added"],
  },
  "unique-index-removed": {
    old: indexed({ fields: ["title"], unique: true }, { fields: ["author"], unique: true }),
    now: indexed({ fields: ["author"], unique: true, name: "renamed" }),
    line: "db/notes indexes.title: title need not be unique",
  },
  "index-added": {
    old: indexed(),
    now: indexed({ fields: ["title", "-count"] }),
    line: "db/notes indexes.title_count: an index over title, -count is new",
  },
  "index-removed": {
    old: indexed({ fields: ["title"] }, { fields: ["count"] }),
    now: indexed({ fields: ["count"], name: "renamed" }),
    line: "db/notes indexes.title: the index over title is gone",
  },
  "search-removed": {
    old: text({}),
    now: indexed(),
    line: "db/notes text: full-text search is off: $search, language and order_by=_relevance are refused",
    also: ["error-added", "error-removed"],
  },
  "search-added": {
    old: indexed(),
    now: text({}),
    line: "db/notes text: full-text search is on: $search, language and order_by=_relevance",
    also: ["error-added", "error-removed"],
  },
  "search-field-removed": {
    old: text({ fields: { title: 1, body: 1 } }),
    now: text({}),
    line: "db/notes text: searches do not look at body any longer",
  },
  "search-field-added": {
    old: text({}),
    now: text({ fields: { title: 1, body: 1 } }),
    line: "db/notes text: searches look at body too",
  },
  "search-language-changed": {
    old: text({ default_language: "en" }),
    now: text({ default_language: "de", language_field: "author" }),
    line: "db/notes text: the language of searches was en and is de, or what author says",
  },
  "search-weight-changed": {
    old: text({}),
    now: text({ fields: { title: 3 } }),
    line: "db/notes text.title: the weight in searches was 1 and is 3",
  },
  "reference-removed": {
    old: reference(", field: author"),
    now: reference(""),
    line: "db/notes references.writer: the reference is gone: expand=writer is refused",
    also: ["error-removed"],
  },
  "reference-added": {
    old: reference(""),
    now: reference(", field: author"),
    line: "db/notes references.writer: the reference is new: expand=writer",
    also: ["error-added"],
  },
  "reference-changed": {
    old: reference(", field: title"),
    now: reference(", field: title, key: slug"),
    line: "db/notes references.writer: the target's field was id and is slug",
  },
  "expansion-lowered": {
    old: many("expand: { max_docs: 500 }\n"),
    now: many("expand: { max_docs: 100 }\n"),
    line: "db/notes expand.max_docs: was 500 and is 100",
  },
  "expansion-raised": {
    old: many("expand: { max_array: 5 }\n"),
    now: many(""),
    line: "db/notes expand.max_array: was 5 and is the instance's",
  },
  "realtime-removed": {
    old: notes("realtime: true\n"),
    now: notes("realtime: false\n"),
    line: "db/notes realtime: the collection cannot be followed any longer",
  },
  "realtime-added": {
    old: { schema: fields },
    now: notes("realtime: true\n"),
    line: "db/notes realtime: the collection can be followed by a stream",
  },
  "aggregation-removed": {
    old: notes("aggregate: { group_by: [title] }\n"),
    now: { schema: fields },
    line: "db/notes aggregate: the route _aggregate is gone",
  },
  "aggregation-added": {
    old: { schema: fields },
    now: notes("aggregate: { group_by: [title] }\n"),
    line: "db/notes aggregate: the route _aggregate is new",
  },
  "group-removed": {
    old: notes("aggregate: { group_by: [title, author] }\n"),
    now: notes("aggregate: { group_by: [title] }\n"),
    line: "db/notes aggregate.group_by: documents cannot be grouped by author any longer",
  },
  "group-added": {
    old: notes("aggregate: { group_by: [title] }\n"),
    now: notes("aggregate: { group_by: [title, author] }\n"),
    line: "db/notes aggregate.group_by: documents can be grouped by author",
  },
  "metric-removed": {
    old: notes("aggregate: { metrics: { count: [sum, avg] } }\n"),
    now: notes("aggregate: { metrics: { count: [sum] } }\n"),
    line: "db/notes aggregate.metrics: avg:count cannot be asked for any longer",
  },
  "metric-added": {
    old: notes("aggregate: { metrics: { count: [sum] } }\n"),
    now: notes("aggregate: { metrics: { count: [sum], title: [distinct] } }\n"),
    line: "db/notes aggregate.metrics: distinct:title can be asked for",
  },
  "cache-enabled": {
    old: { collection: "rules: { read: true }\n" },
    now: { collection: "rules: { read: true }\ncache: { public: true, max_age: 60 }\n" },
    line: "db/notes cache: anonymous reads may be answered by shared caches, up to 60 s old",
  },
  "cache-disabled": {
    old: { collection: "rules: { read: true }\ncache: { public: true, max_age: 60 }\n" },
    now: { collection: "rules: { read: true }\n" },
    line: "db/notes cache: anonymous reads are answered by the server alone",
  },
  "cache-age-changed": {
    old: { collection: "rules: { read: true }\ncache: { public: true, max_age: 60 }\n" },
    now: { collection: "rules: { read: true }\ncache: { public: true, max_age: 600 }\n" },
    line: "db/notes cache: anonymous reads may be 600 s old, 60 s before",
  },
  "error-added": {
    old: indexed({ fields: ["title"] }),
    now: indexed({ fields: ["title"], unique: true }),
    line: "db/notes errors: creates may answer conflict",
    also: ["index-removed", "unique-index-added"],
  },
  "error-removed": {
    old: indexed({ fields: ["title"], unique: true }),
    now: indexed(),
    line: "db/notes errors: creates do not answer conflict any longer",
    also: ["unique-index-removed"],
  },
};
