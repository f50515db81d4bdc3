import type { CatalogueEntry } from "../entry.ts";

/** What can be wrong with collection.yaml beyond the form of its values; references have their own chapter. */
export const collectionCodes = {
  "rule-invoke": {
    severity: "error",
    summary: "The rule invoke in a collection.",
    message: "'invoke' is the rule of a function and has no meaning in a collection",
    hint: "it belongs in function.yaml",
    explanation: "A collection has the rules create, read, update, delete, restore and purge.",
    wrong: { "collection.yaml": "rules: { read: true, invoke: true }" },
    right: { "collection.yaml": "rules: { read: true }" },
  },
  "retired-field-readable": {
    severity: "error",
    summary: "A read rule went together with its field, so that stored values would be seen by all readers.",
    message:
      "'{field}' was hidden by the read rule `{rule}`; it is not declared any longer and nothing hides it, so every reader would see what is stored there",
    hint: "keep fields.{field} with its read rule, or say that it is meant: { retired: published }",
    explanation:
      "Documents are answered as they are stored. A field that is renamed or removed from the schema stays in the documents that have it, and without its rule everybody who may read them sees it. `realmc build` and `realmc dev` compare with what their output folder was built from, `realmc check` with the folder that `--against` names.",
    wrong: {
      before: { "collection.yaml": "rules: { read: true }\nfields:\n  wage: { read: hasRole('hr') }" },
      now: { "collection.yaml": "rules: { read: true }" },
    },
    right: {
      before: {
        "collection.yaml":
          "rules: { read: true }\nfields:\n  wage: { read: hasRole('hr') }\n  bonus: { read: hasRole('hr') }",
      },
      now: {
        "collection.yaml":
          "rules: { read: true }\nfields:\n  wage: { read: hasRole('hr') }\n  bonus: { retired: published }",
      },
    },
  },
  "field-unwritable": {
    severity: "warning",
    summary: "A required field that nobody may write.",
    message: "nobody may write '{field}', which schema.json requires: no document can be created",
    hint: "let it be written by somebody, or do not require it",
    explanation:
      "A create without a required field is refused by the schema, and one with a field whose write rule does not hold by that rule.",
    wrong: {
      "schema.json":
        '{ "type": "object", "properties": { "salary": { "type": "integer" } }, "required": ["salary"] }',
      "collection.yaml": "rules: { read: true, create: user != null }\nfields:\n  salary: { write: false }",
    },
    right: {
      "schema.json":
        '{ "type": "object", "properties": { "salary": { "type": "integer" } }, "required": ["salary"] }',
      "collection.yaml":
        "rules: { read: true, create: user != null }\nfields:\n  salary: { write: document == null }",
    },
  },
  "owner-takeover": {
    severity: "warning",
    summary: "A field that says whose a document is can be set by others who may update it.",
    message:
      "whoever may update the document can write their own id into '{field}', and the {rule} rule goes by it",
    hint: "add `&& data.{field} == document.{field}` to the update rule, or give '{field}' a write rule",
    explanation:
      "The rule treats the user whom the field names as the owner. The update rule lets in users whom it does not name, without a role or membership, and nothing keeps them from naming themselves.",
    wrong: {
      "collection.yaml":
        "rules:\n  read: user != null\n  update: user != null\n  delete: document.owner_id == user.id",
    },
    right: {
      "collection.yaml":
        "rules:\n  read: user != null\n  update: user != null && data.owner_id == document.owner_id\n  delete: document.owner_id == user.id",
    },
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
