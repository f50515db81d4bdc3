/** A server: `<realm>`, with documents in `main/papers` that have files, for anybody. */
import { clientEntrance } from "../../../runtime/documents/entrance.ts";
import { documentRoutes } from "../../../runtime/documents/routes/table.ts";
import { fileRoutes } from "../../../runtime/files/routes.ts";
import { documentFields } from "../../../runtime/filter/fields.ts";
import type { CollectionDefinition } from "../../../runtime/realm/definition.ts";
import { allowed } from "../../../runtime/rules/index.ts";
import { realmAsked, serve } from "../serve.ts";

const realm = realmAsked();
const field = { accept: ["*/*"], maxSize: 2 ** 20, maxFiles: 1 } as const;
const papers: CollectionDefinition = {
  ...{ realm, database: "main", name: "papers", fields: documentFields, indexes: [], validate: () => true },
  rules: { create: allowed, read: allowed, update: allowed, delete: allowed },
  files: [
    { ...field, name: "scan", upload: "any" },
    { ...field, name: "film", upload: "direct" },
  ],
};

await serve(
  realm,
  [papers],
  [documentRoutes(`/v1/${realm}`, [papers], clientEntrance), fileRoutes(realm, [papers])],
  { storage: { driver: { kind: "local" } } },
);
