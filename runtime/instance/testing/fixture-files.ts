import { createDocument } from "../../documents/routes/create.ts";
import { getDocument } from "../../documents/routes/get.ts";
import { fileRoutes } from "../../files/routes.ts";
import { documentFields } from "../../filter/fields.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { RealmModule } from "../../realm/exchange.ts";
import type { StorageDefinition } from "../../realm/files.ts";

/** `auth: disabled`, and one collection, `main/papers`, whose documents have up to three files in `scan` and one in `video`. */
export function filesModule(
  realm: string,
  driver: StorageDefinition["driver"] = { kind: "local" },
): RealmModule {
  const papers: CollectionDefinition = {
    realm,
    database: "main",
    name: "papers",
    fields: documentFields,
    indexes: [],
    validate: () => true,
    files: [
      { name: "scan", accept: ["*/*"], maxSize: 2 ** 24, maxFiles: 3, upload: "proxy" },
      { name: "video", accept: ["*/*"], maxSize: 2 ** 24, maxFiles: 1, upload: "any" },
      { name: "sketch", accept: ["image/*"], maxSize: 2 ** 24, maxFiles: 1, upload: "proxy" },
    ],
  };
  const path = `/v1/${realm}/main/papers`;
  return {
    definition: {
      name: realm,
      origins: [],
      appConfig: {},
      effective: { realm: {}, databases: {} },
      collections: [papers],
      storage: { driver, quota: 2 ** 30 },
    },
    routes: [
      { [path]: { POST: createDocument(papers) }, [`${path}/:id`]: { GET: getDocument(papers) } },
      fileRoutes(realm, [papers]),
    ],
  };
}
