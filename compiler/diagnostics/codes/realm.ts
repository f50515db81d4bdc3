import type { CatalogueEntry } from "../entry.ts";

/** What can be wrong with realm.yaml beyond the form of its values. */
export const realmCodes = {
  "unknown-role": {
    severity: "error",
    summary: "A role that the realm does not declare.",
    message: "the realm has no role '{role}'",
    explanation: "Roles are declared under `roles`; everything else refers to them by name.",
    wrong: { files: { "realm.yaml": "auth: enabled\nroles:\n  editor: {}\ndefault_roles: [editors]" } },
    right: { files: { "realm.yaml": "auth: enabled\nroles:\n  editor: {}\ndefault_roles: [editor]" } },
  },
  "cookie-without-origins": {
    severity: "warning",
    summary: "Session cookies are enabled, and no origin may use them.",
    message:
      "session cookies are enabled, but cors.origins lists no origin: every login and write by cookie will be refused",
    hint: "list the origins of the web applications under cors.origins",
    explanation:
      "A login that asks for a cookie and a write authenticated by cookie alone need an `Origin` header that `cors.origins` lists.",
    wrong: { files: { "realm.yaml": "auth: enabled\nsessions: { cookie: { enabled: true } }" } },
    right: {
      files: {
        "realm.yaml":
          "auth: enabled\ncors: { origins: ['https://app.example.com'] }\nsessions: { cookie: { enabled: true } }",
      },
    },
  },
  "realtime-unused": {
    severity: "warning",
    summary: "Limits of realtime streams in a realm that has none.",
    message: "no collection of the realm declares realtime: true, so these limits have no effect",
    hint: "remove realtime here, or add realtime: true to a collection",
    explanation:
      "`realtime` in realm.yaml lowers the limits of streams; what they may follow is said by each collection.",
    wrong: { files: { "realm.yaml": "auth: enabled\nrealtime: { max_streams: 100 }" } },
    right: {
      files: {
        "realm.yaml": "auth: enabled\nrealtime: { max_streams: 100 }",
        "collection.yaml": "rules: { read: user != null }\nrealtime: true",
      },
    },
  },
  "idle-over-lifetime": {
    severity: "warning",
    summary: "Sessions end before they can be idle for so long.",
    message: "idle_timeout is longer than lifetime, so it never applies",
    explanation: "A session ends at its `lifetime`, however it is used.",
    wrong: { files: { "realm.yaml": "auth: enabled\nsessions: { lifetime: 1d, idle_timeout: 7d }" } },
    right: { files: { "realm.yaml": "auth: enabled\nsessions: { lifetime: 30d, idle_timeout: 7d }" } },
  },
  "default-role-open": {
    severity: "error",
    summary: "Anybody who signs up would administer.",
    message: "'{role}' administers, and with signup: open anybody who signs up is given it",
    hint: "take it from default_roles, or its `admin` from the role",
    explanation: "`default_roles` are given at sign-up, and with `signup: open` anybody signs up.",
    wrong: {
      files: {
        "realm.yaml": "auth: enabled\nsignup: open\nroles:\n  staff: { admin: read }\ndefault_roles: [staff]",
      },
    },
    right: {
      files: {
        "realm.yaml": "auth: enabled\nsignup: open\nroles:\n  staff: { admin: read }\ndefault_roles: []",
      },
    },
  },
  "default-role-invited": {
    severity: "warning",
    summary: "Everybody who is invited will administer.",
    message: "'{role}' administers, and everybody who signs up with an invitation is given it",
    hint: "name the role in the invitations that should give it",
    explanation:
      "`default_roles` are given at sign-up beside the roles of the invitation, so that an invitation without any roles makes an administrator.",
    wrong: {
      files: {
        "realm.yaml":
          "auth: enabled\nsignup: invite\nroles:\n  staff: { admin: read }\ndefault_roles: [staff]",
      },
    },
    right: {
      files: {
        "realm.yaml": "auth: enabled\nsignup: invite\nroles:\n  staff: { admin: read }\ndefault_roles: []",
      },
    },
  },
  "admin-timeout-unused": {
    severity: "warning",
    summary: "Administration ends before it can be idle, or last, for so long.",
    message: "{key} is longer than {limit}, so it never applies",
    explanation:
      "Administration ends with its session: at the session's `lifetime`, and when it was not used for `idle_timeout`. However it is used, it ends at `admin_max_lifetime`.",
    wrong: {
      files: {
        "realm.yaml":
          "auth: enabled\nroles:\n  boss: { admin: true }\nsessions: { lifetime: 4h, idle_timeout: 4h, admin_max_lifetime: 8h }",
      },
    },
    right: {
      files: {
        "realm.yaml":
          "auth: enabled\nroles:\n  boss: { admin: true }\nsessions: { lifetime: 30d, admin_max_lifetime: 8h }",
      },
    },
  },
  "invalid-sender": {
    severity: "error",
    summary: "The sender of mails is not an address.",
    message: "'{from}' is no sender: {problem}",
    explanation:
      "An e-mail address, or a name and the address in angle brackets: what mail readers show as the sender.",
    wrong: { files: { "realm.yaml": "auth: enabled\nemail: { from: 'Helpdesk, noreply@example.com' }" } },
    right: { files: { "realm.yaml": "auth: enabled\nemail: { from: 'Helpdesk <noreply@example.com>' }" } },
  },
  "invalid-link": {
    severity: "error",
    summary: "A link of mails is not an address of the web with a place for the token.",
    message: "'{link}' cannot stand in mails: {problem}",
    explanation:
      "The page that the link leads to takes the token from the address and sends it to the server. `{token}` stands for the token, in the path, the query or the fragment of an `http` or `https` address.",
    wrong: {
      files: {
        "realm.yaml":
          "auth: enabled\nemail:\n  from: noreply@example.com\n  reset_link: https://app.example.com/reset",
      },
    },
    right: {
      files: {
        "realm.yaml":
          "auth: enabled\nemail:\n  from: noreply@example.com\n  reset_link: https://app.example.com/reset?token={token}",
      },
    },
  },
  "app-config-secret": {
    severity: "warning",
    summary: "A value of `app_config` looks like a secret.",
    message: "the value of '{key}' looks like {secret}",
    hint: "withdraw it, since it stands in this file's history, and keep secrets in the environment of what uses them",
    explanation:
      "`app_config` is configuration: it is kept with the sources, recorded in the output, and administrators read it. The value is not repeated here.",
    wrong: {
      files: { "realm.yaml": "auth: enabled\napp_config:\n  payment_key: sk_live_4eC39HqLyjWDarjtT1zdp7dc" },
    },
    right: { files: { "realm.yaml": "auth: enabled\napp_config:\n  payment_page: https://pay.example.com" } },
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
