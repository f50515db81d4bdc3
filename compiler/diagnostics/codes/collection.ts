import type { CatalogueEntry } from "../entry.ts";

/** What can be wrong with collection.yaml beyond the form of its values; references have their own chapter. */
export const collectionCodes = {
  "rule-invoke": {
    severity: "error",
    summary: "The rule invoke in a collection.",
    message: "'invoke' is the rule of a function and has no meaning in a collection",
    hint: "it belongs in function.yaml",
    explanation: "A collection has the rules create, read, update, delete, restore and purge.",
    wrong: { files: { "collection.yaml": "rules: { read: true, invoke: true }" } },
    right: { files: { "collection.yaml": "rules: { read: true }" } },
  },
  "rule-without-auth": {
    severity: "error",
    summary: "A rule in a realm without authentication.",
    message: "in a realm with auth: disabled everything is allowed, so this rule would have no effect",
    hint: "only read: true may be stated; to restrict access set auth: enabled in realm.yaml",
    explanation: "A rule that is written but not applied would look like protection.",
    wrong: { files: { "realm.yaml": "auth: disabled", "collection.yaml": "rules: { delete: false }" } },
    right: {
      files: { "realm.yaml": "auth: enabled", "collection.yaml": "rules: { read: true, delete: false }" },
    },
  },
  "rule-without-soft-delete": {
    severity: "error",
    summary: "A restore or purge rule in a collection without soft delete.",
    message: "the rule '{rule}' needs soft_delete: documents of this collection are removed at once",
    hint: "add soft_delete: true, or remove the rule",
    explanation: "Without `soft_delete` there is nothing to restore and nothing to purge.",
    wrong: { files: { "collection.yaml": "rules: { read: true, restore: hasRole('editor') }" } },
    right: {
      files: { "collection.yaml": "soft_delete: true\nrules: { read: true, restore: hasRole('editor') }" },
    },
  },
  "rule-unused": {
    severity: "warning",
    summary: "The shorthand write has no effect.",
    message: "create, update and delete are all given, so write has no effect",
    explanation: "`write` stands for those of `create`, `update` and `delete` that are not given.",
    wrong: {
      files: { "collection.yaml": "rules: { write: true, create: false, update: false, delete: false }" },
    },
    right: { files: { "collection.yaml": "rules: { create: false, update: false, delete: false }" } },
  },
  "rule-without-read": {
    severity: "warning",
    summary: "A rule for stored documents in a collection that nobody can read.",
    message: "without a read rule nobody can read a document, so nobody can {rule} one: the answer is 404",
    hint: "add a read rule",
    explanation:
      "Whoever may not read a document must not learn that it exists: every operation on it answers 404, whatever its own rule says. Only API keys are left.",
    wrong: { files: { "collection.yaml": "rules: { update: hasRole('editor') }" } },
    right: {
      files: { "collection.yaml": "rules: { update: hasRole('editor'), read: hasRole('editor') }" },
    },
  },
  "cache-max-age": {
    severity: "error",
    summary: "Public caching without a valid max_age.",
    message: "public caching needs max_age, from 1 to 3600 seconds",
    explanation: "Shared caches keep what they are given; for how long must be said.",
    wrong: { files: { "collection.yaml": "rules: { read: true }\ncache: { public: true }" } },
    right: { files: { "collection.yaml": "rules: { read: true }\ncache: { public: true, max_age: 60 }" } },
  },
  "cache-without-read": {
    severity: "error",
    summary: "Public caching without a read rule.",
    message: "public caching needs a read rule; without one nobody may read the collection",
    hint: "add rules: { read: … }, true where everyone may read everything",
    explanation:
      "What is cached publicly is what an anonymous caller may read, so that must have been decided.",
    wrong: { files: { "collection.yaml": "cache: { public: true, max_age: 60 }" } },
    right: { files: { "collection.yaml": "rules: { read: true }\ncache: { public: true, max_age: 60 }" } },
  },
  "cache-anonymous": {
    severity: "error",
    summary: "Public caching with a read rule that anonymous callers can never satisfy.",
    message: "anonymous callers can never satisfy the read rule, so nothing could be cached publicly",
    hint: "remove cache, or let the read rule allow something to everyone",
    explanation: "Only answers to requests without credentials are cached publicly.",
    wrong: {
      files: { "collection.yaml": "rules: { read: user != null }\ncache: { public: true, max_age: 60 }" },
    },
    right: {
      files: {
        "collection.yaml":
          "rules: { read: document.public || user != null }\ncache: { public: true, max_age: 60 }",
      },
    },
  },
  "cache-clock": {
    severity: "error",
    summary: "Public caching with a read rule, of the documents or of a field, that depends on the clock.",
    message: "{rule} depends on the clock, so a cached answer could show what is no longer allowed",
    hint: "remove cache, or the use of now, ago and ahead in this rule",
    explanation:
      "A shared cache goes on serving an answer until `max_age`, whatever the rule says by then, and with it the fields that were shown in it.",
    wrong: {
      files: {
        "collection.yaml":
          "rules: { read: document.public }\nfields:\n  salary: { read: document.publish_at < now }\ncache: { public: true, max_age: 60 }",
      },
    },
    right: {
      files: {
        "collection.yaml":
          "rules: { read: document.public }\nfields:\n  salary: { read: hasRole('hr') }\ncache: { public: true, max_age: 60 }",
      },
    },
  },
  "cache-app-config": {
    severity: "warning",
    summary: "Public caching with a read rule, of the documents or of a field, that depends on appConfig.",
    message:
      "{rule} depends on appConfig; when an administrator replaces that, shared caches go on showing what was allowed before, for max_age: {seconds} seconds",
    hint: "lower max_age to what is bearable, or remove cache",
    explanation:
      "Administrators replace `app_config` while the server runs. What anonymous callers may see changes at once, what shared caches show of it up to `max_age` later.",
    wrong: {
      files: {
        "realm.yaml": "auth: enabled\napp_config: { open: true }",
        "collection.yaml": "rules: { read: appConfig.open }\ncache: { public: true, max_age: 60 }",
      },
    },
    right: {
      files: {
        "realm.yaml": "auth: enabled\napp_config: { open: true }",
        "collection.yaml": "rules: { read: document.public }\ncache: { public: true, max_age: 60 }",
      },
    },
  },
  "realtime-unreadable": {
    severity: "error",
    summary: "A collection with realtime that nobody may read.",
    message: "{reason}, so nobody but API keys could follow this collection",
    hint: "give it a read rule that somebody can satisfy, or remove realtime",
    explanation:
      "A stream shows a caller the documents that they may read. Without a read rule, or with one that holds for nobody, signed in or not, every subscription is refused; only API keys with the scope `read`, which rules do not concern, could follow the collection.",
    wrong: { files: { "collection.yaml": "rules: { create: user != null }\nrealtime: true" } },
    right: {
      files: { "collection.yaml": "rules: { create: user != null, read: user != null }\nrealtime: true" },
    },
  },
  "realtime-clock": {
    severity: "warning",
    summary:
      "Realtime with a read rule, of the documents or of a field, that compares what is stored with the clock.",
    message:
      "{rule} depends on the clock, so that every subscription is reset every five minutes, and clients load anew",
    hint: "let a write say what the clock says now, in a field that the rule asks for; or bear the reloads",
    explanation:
      "Nothing is written when a moment passes, so no change tells that a document has become visible or is visible no longer. Streams read the access of their callers anew every five minutes; where a rule depends on `now`, `ago` or `ahead`, what it lets through is another each time, and clients are told to reload.",
    wrong: {
      files: { "collection.yaml": "rules: { read: document.publish_at < now }\nrealtime: true" },
    },
    right: { files: { "collection.yaml": "rules: { read: document.public }\nrealtime: true" } },
  },
  "custom-id-pattern": {
    severity: "error",
    summary: "The pattern of custom_id is not a valid regular expression.",
    message: "not a regular expression: {problem}",
    explanation: "Patterns are ECMAScript regular expressions with the `u` flag.",
    wrong: { files: { "collection.yaml": "custom_id: { pattern: '^[a-z' }" } },
    right: { files: { "collection.yaml": "custom_id: { pattern: '^[a-z]+$' }" } },
  },
  "custom-id-without-auth": {
    severity: "error",
    summary: "The setting custom_id: user in a realm without users.",
    message: "custom_id: user needs users, and this realm has auth: disabled",
    explanation: "With `custom_id: user` the id of a document is that of the user who creates it.",
    wrong: { files: { "realm.yaml": "auth: disabled", "collection.yaml": "custom_id: user" } },
    right: { files: { "realm.yaml": "auth: enabled", "collection.yaml": "custom_id: user" } },
  },
  "field-rule-field": {
    severity: "warning",
    summary: "A field-level rule for a member that is not declared and looks like a declared field.",
    message: "'{field}' is not a declared field of {collection}",
    explanation:
      "Rules may be given to members that the schema does not declare, or declares no longer: they hold for what is stored. But a rule for a misspelt field protects nothing, least of all the field that was meant.",
    wrong: {
      files: { "collection.yaml": "rules: { read: true }\nfields:\n  salery: { read: hasRole('hr') }" },
    },
    right: {
      files: { "collection.yaml": "rules: { read: true }\nfields:\n  salary: { read: hasRole('hr') }" },
    },
  },
  "field-rule-retired": {
    severity: "error",
    summary: "The entry retired: published for a field that is declared, or beside a rule.",
    message: "retired: published has no meaning here: {problem}",
    hint: "remove it; to show a declared field to all readers give it no read rule",
    explanation:
      "`retired: published` says of a member that the schema declares no longer that all readers of a document may see its stored value. Who may see a declared field is what its read rule says.",
    wrong: {
      files: { "collection.yaml": "rules: { read: true }\nfields:\n  salary: { retired: published }" },
    },
    right: {
      files: { "collection.yaml": "rules: { read: true }\nfields:\n  wage: { retired: published }" },
    },
  },
  "retired-field-readable": {
    severity: "error",
    summary: "A read rule went together with its field, so that stored values would be seen by all readers.",
    message:
      "'{field}' was hidden by the read rule `{rule}`; it is not declared any longer and nothing hides it, so every reader would see what is stored there",
    hint: "keep fields.{field} with its read rule, or say that it is meant: { retired: published }",
    explanation:
      "Documents are answered as they are stored. A field that is renamed or removed from the schema stays in the documents that have it, and without its rule everybody who may read them sees it. `realmc build` and `realmc dev` compare with what their output folder was built from, `realmc check` with the folder that `--against` names.",
    wrong: {
      before: { "collection.yaml": "rules: { read: true }\nfields:\n  wage: { read: hasRole('hr') }" },
      files: { "collection.yaml": "rules: { read: true }" },
    },
    right: {
      before: {
        "collection.yaml":
          "rules: { read: true }\nfields:\n  wage: { read: hasRole('hr') }\n  bonus: { read: hasRole('hr') }",
      },
      files: {
        "collection.yaml":
          "rules: { read: true }\nfields:\n  wage: { read: hasRole('hr') }\n  bonus: { retired: published }",
      },
    },
  },
  "field-rule-server": {
    severity: "error",
    summary: "A field-level rule for a field that the server owns.",
    message: "'{field}' belongs to the server; field rules are for fields of the schema",
    explanation: "`id` and `_meta` are part of every answer and cannot be written.",
    wrong: {
      files: { "collection.yaml": "rules: { read: true }\nfields:\n  _meta.owner: { read: false }" },
    },
    right: { files: { "collection.yaml": "rules: { read: true }\nfields:\n  author_id: { read: false }" } },
  },
  "field-rule-array": {
    severity: "error",
    summary: "A field-level rule for a path through an array.",
    message: "the path '{field}' passes through the array '{array}'; field rules cannot",
    hint: "give the rule to '{array}' as a whole",
    explanation: "Which element a rule spoke of would be unclear when elements move.",
    wrong: {
      files: { "collection.yaml": "rules: { read: true }\nfields:\n  lines.cost: { read: hasRole('hr') }" },
    },
    right: {
      files: { "collection.yaml": "rules: { read: true }\nfields:\n  lines: { read: hasRole('hr') }" },
    },
  },
  "field-rule-empty": {
    severity: "error",
    summary: "A field-level rule that says nothing.",
    message: "neither read nor write is given for '{field}'",
    explanation: "The one not given is `true`, so this entry has no effect.",
    wrong: { files: { "collection.yaml": "rules: { read: true }\nfields:\n  salary: {}" } },
    right: {
      files: { "collection.yaml": "rules: { read: true }\nfields:\n  salary: { read: hasRole('hr') }" },
    },
  },
  "custom-id-outside": {
    severity: "warning",
    summary: "A `custom_id.pattern` that no possible id matches.",
    message: "no id fits this pattern: {problem}",
    hint: "ids have 1 to 128 letters of ASCII, digits and - . _ ~, and do not begin with _",
    explanation:
      "Besides the pattern every id must be safe in addresses and file names. What only ids outside of that would match refuses every create.",
    wrong: { files: { "collection.yaml": "custom_id: { pattern: '^[a-z]+:[0-9]+$' }" } },
    right: { files: { "collection.yaml": "custom_id: { pattern: '^[a-z]+-[0-9]+$' }" } },
  },
  "field-unwritable": {
    severity: "warning",
    summary: "A required field that nobody may write.",
    message: "nobody may write '{field}', which schema.json requires: no document can be created",
    hint: "let it be written by somebody, or do not require it",
    explanation:
      "A create without a required field is refused by the schema, and one with a field whose write rule does not hold by that rule.",
    wrong: {
      files: {
        "schema.json":
          '{ "type": "object", "properties": { "salary": { "type": "integer" } }, "required": ["salary"] }',
        "collection.yaml": "rules: { read: true, create: user != null }\nfields:\n  salary: { write: false }",
      },
    },
    right: {
      files: {
        "schema.json":
          '{ "type": "object", "properties": { "salary": { "type": "integer" } }, "required": ["salary"] }',
        "collection.yaml":
          "rules: { read: true, create: user != null }\nfields:\n  salary: { write: document == null }",
      },
    },
  },
  "owner-takeover": {
    severity: "warning",
    summary: "A field that says whose a document is can be set by others who may update it.",
    message:
      "whoever may update the document can write their own id into '{field}', and the {rule} rule goes by it",
    hint: "add `&& data.{field} == document.{field}` to the update rule, or give '{field}' a write rule",
    explanation:
      "The rule treats the user whom the field names as the owner. The update rule lets in users whom it does not name, without a role or membership, and nothing keeps them from naming themselves.",
    wrong: {
      files: {
        "collection.yaml":
          "rules:\n  read: user != null\n  update: user != null\n  delete: document.owner_id == user.id",
      },
    },
    right: {
      files: {
        "collection.yaml":
          "rules:\n  read: user != null\n  update: user != null && data.owner_id == document.owner_id\n  delete: document.owner_id == user.id",
      },
    },
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
