import type { Sketch } from "../../diff/testing/case.ts";
import type { PlanCase } from "./case.ts";

const text = { type: "string" };
const schema = { type: "object", properties: { writer: text, many: { type: "array", items: text } } };
const people: Readonly<Record<string, string>> = {
  "db/people/schema.json": '{"type":"object","properties":{"slug":{"type":"string"}}}',
  "db/people/indexes.json": '{"indexes":[{"fields":["slug"],"unique":true}]}',
};
const collected = (collection: string, more: Sketch = {}): Sketch => ({
  ...{ schema, collection, files: people },
  ...more,
});
const plain = collected("soft_delete: false\n");
const documents: PlanCase["documents"] = {
  "db.notes": {
    n1: { writer: "p1", many: ["p1", "p9"] },
    n2: { writer: "p9", many: ["p2"] },
    n3: {},
  },
  "db.people": { p1: { slug: "ada" }, p2: { slug: "bob" } },
};
const to = (now: Sketch, was: Sketch = plain): PlanCase => ({ was: [was], now, documents });
const organized = (collection: string): Sketch => ({
  ...collected(`rules: { read: "inOrg(document._meta.org)" }\n${collection}`),
  realm:
    "auth: enabled\norganizations: { create: true, creator_roles: [owner], roles: { owner: { manage: [org] } } }\n",
});
const belonging: PlanCase["documents"] = {
  "db.notes": { n1: { _meta: { org: "acme" } }, n2: {}, n3: { _meta: { org: "acme", team: "night" } } },
};
const filed = (collection: string, driver = "{ driver: local }"): Sketch => ({
  ...{ realm: `auth: disabled\nstorage: ${driver}\n`, collection },
});
const photo = { key: "k", name: "a.png", type: "image/png", size: 1 };
const photos: PlanCase["documents"] = { "db.notes": { n1: { photo, cover: photo }, n2: { photo }, n3: {} } };
const both = "files: { photo: { accept: [image/png] }, cover: { accept: [image/png] } }\n";
const one = "files: { photo: { accept: [image/png] } }\n";
const bucket = "{ driver: s3, bucket: acme-files, region: eu-central-1 }";

export const settingCases: Readonly<Record<string, PlanCase>> = {
  "a reference by id that dangles": to(collected("references: { writer: { collection: people } }\n")),
  "a reference of many, to another field": to(
    collected("references: { all: { collection: people, field: many, many: true, key: slug } }\n"),
  ),
  "a reference that leads somewhere else": to(
    collected("references: { writer: { collection: notes } }\n"),
    collected("references: { writer: { collection: people } }\n"),
  ),
  "an organization is required": {
    was: [organized("organization: optional\n")],
    now: organized("organization: required\n"),
    documents: belonging,
  },
  "a team is required": {
    was: [organized("organization: optional\nteams: optional\n")],
    now: organized("organization: optional\nteams: required\n"),
    documents: belonging,
  },
  "ids need another form": to(
    collected("custom_id: { pattern: '^n[12]$' }\n"),
    collected("custom_id: true\n"),
  ),
  "ids are the users' own": {
    was: [{ realm: "auth: enabled\n", collection: "custom_id: true\n" }],
    now: { realm: "auth: enabled\n", collection: "custom_id: user\n" },
    documents: { "db.notes": { ada: { _meta: { created_by: "user:ada" } }, bob: {} } },
  },
  "a collection is configured no longer": to(collected("soft_delete: false\n", { files: {} })),
  "a collection was configured no longer before": {
    was: [plain, collected("soft_delete: false\n", { files: {} })],
    now: collected("soft_delete: true\n", { files: {} }),
    documents,
  },
  "a collection without documents goes": {
    was: [plain],
    now: collected("soft_delete: false\n", { files: {} }),
    documents: {},
  },
  "the realm is gone": { was: [plain], now: undefined, documents },
  "a file field is gone": { was: [filed(both)], now: filed(one), documents: photos },
  "files are kept elsewhere": { was: [filed(both)], now: filed(both, bucket), documents: photos },
  "a collection cannot be followed any longer": to(plain, collected("realtime: true\n")),
  "a field by which clients page is gone": {
    was: [plain],
    now: collected("soft_delete: false\n", {
      schema: { type: "object", properties: { many: { type: "array", items: text } } },
    }),
    documents,
  },
  "only a sample is looked at": {
    ...to(
      collected("references: { writer: { collection: people } }\n", { indexes: [{ fields: ["writer"] }] }),
    ),
    words: ["--sample", "1"],
  },
};
