import type { CatalogueEntry } from "../entry.ts";

/** What can be wrong with organizations, in realm.yaml and in the collections that use them. */
export const organizationCodes = {
  "index-unique-across": {
    severity: "warning",
    summary: "A unique index tells what documents of other organizations hold.",
    message: "values are unique over all organizations, so that a clash tells of a document of another one",
    hint: 'put the organization into it: "fields": [{fields}]',
    explanation:
      "A write whose value a document of another organization has is refused (409 `conflict`), and so the caller learns that it exists. With `_meta.org` among the fields values are unique within each organization.",
    wrong: {
      "collection.yaml": "organization: required",
      "indexes.json": '{ "indexes": [{ "fields": ["slug"], "unique": true }] }',
    },
    right: {
      "collection.yaml": "organization: required",
      "indexes.json": '{ "indexes": [{ "fields": ["_meta.org", "slug"], "unique": true }] }',
    },
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
