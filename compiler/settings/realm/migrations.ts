/** `migrations`: when documents go through the migrations of their collections. */
import type { MigrationMode } from "../../../runtime/realm/migrations.ts";
import { type Codes, diagnoser } from "../../diagnostics/diagnose.ts";
import { oneOf } from "../../model/given.ts";
import type { Realm } from "../../model/model.ts";
import { locate } from "../../source/source.ts";
import type { Changes } from "../change.ts";
import { realmSetting } from "../setting.ts";
import type { RealmCheck } from "../subject.ts";

declare module "../../model/model.ts" {
  interface Realm {
    readonly migrations: MigrationMode;
  }
}

const codes = {
  "migrations-unused": {
    severity: "warning",
    summary: "When to migrate, in a realm without migrations.",
    message: "no collection of the realm has migrations, so this has no effect",
    hint: "remove migrations here; a migration stands in <database>/<collection>/_migrations",
    explanation:
      "`migrations` in realm.yaml says when the documents of the realm's collections are migrated.",
    wrong: { "realm.yaml": "auth: enabled\nmigrations: background" },
    right: {
      "realm.yaml": "auth: enabled\nmigrations: background",
      "support/tickets/_migrations/0001-legacy.yaml": "- drop: { field: legacy }",
    },
  },
} as const satisfies Codes;

const changes = {
  "migrations-mode-changed": {
    kind: "internal",
    message: "was {old} and is {new}",
    why: "Documents are migrated before the server is ready, beside its requests, or when `realmc migrate` is run.",
  },
} as const satisfies Changes;

const diagnose = diagnoser(codes);

const unused: RealmCheck = ({ realm, settings }) =>
  settings.value.migrations === undefined || hasMigrations(realm)
    ? []
    : [diagnose("migrations-unused", locate(settings, ["migrations"], "key"), {})];

function hasMigrations({ databases }: Realm): boolean {
  return databases.some(({ collections }) => collections.some(({ migrations }) => migrations !== undefined));
}

export const migrations = realmSetting({
  codes,
  changes,
  compare: ({ realm: { migrations: old } }, { realm: { migrations: now } }, report) => {
    if (old !== now) report("migrations-mode-changed", "migrations", { old, new: now });
  },
  checks: [unused],
  read: ({ given }): Pick<Realm, "migrations"> => ({
    migrations: given.read("migrations", oneOf("start", "background", "manual")),
  }),
  definition: ({ realm }) => ({ migrations: hasMigrations(realm) ? realm.migrations : undefined }),
  effective: ({ realm }) => (hasMigrations(realm) ? { migrations: realm.migrations } : {}),
});
