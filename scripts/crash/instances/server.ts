/** A server process over a shared store: `<realm> [key create …]`, whose documents in `main/notes` are anything. */

import { batchRoute } from "../../../runtime/documents/routes/batch.ts";
import { createDocument } from "../../../runtime/documents/routes/create.ts";
import { getDocument } from "../../../runtime/documents/routes/get.ts";
import { listDocuments } from "../../../runtime/documents/routes/list.ts";
import { patchDocument } from "../../../runtime/documents/routes/update.ts";
import { documentFields, field } from "../../../runtime/filter/fields.ts";
import type { CollectionDefinition } from "../../../runtime/realm/definition.ts";
import { allowed } from "../../../runtime/rules/index.ts";
import { realmAsked, serve } from "../serve.ts";

const realm = realmAsked();

const notes: CollectionDefinition = {
  realm,
  database: "main",
  name: "notes",
  fields: { ...documentFields, value: field("value", "string"), kind: field("kind", "string") },
  indexes: [],
  validate: () => true,
  rules: { read: allowed, create: allowed, update: allowed },
};
const path = `/v1/${realm}/main`;

await serve(
  realm,
  [notes],
  [
    {
      [`${path}/notes`]: { GET: listDocuments(notes), POST: createDocument(notes) },
      [`${path}/notes/:id`]: { GET: getDocument(notes), PATCH: patchDocument(notes) },
      [`${path}/_batch`]: { POST: batchRoute("main", [notes]) },
    },
  ],
);
