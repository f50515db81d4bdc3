import type { CatalogueEntry } from "../entry.ts";

/** What can be wrong with organizations, in realm.yaml and in the collections that use them. */
export const organizationCodes = {
  "unknown-organization-role": {
    severity: "error",
    summary: "A role of organizations or teams that is not declared.",
    message: "'{role}' is not declared under {where}",
    explanation:
      "Roles of organizations are declared under `organizations.roles`, those that are held within teams under `organizations.team_roles`; everything else refers to them by name. The realm's own `roles` are others.",
    wrong: {
      files: {
        "realm.yaml":
          "auth: enabled\norganizations:\n  roles:\n    owner: { manage: [org] }\n    member: {}\n  creator_roles: [owner]\n  default_roles: [members]",
      },
    },
    right: {
      files: {
        "realm.yaml":
          "auth: enabled\norganizations:\n  roles:\n    owner: { manage: [org] }\n    member: {}\n  creator_roles: [owner]\n  default_roles: [member]",
      },
    },
  },
  "creator-without-org": {
    severity: "error",
    summary: "Who creates an organization could not manage it.",
    message:
      "none of creator_roles has manage: [org], so nobody could manage an organization that is created",
    explanation:
      "Whoever creates an organization is its first member and has `creator_roles` in it. Without `manage: [org]` among them nobody could ever change or delete it, or give that role.",
    wrong: {
      files: {
        "realm.yaml":
          "auth: enabled\norganizations:\n  create: user.email_verified\n  roles:\n    owner: { manage: [org] }\n    clerk: { manage: [members] }\n  creator_roles: [clerk]",
      },
    },
    right: {
      files: {
        "realm.yaml":
          "auth: enabled\norganizations:\n  create: user.email_verified\n  roles:\n    owner: { manage: [org] }\n    clerk: { manage: [members] }\n  creator_roles: [owner]",
      },
    },
  },
  "manager-without-org": {
    severity: "warning",
    summary: "Who is to manage an organization could not.",
    message: "none of creator_roles has manage: [org], so nobody whom administrators assign could manage it",
    explanation:
      "Administrators make organizations, and assign a manager to one that has lost its last, by giving `creator_roles`.",
    wrong: {
      files: { "realm.yaml": "auth: enabled\norganizations:\n  roles:\n    owner: { manage: [org] }" },
    },
    right: {
      files: {
        "realm.yaml":
          "auth: enabled\norganizations:\n  roles:\n    owner: { manage: [org] }\n  creator_roles: [owner]",
      },
    },
  },
  "member-role-manages": {
    severity: "warning",
    summary: "Every member of an organization would manage in it.",
    message: "'{role}' manages {entries}, and every member of every organization has it",
    hint: "take it from default_roles, or its `manage` from the role",
    explanation:
      "`default_roles` are what every member has, also one who came by an open link, which may never give a role that manages.",
    wrong: {
      files: {
        "realm.yaml":
          "auth: enabled\norganizations:\n  roles:\n    owner: { manage: [org] }\n    clerk: { manage: [members] }\n  creator_roles: [owner]\n  default_roles: [clerk]",
      },
    },
    right: {
      files: {
        "realm.yaml":
          "auth: enabled\norganizations:\n  roles:\n    owner: { manage: [org] }\n    clerk: { manage: [members] }\n  creator_roles: [owner]\n  default_roles: []",
      },
    },
  },
  "require-mfa-without-totp": {
    severity: "warning",
    summary: "Organizations could require a second factor that nobody has.",
    message: "nobody in the realm has a second factor, so no organization can require one",
    hint: "add mfa: { totp: true }",
    explanation:
      "To require a second factor of its members an organization's manager must have signed in with one, and users enrol one only with `mfa.totp`.",
    wrong: {
      files: {
        "realm.yaml":
          "auth: enabled\norganizations:\n  roles:\n    owner: { manage: [org] }\n  creator_roles: [owner]\n  allow_require_mfa: true",
      },
    },
    right: {
      files: {
        "realm.yaml":
          "auth: enabled\nmfa: { totp: true }\norganizations:\n  roles:\n    owner: { manage: [org] }\n  creator_roles: [owner]\n  allow_require_mfa: true",
      },
    },
  },
  "index-unique-across": {
    severity: "warning",
    summary: "A unique index tells what documents of other organizations hold.",
    message: "values are unique over all organizations, so that a clash tells of a document of another one",
    hint: 'put the organization into it: "fields": [{fields}]',
    explanation:
      "A write whose value a document of another organization has is refused (409 `conflict`), and so the caller learns that it exists. With `_meta.org` among the fields values are unique within each organization.",
    wrong: {
      files: {
        "collection.yaml": "organization: required",
        "indexes.json": '{ "indexes": [{ "fields": ["slug"], "unique": true }] }',
      },
    },
    right: {
      files: {
        "collection.yaml": "organization: required",
        "indexes.json": '{ "indexes": [{ "fields": ["_meta.org", "slug"], "unique": true }] }',
      },
    },
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
