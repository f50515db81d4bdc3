import type { CatalogueEntry } from "../entry.ts";

/** What can be wrong with the folder, its names and which files stand where. */
export const treeCodes = {
  "no-realms": {
    severity: "error",
    summary: "The configuration folder holds no realm.",
    message: "there is no realm in this folder: no folder in it holds a realm.yaml",
    hint: "give the folder that holds the realms' folders, each with a realm.yaml",
    explanation:
      "A build needs at least one realm: a folder with a `realm.yaml`, directly in the configuration folder.",
    wrong: { tree: "config/README.md" },
    right: { tree: "config/helpdesk/realm.yaml\nconfig/helpdesk/support/tickets/schema.json" },
  },
  "realm-folder-given": {
    severity: "error",
    summary: "The folder given is a realm, not a folder of realms.",
    message: "realm.yaml stands directly in the configuration folder",
    hint: "give the parent folder; `--realm` limits the build to one realm",
    explanation:
      "The name of a realm is the name of its folder, so the compiler is given the folder *around* the realms, also when there is only one.",
    wrong: { command: "realmc build config/helpdesk" },
    right: { command: "realmc build config --realm helpdesk" },
  },
  "folder-unreadable": {
    severity: "error",
    summary: "The configuration folder cannot be read.",
    message: "cannot read this folder: {reason}",
    explanation: "The folder does not exist, is a file, or may not be read by this user.",
    wrong: { command: "realmc build confg" },
    right: { command: "realmc build config" },
  },
  "unknown-realm": {
    severity: "error",
    summary: "The realm asked for does not exist.",
    message: "there is no realm '{realm}'",
    explanation: "`--realm` names a folder of the configuration folder that holds a `realm.yaml`.",
    wrong: { command: "realmc build config --realm helpdeks" },
    right: { command: "realmc build config --realm helpdesk" },
  },
  "missing-realm-file": {
    severity: "error",
    summary: "A folder of the configuration folder has no realm.yaml.",
    message: "the folder '{folder}' has no realm.yaml, so it is no realm",
    hint: "add {folder}/realm.yaml with at least `auth: enabled` or `auth: disabled`, or move the folder elsewhere",
    explanation:
      "Every folder in the configuration folder is a realm and says so by its `realm.yaml`. A folder without one is not skipped: it may be a realm whose settings were lost.",
    wrong: { tree: "config/helpdesk/support/tickets/schema.json" },
    right: { tree: "config/helpdesk/realm.yaml\nconfig/helpdesk/support/tickets/schema.json" },
  },
  "missing-schema": {
    severity: "error",
    summary: "A collection has no schema.json.",
    message: "the collection '{collection}' has no schema.json",
    hint: 'the smallest schema is { "type": "object" }',
    explanation: "Every folder of a database is a collection, and every collection has a document schema.",
    wrong: { tree: "config/helpdesk/realm.yaml\nconfig/helpdesk/support/tickets/collection.yaml" },
    right: {
      tree: "config/helpdesk/realm.yaml\nconfig/helpdesk/support/tickets/collection.yaml\nconfig/helpdesk/support/tickets/schema.json",
    },
  },
  "missing-function": {
    severity: "error",
    summary: "A function has no function.yaml.",
    message: "the function '{function}' has no function.yaml",
    hint: "the smallest is mode: call",
    explanation: "Every folder of `_func` is a function, and says in its `function.yaml` when it runs.",
    wrong: {
      tree: "config/helpdesk/realm.yaml\nconfig/helpdesk/support/tickets/schema.json\nconfig/helpdesk/support/_func/close/handler.ts",
    },
    right: {
      tree: "config/helpdesk/realm.yaml\nconfig/helpdesk/support/tickets/schema.json\nconfig/helpdesk/support/_func/close/handler.ts\nconfig/helpdesk/support/_func/close/function.yaml",
    },
  },
  "unexpected-file": {
    severity: "error",
    summary: "A configuration file stands where none of that name belongs.",
    message: "no configuration file of the name '{name}' belongs here",
    explanation:
      "Files ending in `.yaml`, `.yml`, `.json`, `.jsonc` or `.json5` inside a realm are configuration, and one that nothing reads is a mistake: most often a misspelt name, whose settings would silently not apply. Files that only `$ref`s read belong in a `_shared` folder, or beside the schema that refers to them. Other files (documentation, scripts) are left alone unless their name is almost that of a configuration file.",
    wrong: {
      tree: "config/helpdesk/realm.yaml\nconfig/helpdesk/support/tickets/schema.json\nconfig/helpdesk/support/tickets/colection.yaml",
    },
    right: {
      tree: "config/helpdesk/realm.yaml\nconfig/helpdesk/support/tickets/schema.json\nconfig/helpdesk/support/tickets/collection.yaml",
    },
  },
  "unexpected-folder": {
    severity: "error",
    summary: "A folder stands where none belongs.",
    message: "a {parent} holds no folders, but here is '{name}'",
    hint: "files shared by schemas belong in a _shared folder of the realm or database",
    explanation: "The folders are realm, database, collection; a collection is the last of them.",
    wrong: {
      tree: "config/helpdesk/realm.yaml\nconfig/helpdesk/support/tickets/schema.json\nconfig/helpdesk/support/tickets/old/schema.json",
    },
    right: {
      tree: "config/helpdesk/realm.yaml\nconfig/helpdesk/support/tickets/schema.json\nconfig/helpdesk/support/old_tickets/schema.json",
    },
  },
  "reserved-folder": {
    severity: "error",
    summary: "A folder's name starts with a dot or an underscore.",
    message: "folders whose names start with '{start}' are not read, and '{name}' is none of the known ones",
    explanation:
      "Names starting with `_` are reserved for the service (`_auth`, `_batch`), names starting with `.` for tools. Such a folder is refused rather than skipped, so that nobody believes it to be served. Known are `_shared` (files for `$ref`), in databases `_func` (functions), in collections `_migrations`, and in collections and realms `_tests` (rule tests).",
    wrong: {
      tree: "config/helpdesk/realm.yaml\nconfig/helpdesk/support/tickets/schema.json\nconfig/helpdesk/_drafts/tickets/schema.json",
    },
    right: {
      tree: "config/helpdesk/realm.yaml\nconfig/helpdesk/support/tickets/schema.json\nconfig/helpdesk/drafts/tickets/schema.json",
    },
  },
  "symlink-outside": {
    severity: "error",
    summary: "A symbolic link leads out of the realm, or nowhere.",
    message: "the symbolic link '{name}' {problem}",
    explanation:
      "The output for a realm depends on that realm's folder only. A link out of it would make the build depend on the machine.",
    wrong: {
      tree: "config/helpdesk/realm.yaml\nconfig/helpdesk/support/tickets/schema.json\nconfig/helpdesk/_shared -> /etc",
    },
    right: {
      tree: "config/helpdesk/realm.yaml\nconfig/helpdesk/support/tickets/schema.json\nconfig/helpdesk/_shared/address.json",
    },
  },
  "invalid-name": {
    severity: "error",
    summary: "The name of a realm, database, collection or function is not allowed.",
    message: "'{name}' cannot be the name of a {level}: {problem}",
    explanation:
      "Names become parts of paths, file names and identifiers. Realm: `[a-z][a-z0-9-]*`, at most 54 characters. Database, collection and function: `[A-Za-z][A-Za-z0-9_-]*`, at most 63 characters; a database cannot be called `system` or start with `sqlite`, in any case.",
    wrong: { tree: "config/Help Desk/realm.yaml\nconfig/Help Desk/support/tickets/schema.json" },
    right: { tree: "config/help-desk/realm.yaml\nconfig/help-desk/support/tickets/schema.json" },
  },
  "name-clash": {
    severity: "error",
    summary: "Two names differ only by case.",
    message: "'{name}' differs from '{other}' only by case",
    explanation:
      "On file systems and databases that do not distinguish case the two would be the same. Rename one of them.",
    wrong: {
      tree: "config/helpdesk/realm.yaml\nconfig/helpdesk/support/tickets/schema.json\nconfig/helpdesk/support/Tickets/schema.json",
    },
    right: {
      tree: "config/helpdesk/realm.yaml\nconfig/helpdesk/support/tickets/schema.json\nconfig/helpdesk/support/archive/schema.json",
    },
  },
  "empty-folder": {
    severity: "warning",
    summary: "A realm without databases, or a database without collections.",
    message: "the {level} '{name}' holds no {children}",
    explanation: "It is legal, and serves nothing.",
    wrong: { tree: "config/helpdesk/realm.yaml" },
    right: { tree: "config/helpdesk/realm.yaml\nconfig/helpdesk/support/tickets/schema.json" },
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
