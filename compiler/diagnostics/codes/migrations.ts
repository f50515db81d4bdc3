import type { CatalogueEntry } from "../entry.ts";

const folder = "support/tickets/_migrations";

const code = `import { migrate } from "realmc/migrations";
import type { From0001 as From, To0001 as To } from "./$types.ts";

export default migrate<From, To>({
  forward: ({ title, ...rest }) => ({ ...rest, name: title }),
});`;

const from = '{ "type": "object", "properties": { "title": { "type": "string" } } }';

/** What can be wrong with migrations of documents. */
export const migrationCodes = {
  "migration-name": {
    severity: "error",
    summary: "A file in _migrations is not named as a migration is.",
    message: "'{name}' is no name of a migration: {problem}",
    hint: "a migration is called <number>-<name>, with .yaml or .ts, as in 0003-contact.yaml",
    explanation:
      "The number of a migration says where in their order it stands, and every document carries the number of the last one that it went through. So all files of the folder have one, of four digits and from 0001 on.",
    wrong: { [`${folder}/contact.yaml`]: "- drop: { field: legacy }" },
    right: { [`${folder}/0001-contact.yaml`]: "- drop: { field: legacy }" },
  },
  "migration-number": {
    severity: "error",
    summary: "Two migrations of a collection have the same number.",
    message: "the number {number} is that of {other} already",
    hint: "give the later one the next number that is free",
    explanation:
      "Documents carry the number of the last migration that they went through: of two of one number nobody could tell which of them were done. This happens where two branches each added a migration; the one that was deployed keeps its number.",
    wrong: {
      [`${folder}/0001-contact.yaml`]: "- drop: { field: legacy }",
      [`${folder}/0001-tier.yaml`]: "- default: { field: tier, value: basic }",
    },
    right: {
      [`${folder}/0001-contact.yaml`]: "- drop: { field: legacy }",
      [`${folder}/0002-tier.yaml`]: "- default: { field: tier, value: basic }",
    },
  },
  "migration-no-list": {
    severity: "error",
    summary: "A migration in YAML is not a list.",
    message: "a migration is a list of steps, not {found}",
    hint: "begin each step with a dash: - rename: { from: mail, to: email }",
    explanation: "Steps are done one after another, so they stand in a list, also where there is only one.",
    wrong: { [`${folder}/0001-contact.yaml`]: "drop: { field: legacy }" },
    right: { [`${folder}/0001-contact.yaml`]: "- drop: { field: legacy }" },
  },
  "migration-step": {
    severity: "error",
    summary: "A step of a migration does nothing, or several things.",
    message: "a step does one thing, and this one {problem}",
    hint: "give it one of rename, default, convert, map, drop and set",
    explanation:
      "In which order the parts of a step would be done could not be told. `when` stands beside what the step does.",
    wrong: {
      [`${folder}/0001-contact.yaml`]: "- rename: { from: mail, to: email }\n  drop: { field: legacy }",
    },
    right: {
      [`${folder}/0001-contact.yaml`]: "- rename: { from: mail, to: email }\n- drop: { field: legacy }",
    },
  },
  "migration-field": {
    severity: "error",
    summary: "A step of a migration changes what it cannot.",
    message: "a step cannot change '{field}': {problem}",
    explanation:
      "Migrations change what clients write. `id` and `_meta` belong to the server, files are uploaded apart, and a value that is moved to where it stands stays there.",
    wrong: { [`${folder}/0001-owner.yaml`]: "- rename: { from: owner, to: _meta.owner }" },
    right: { [`${folder}/0001-owner.yaml`]: "- rename: { from: owner, to: owner_id }" },
  },
  "migration-when": {
    severity: "error",
    summary: "The condition of a step asks for more than the document.",
    message: "a step's when sees the document's own members alone, and this one asks for {what}",
    hint: "ask for members of the document as it is before the step",
    explanation:
      "A migration is done once for each document, at a time that nobody knows beforehand, and again from the start after a fault: what comes of it depends on the document alone.",
    wrong: {
      [`${folder}/0001-tier.yaml`]:
        "- set: { field: tier, value: old }\n  when: document._meta.created_at < ago('365d')",
    },
    right: {
      [`${folder}/0001-tier.yaml`]: "- set: { field: tier, value: old }\n  when: document.status == 'closed'",
    },
  },
  "migration-from": {
    severity: "error",
    summary: "A migration in TypeScript does not say what documents were.",
    message: "there is no {file}, so nobody knows what documents are that come into this migration",
    hint: "realmc migration new writes it: the schema as it was",
    explanation:
      "The types `From` and `To` of a migration are made of schemas: of the one that its documents had, in `<number>-<name>.from.json`, and of the one of the next migration, or today's `schema.json`.",
    wrong: {
      [`${folder}/0001-name.ts`]: code,
    },
    right: {
      [`${folder}/0001-name.ts`]: code,
      [`${folder}/0001-name.from.json`]: from,
    },
  },
  "migration-no-default": {
    severity: "error",
    summary: "A migration in TypeScript exports nothing by default.",
    message: "a migration exports by default what migrate makes",
    hint: "write export default migrate<From, To>({ forward: (document) => … })",
    explanation: "What is done with documents is the default export; what else the file has is its own.",
    wrong: {
      [`${folder}/0001-name.ts`]: "export const forward = () => ({});",
      [`${folder}/0001-name.from.json`]: from,
    },
    right: {
      [`${folder}/0001-name.ts`]: code,
      [`${folder}/0001-name.from.json`]: from,
    },
  },
  "migration-impure": {
    severity: "error",
    summary: "A migration asks for more than the document.",
    message: "a migration depends on the document alone, and {what}",
    hint: "what documents do not have stands in the migration as a constant",
    explanation:
      "A migration is done once for each document, by any instance and at a time that nobody knows beforehand; after a fault it is tried again, and plans try it without writing. So it has no clock, no chance, no memory and no connections: the same document always becomes the same.",
    wrong: {
      [`${folder}/0001-name.ts`]: code.replace("name: title", "name: title, seen: Date.now()"),
      [`${folder}/0001-name.from.json`]: from,
    },
    right: {
      [`${folder}/0001-name.ts`]: code,
      [`${folder}/0001-name.from.json`]: from,
    },
  },
  "migration-missing": {
    severity: "warning",
    summary: "A schema refuses what it took before, and no migration follows.",
    message:
      "documents of {collection} may not fit any longer ({reasons}), and no migration takes them there",
    explanation:
      "Configuration changes, data stays. A document that does not fit is still read, but whoever writes it has to make it fit. `realmc build` and `realmc dev` compare with what their output folder was built from, `realmc check` with the folder that `--against` names, and tell this until a migration of the collection is newer. `realmc migration new` writes one, with the schema as it was.",
    wrong: {
      before: { "schema.json": '{ "type": "object", "properties": { "title": { "type": "string" } } }' },
      now: {
        "schema.json":
          '{ "type": "object", "properties": { "title": { "type": "string" } }, "required": ["title"] }',
      },
    },
    right: {
      before: { "schema.json": '{ "type": "object", "properties": { "title": { "type": "string" } } }' },
      now: {
        "schema.json":
          '{ "type": "object", "properties": { "title": { "type": "string" } }, "required": ["title"] }',
        [`${folder}/0001-titles.yaml`]: "- default: { field: title, value: untitled }",
      },
    },
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
