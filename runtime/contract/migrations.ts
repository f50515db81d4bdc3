/** Administrator routes about migrations (design: evolution). */
import { contract, type RouteContract } from "./contract.ts";
import { administrationTag as tag } from "./jobs.ts";
import { paging } from "./parameters.ts";
import { closed, named, page } from "./schema.ts";

const count = { type: "integer", minimum: 0 } as const;
const rate = { type: "integer", minimum: 1, maximum: 1_000_000 } as const;

const migration = named(
  "Migration",
  closed(
    {
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
      rate: { ...rate, description: "Documents in a second at most, where an administrator wants that." },
      paused: { const: true, description: "Where an administrator has paused it." },
    },
    ["realm", "collection", "number", "name", "state", "done", "total", "failed"],
  ),
);

const migrationPage = page("MigrationPage", migration);

export const listMigrations = contract({
  id: "adminListMigrations",
  method: "GET",
  path: "/_admin/migrations",
  who: { kind: "administrator", area: "data", to: "see" },
  query: paging,
  answers: { 200: { description: "A page.", schema: migrationPage } },
  tag,
  summary: "List migrations",
  about: "By collection and number, as the store records them.",
  client: "$admin.listMigrations",
});

export const patchMigration = contract({
  id: "adminPatchMigration",
  method: "PATCH",
  path: "/_admin/migrations/{number}",
  who: { kind: "administrator", area: "data", to: "change" },
  body: {
    schema: named("MigrationPace", {
      ...closed(
        {
          rate: {
            ...rate,
            type: ["integer", "null"],
            description: "Documents in a second at most; `null`: as many as there can be.",
          },
          paused: { type: "boolean" },
        },
        [],
      ),
      client: "MigrationPace",
    }),
    media: "merge",
  },
  answers: { 200: { description: "The migrations of this number.", schema: migrationPage } },
  errors: ["write_conflict"],
  tag,
  summary: "Slow a migration down, pause it or let it go on",
  about:
    "Of all collections that have one of this number, and with those that run together with it. Whoever runs it reads this before the next batch.",
  client: "$admin.patchMigration",
});

export const migrations: readonly RouteContract[] = [listMigrations, patchMigration];
