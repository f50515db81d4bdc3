/** The diagnostics of what rules come to together, merged into the catalogue beside those of rules. */
import type { CatalogueEntry } from "../entry.ts";

export const accessCodes = {
  "create-impossible": {
    severity: "warning",
    summary: "Nothing can be created, since whoever may create may not write what it takes.",
    message: "no document can be created: {problem}",
    hint: "let those who may create write it, or do not require it",
    explanation:
      "A create is allowed where the create rule holds, and with it the write rule of each field that is set. Here there is nothing that fits the schema and satisfies them all, whoever asks.",
    wrong: {
      "collection.yaml":
        "rules: { read: true, create: \"user != null && !hasRole('hr')\" }\nfields:\n  salary: { write: hasRole('hr') }",
      "schema.json":
        '{ "type": "object", "properties": { "salary": { "type": "integer" } }, "required": ["salary"] }',
    },
    right: {
      "collection.yaml":
        "rules: { read: true, create: user != null }\nfields:\n  salary: { write: hasRole('hr') }",
      "schema.json":
        '{ "type": "object", "properties": { "salary": { "type": "integer" } }, "required": ["salary"] }',
    },
  },
  "owner-blind": {
    severity: "warning",
    summary: "Whoever creates a document can never read it.",
    message: "none of those who create a document by this rule can read it: {reason}",
    hint: "add `|| document._meta.owner == user.id` to the read rule, or remove the read rule where nobody is to read",
    explanation:
      "For every document that signed-in callers may create, the read rule does not hold for who created it: they get 404 for what they have just made. It is not told where some of them may read it, nor where anonymous callers may create, whose documents are messages to others.",
    wrong: {
      "collection.yaml": "rules:\n  read: document.public\n  create: user != null && data.public != true",
    },
    right: {
      "collection.yaml":
        "rules:\n  read: document.public || document._meta.owner == user.id\n  create: user != null && data.public != true",
      "indexes.json": '{ "indexes": [{ "fields": ["public"] }, { "fields": ["_meta.owner"] }] }',
    },
  },
  "update-out-of-sight": {
    severity: "warning",
    summary: "After every update that a rule allows, its writer can no longer read the document.",
    message: "none of those who update a document by this rule can read it afterwards: {reason}",
    hint: "let the read rule hold for what is written, or for the document's owner",
    explanation:
      "For every document and everything that the update rule lets somebody write, the read rule does not hold for them afterwards: their next request answers 404, and they cannot take it back. It is not told where that depends on what they write.",
    wrong: {
      "collection.yaml": "rules:\n  read: document.public\n  update: user != null && data.public == false",
    },
    right: {
      "collection.yaml": "rules:\n  read: document.public\n  update: user != null && data.title != 'a'",
    },
  },
  "update-hands-over": {
    severity: "warning",
    summary: "An update may hand the document to somebody else.",
    message: "whom '{field}' names may hand the document to {to}: {witness}",
    hint: "add `&& data.{field} == document.{field}` to the update rule; where handing over is meant give '{field}' a write rule",
    explanation:
      "The update rule lets somebody in because the field names them, or an organization or team that they are in, and nothing is asked of what they write there: with one request the document is another's, and theirs no longer. A write rule of the field, even `true`, or a comparison with `data` in the update rule says that it was thought of. `_meta.owner` belongs to the server.",
    wrong: {
      "collection.yaml":
        "rules:\n  read: document.owner_id == user.id\n  update: document.owner_id == user.id",
    },
    right: {
      "collection.yaml":
        "rules:\n  read: document.owner_id == user.id\n  update: document.owner_id == user.id && data.owner_id == user.id",
    },
  },
  "rule-beyond-read": {
    severity: "warning",
    summary: "A rule for stored documents that nobody who may read them satisfies.",
    message:
      "nobody who may read a document satisfies this {rule} rule, and for all others the answer is 404",
    hint: "let the read rule hold for those who are meant",
    explanation:
      "Whoever may not read a document must not learn that it exists: every operation on it answers 404, whatever its own rule says. Here the two rules exclude each other for every caller and document.",
    wrong: { "collection.yaml": "rules:\n  read: document.public\n  delete: document.public == false" },
    right: { "collection.yaml": "rules:\n  read: document.public\n  delete: document.title == 'a'" },
  },
  "field-rule-unreached": {
    severity: "warning",
    summary: "A field rule that no operation reaches.",
    message: "this field rule has no effect: {problem}",
    hint: "write false if nobody is meant, or change the rule of the operation",
    explanation:
      "The read rule of a field is asked of documents that the caller may read, its write rule where they may create or update one. Where that is nobody, or never somebody for whom the field's rule holds, the rule is not what was meant.",
    wrong: { "collection.yaml": "rules:\n  read: true\nfields:\n  salary: { write: hasRole('hr') }" },
    right: {
      "collection.yaml":
        "rules:\n  read: true\n  update: hasRole('editor')\nfields:\n  salary: { write: hasRole('hr') }",
    },
  },
  "role-unnamed": {
    severity: "warning",
    summary: "A role that no rule names and that administers nothing.",
    message: "no rule names '{role}', so it is the same to have it or not",
    hint: "name it in a rule, {helper}(…'{role}'), or remove it",
    explanation:
      "A role means something where a rule or a handler names it, or where it administers or manages something. Often a rule names another one by mistake. Nothing is told where rules take roles from documents, `hasRole(document.needed_role)`, since that may be any.",
    wrong: {
      "realm.yaml": "auth: enabled\nroles:\n  editor: {}\n  hr: {}\n  auditor: {}",
      "collection.yaml": "rules:\n  read: hasRole('editor', 'hr')",
    },
    right: {
      "realm.yaml": "auth: enabled\nroles:\n  editor: {}\n  hr: {}\n  auditor: { admin: read }",
      "collection.yaml": "rules:\n  read: hasRole('editor', 'hr')",
    },
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
