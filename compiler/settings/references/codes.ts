import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";

/** The refusals of http-api.md, "References (collection settings)". */
export const codes = {
  "reference-name": {
    severity: "error",
    summary: "The name of a reference is not allowed.",
    message: "the reference name '{name}' may have letters, digits and _ only",
    explanation:
      "Names of references stand in `expand=author.company(name)`, between dots, commas and parentheses.",
    wrong: { "collection.yaml": "references:\n  main-author: { collection: people, field: author_id }" },
    right: { "collection.yaml": "references:\n  main_author: { collection: people, field: author_id }" },
  },
  "reference-name-taken": {
    severity: "error",
    summary: "A reference has the name of a field that is not its source.",
    message: "the reference '{name}' has the name of another field",
    explanation: "A reference may bear the name of its own source field, not that of another one.",
    wrong: { "collection.yaml": "references:\n  title: { collection: people, field: author_id }" },
    right: { "collection.yaml": "references:\n  written_by: { collection: people, field: author_id }" },
  },
  "reference-database": {
    severity: "error",
    summary: "A reference names a database that does not exist.",
    message: "the reference '{name}' names the database '{database}', which this realm does not have",
    explanation: "Targets are always in the same realm.",
    wrong: {
      "collection.yaml": "references:\n  author: { database: suport, collection: people, field: author_id }",
    },
    right: {
      "collection.yaml": "references:\n  author: { database: support, collection: people, field: author_id }",
    },
  },
  "reference-collection": {
    severity: "error",
    summary: "A reference names a collection that does not exist.",
    message:
      "the reference '{name}' names the collection '{collection}', which the database '{database}' does not have",
    explanation:
      "Without `database`, the target is looked for in the database of the collection that refers to it.",
    wrong: { "collection.yaml": "references:\n  author: { collection: peple, field: author_id }" },
    right: { "collection.yaml": "references:\n  author: { collection: people, field: author_id }" },
  },
  "reference-field": {
    severity: "error",
    summary: "The source field of a reference is not declared.",
    message: "the reference '{name}' reads '{field}', which is not a declared field of {collection}",
    hint: "declare it in schema.json, or name another field by 'field'",
    explanation:
      "The source is a field of the schema, a dotted path of one, `_meta.owner` or `_meta.created_by`; without `field`, the field with the reference's own name.",
    wrong: { "collection.yaml": "references:\n  author: { collection: people }" },
    right: { "collection.yaml": "references:\n  author: { collection: people, field: author_id }" },
  },
  "reference-field-type": {
    severity: "error",
    summary: "The source field of a reference has the wrong type.",
    message: "the reference '{name}' needs {expected} in '{field}', which is {found}",
    explanation:
      "The source is a string, or an array of strings with `many: true`; null is allowed beside them.",
    wrong: { "collection.yaml": "references:\n  labels: { collection: tags, field: tag_ids }" },
    right: { "collection.yaml": "references:\n  labels: { collection: tags, field: tag_ids, many: true }" },
  },
  "reference-inside-array": {
    severity: "error",
    summary: "The source field of a reference lies inside an array.",
    message: "the reference '{name}' reads '{field}', which lies inside the array '{array}'",
    explanation: "A reference has one source value a document, or one array of strings with `many`.",
    wrong: { "collection.yaml": "references:\n  product: { collection: products, field: lines.product_id }" },
    right: {
      "collection.yaml": "references:\n  products: { collection: products, field: product_ids, many: true }",
    },
  },
  "reference-meta": {
    severity: "error",
    summary: "A reference reads a server-owned field other than _meta.owner and _meta.created_by.",
    message:
      "the reference '{name}' cannot read '{field}'; of the server's fields only _meta.owner and _meta.created_by are sources",
    explanation: "The other members of `_meta` hold no ids of documents.",
    wrong: { "collection.yaml": "references:\n  editor: { collection: people, field: _meta.updated_by }" },
    right: { "collection.yaml": "references:\n  author: { collection: people, field: _meta.owner }" },
  },
  "reference-meta-without-auth": {
    severity: "error",
    summary: "A reference reads the owner in a realm without users.",
    message:
      "the reference '{name}' reads '{field}', which documents of a realm with auth: disabled do not have",
    explanation: "`_meta.owner` and `_meta.created_by` exist only with authentication.",
    wrong: {
      "realm.yaml": "auth: disabled",
      "collection.yaml": "references:\n  author: { collection: people, field: _meta.owner }",
    },
    right: {
      "realm.yaml": "auth: disabled",
      "collection.yaml": "references:\n  author: { collection: people, field: author_id }",
    },
  },
  "reference-meta-many": {
    severity: "error",
    summary: "The setting many on _meta.owner or _meta.created_by.",
    message: "the reference '{name}' has many: true, but '{field}' is one value",
    explanation: "A document has one owner and one creator.",
    wrong: {
      "collection.yaml": "references:\n  author: { collection: people, field: _meta.owner, many: true }",
    },
    right: { "collection.yaml": "references:\n  author: { collection: people, field: _meta.owner }" },
  },
  "reference-key": {
    severity: "error",
    summary: "The key of a reference is not a declared string field of the target.",
    message: "the reference '{name}' looks for '{key}' of {collection}, which is {problem}",
    explanation: "`key` is the field of the target that equals the source value; `id` unless given.",
    wrong: {
      "collection.yaml": "references:\n  labels: { collection: tags, field: tags, many: true, key: slugg }",
    },
    right: {
      "collection.yaml": "references:\n  labels: { collection: tags, field: tags, many: true, key: slug }",
    },
  },
  "reference-key-index": {
    severity: "error",
    summary: "The key of a reference has no unique index in the target.",
    message: "the reference '{name}' looks for '{key}', which has no unique index of its own in {collection}",
    hint: 'add { "fields": ["{key}"], "unique": true } to its indexes.json',
    explanation:
      "A source value must lead to one document. An index over several fields does not promise that.",
    wrong: {
      "collection.yaml": "references:\n  labels: { collection: tags, field: tags, many: true, key: slug }",
      "support/tags/indexes.json": '{ "indexes": [{ "fields": ["slug"] }] }',
    },
    right: {
      "collection.yaml": "references:\n  labels: { collection: tags, field: tags, many: true, key: slug }",
      "support/tags/indexes.json": '{ "indexes": [{ "fields": ["slug"], "unique": true }] }',
    },
  },
  "reference-max-expand": {
    severity: "error",
    summary: "A bad max_expand.",
    message: "max_expand of the reference '{name}' {problem}",
    explanation:
      "`max_expand` lowers the number of ids followed in the array of a `many` reference: from 1 to 100.",
    wrong: {
      "collection.yaml":
        "references:\n  labels: { collection: tags, field: tag_ids, many: true, max_expand: 1000 }",
    },
    right: {
      "collection.yaml":
        "references:\n  labels: { collection: tags, field: tag_ids, many: true, max_expand: 20 }",
    },
  },
  "expand-unused": {
    severity: "warning",
    summary: "Limits of expansion in a collection without references.",
    message: "the collection declares no references, so these limits have no effect",
    hint: "remove expand, or declare references",
    explanation:
      "`expand` lowers the limits for reads of this collection. Where another collection refers to this one, that one's limits apply.",
    wrong: { "collection.yaml": "expand: { max_docs: 500 }" },
    right: {
      "collection.yaml":
        "references:\n  author: { collection: people, field: author_id }\nexpand: { max_docs: 500 }",
    },
  },
  "reference-unreadable": {
    severity: "warning",
    summary: "A reference to a collection that no user may read.",
    message: "no user may read {collection}, so '{name}' is never expanded for one",
    hint: "give {collection} a read rule, or remove the reference",
    explanation:
      "Whoever expands a reference gets what they may read of the other collection. Without a read rule, or with one that never holds, that is nothing but for API keys.",
    wrong: {
      "collection.yaml":
        "rules: { read: true }\nreferences:\n  author: { collection: people, field: author_id }",
      "support/people/collection.yaml": "rules: { read: false }",
    },
    right: {
      "collection.yaml":
        "rules: { read: true }\nreferences:\n  author: { collection: people, field: author_id }",
      "support/people/collection.yaml": "rules: { read: user != null }",
    },
  },
} as const satisfies Codes;

export const diagnose = diagnoser(codes);
