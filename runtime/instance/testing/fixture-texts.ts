import { listDocuments } from "../../documents/routes/list.ts";
import { documentFields, field } from "../../filter/fields.ts";
import { textIndex } from "../../filter/search/index.ts";
import type { TextIndex } from "../../filter/search/text-index.ts";
import { jobRoutes } from "../../jobs/routes.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { RealmModule } from "../../realm/exchange.ts";

const fields = { ...documentFields, title: field("title", "string") };

/**
 * A realm with `auth: disabled` and one collection, `main/notes`, whose titles are searched.
 * @param diesAt a title at which a process that indexes it ends as by SIGKILL
 */
export function textsModule(realm: string, diesAt?: string): RealmModule {
  const text = textIndex({ fields: [{ field: fields.title, weight: 1 }], defaultLanguage: "en" });
  const notes: CollectionDefinition = {
    realm,
    database: "main",
    name: "notes",
    fields,
    indexes: [],
    validate: () => true,
    text: diesAt === undefined ? text : deadly(text, diesAt),
  };
  const definition = {
    name: realm,
    origins: [],
    appConfig: {},
    effective: { realm: {}, databases: {} },
    collections: [notes],
  };
  const lists = { [`/v1/${realm}/main/notes`]: { GET: listDocuments(notes) } };
  return { definition, routes: [lists, jobRoutes(realm)] };
}

function deadly(text: TextIndex, title: string): TextIndex {
  return {
    ...text,
    stems(document) {
      if (document["title"] === title) process.kill(process.pid, "SIGKILL");
      return text.stems(document);
    },
  };
}
