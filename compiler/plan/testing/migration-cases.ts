import type { Sketch } from "../../diff/testing/case.ts";
import type { PlanCase } from "./case.ts";

const text = { type: "string" };
const was: Sketch = { schema: { type: "object", properties: { name: text, mail: text } } };
const documents: PlanCase["documents"] = {
  "db.notes": { n1: { name: "Ada", mail: "a@x" }, n2: { name: "Bob", mail: "a@x" }, n3: { name: "Eve" } },
};
const migrated = (steps: string, schema: object, more: Sketch = {}): Sketch => ({
  ...{ schema },
  files: { "db/notes/_migrations/0001-next.yaml": steps },
  ...more,
});
const address = { type: "object", properties: { name: text, address: text }, additionalProperties: false };
const rename = "- rename: { from: mail, to: address }\n";

export const migrationCases: Readonly<Record<string, PlanCase>> = {
  "a migration with a way back": { was: [was], now: migrated(rename, address), documents },
  "a migration without one": {
    was: [was],
    now: migrated("- default: { field: tier, value: basic }\n", {
      type: "object",
      properties: { name: text, mail: text, tier: text },
      required: ["tier"],
    }),
    documents,
  },
  "a migration that leaves some documents unfit": {
    was: [was],
    now: migrated(rename, { ...address, required: ["address"] }),
    documents,
  },
  "a migration that cannot convert": {
    was: [was],
    now: migrated("- convert: { field: name, to: integer }\n", {
      type: "object",
      properties: { name: { type: "integer" }, mail: text },
    }),
    documents,
  },
  "a migration after which a unique index is violated": {
    was: [was],
    now: migrated(rename, address, { indexes: [{ fields: ["address"], unique: true }] }),
    documents,
  },
  "a migration in the background is safe": {
    was: [was],
    now: migrated(rename, address, { realm: "auth: disabled\nmigrations: background\n" }),
    documents,
  },
  "a migration that comes before one that has run": {
    was: [
      migrated(rename, address, {
        files: {
          "db/notes/_migrations/0001-next.yaml": rename,
          "db/notes/_migrations/0003-trim.yaml": "- drop: { field: name }\n",
        },
      }),
    ],
    now: migrated(rename, address, {
      files: {
        "db/notes/_migrations/0001-next.yaml": rename,
        "db/notes/_migrations/0002-late.yaml": "- default: { field: name, value: Eve }\n",
        "db/notes/_migrations/0003-trim.yaml": "- drop: { field: name }\n",
      },
    }),
    documents: { "db.notes": { n1: { address: "a@x" } } },
  },
  "a migration by hand": {
    was: [was],
    now: migrated(rename, address, { realm: "auth: disabled\nmigrations: manual\n" }),
    documents,
  },
  "a migration changes who may read": {
    was: [
      {
        ...was,
        realm: "auth: enabled\n",
        collection: "rules: { read: \"document.name == 'Ada'\" }\n",
      },
    ],
    now: migrated(
      "- map: { field: name, values: { Bob: Ada } }\n",
      { type: "object", properties: { name: text, mail: text } },
      { realm: "auth: enabled\n", collection: "rules: { read: \"document.name == 'Ada'\" }\n" },
    ),
    documents,
  },
};
