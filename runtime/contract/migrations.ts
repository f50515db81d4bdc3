/** Administrator routes about migrations (design: evolution). */
import { contract, type RouteContract } from "./contract.ts";
import { administrationTag as tag } from "./jobs.ts";
import { paging } from "./parameters.ts";
import { closed, named, page } from "./schema.ts";

const count = { type: "integer", minimum: 0 } as const;

const migration = named(
  "Migration",
  closed({
    realm: { type: "string" },
    collection: { type: "string", description: "`<database>/<collection>`." },
    number: { type: "string", description: "Four digits." },
    name: { type: "string" },
    state: {
      type: "string",
      enum: ["pending", "running", "done", "failed"],
      description: "`failed`: it left documents as they were, which `failed` names.",
    },
    done: { ...count, description: "Documents that are in its form, of those looked at so far." },
    total: { ...count, description: "Documents when it began." },
    failed: {
      type: "array",
      items: { type: "string" },
      maxItems: 10,
      description: "Ids of the first documents that it left as they were.",
    },
  }),
);

export const listMigrations = contract({
  id: "adminListMigrations",
  method: "GET",
  path: "/_admin/migrations",
  who: { kind: "administrator", area: "data", to: "see" },
  query: paging,
  answers: { 200: { description: "A page.", schema: page("MigrationPage", migration) } },
  tag,
  summary: "List migrations",
  about: "By collection and number, as the store records them.",
  client: "$admin.listMigrations",
});

export const migrations: readonly RouteContract[] = [listMigrations];
