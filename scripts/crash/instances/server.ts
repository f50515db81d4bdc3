/** A server process over a shared store: `<realm> [key create …]`, whose documents in `main/notes` are anything. */

import { accountRoutes } from "../../../runtime/auth/accounts/routes.ts";
import { batchRoute } from "../../../runtime/documents/routes/batch.ts";
import { createDocument } from "../../../runtime/documents/routes/create.ts";
import { getDocument } from "../../../runtime/documents/routes/get.ts";
import { listDocuments } from "../../../runtime/documents/routes/list.ts";
import { patchDocument } from "../../../runtime/documents/routes/update.ts";
import { documentFields, field } from "../../../runtime/filter/fields.ts";
import { main } from "../../../runtime/instance/main.ts";
import type { CollectionDefinition } from "../../../runtime/realm/definition.ts";
import { allowed } from "../../../runtime/rules/index.ts";

const [node = "", script = "", realm = "", ...words] = process.argv;
process.argv = [node, script, ...words];

const day = 86_400_000;
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

await main({
  fingerprint: "crash",
  realms: [
    {
      definition: {
        name: realm,
        accounts: {
          signup: "open",
          signupLimit: {
            address: { limit: 9_999, period: 3_600_000 },
            network: { limit: 9_999, period: 3_600_000 },
          },
          roles: [],
          defaultRoles: [],
          sessionLifetime: day,
          sessionIdleTimeout: day,
          adminIdleTimeout: day,
          adminMaxLifetime: day,
          readAccess: [],
        },
        origins: [],
        appConfig: {},
        collections: [notes],
      },
      routes: [
        accountRoutes(realm),
        {
          [`${path}/notes`]: { GET: listDocuments(notes), POST: createDocument(notes) },
          [`${path}/notes/:id`]: { GET: getDocument(notes), PATCH: patchDocument(notes) },
          [`${path}/_batch`]: { POST: batchRoute("main", [notes]) },
        },
      ],
    },
  ],
});
