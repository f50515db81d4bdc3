import type { CatalogueEntry } from "../entry.ts";

/** What can be wrong with realm.yaml beyond the form of its values. */
export const realmCodes = {
  "setting-without-auth": {
    severity: "error",
    summary: "A setting about users in a realm without them.",
    message: "'{key}' has no effect in a realm with auth: disabled",
    hint: "remove it, or set auth: enabled",
    explanation:
      "With `auth: disabled` there are no users, sessions or roles, so such a setting could only mislead.",
    wrong: { files: { "realm.yaml": "auth: disabled\nsignup: open" } },
    right: { files: { "realm.yaml": "auth: enabled\nsignup: open" } },
  },
  "unknown-role": {
    severity: "error",
    summary: "A role that the realm does not declare.",
    message: "the realm has no role '{role}'",
    explanation: "Roles are declared under `roles`; everything else refers to them by name.",
    wrong: { files: { "realm.yaml": "auth: enabled\nroles:\n  editor: {}\ndefault_roles: [editors]" } },
    right: { files: { "realm.yaml": "auth: enabled\nroles:\n  editor: {}\ndefault_roles: [editor]" } },
  },
  "invalid-origin": {
    severity: "error",
    summary: "An entry of cors.origins is not a web origin.",
    message: "'{origin}' is not a web origin: {problem}",
    explanation:
      "An origin is scheme, host and, where it is not the scheme's own, port: what browsers send in `Origin`. It has no path and no final slash. `*` is refused: an API with credentials lists the origins that it trusts.",
    wrong: { files: { "realm.yaml": "auth: enabled\ncors: { origins: ['https://app.example.com/'] }" } },
    right: { files: { "realm.yaml": "auth: enabled\ncors: { origins: ['https://app.example.com'] }" } },
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
  "admin-setting-unused": {
    severity: "warning",
    summary: "A setting about administrators that no role makes.",
    message: "'{key}' has no effect: no role {needs}",
    explanation:
      "The timeouts of administration are about sessions of users whose roles administer; `admin.read_access` widens what `admin: read` covers. API keys are bound by neither.",
    wrong: {
      files: {
        "realm.yaml":
          "auth: enabled\nroles:\n  boss: { admin: true }\nadmin: { read_access: { users: true } }",
      },
    },
    right: {
      files: {
        "realm.yaml":
          "auth: enabled\nroles:\n  support: { admin: read }\nadmin: { read_access: { users: true } }",
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
  "invalid-network": {
    severity: "error",
    summary: "An entry of admin.allowed_networks is neither a network nor an address.",
    message: "'{network}' is neither a network nor an IP address",
    hint: "write 10.0.0.0/8, 2001:db8::/32 or a whole address",
    explanation:
      "Networks are written in CIDR form: the first address and the length of its prefix. Names of hosts, short forms such as `10.1`, masks and zones (`%eth0`) are refused.",
    wrong: { files: { "realm.yaml": "auth: enabled\nadmin: { allowed_networks: ['10.1/16'] }" } },
    right: { files: { "realm.yaml": "auth: enabled\nadmin: { allowed_networks: ['10.1.0.0/16'] }" } },
  },
  "network-host-bits": {
    severity: "warning",
    summary: "A network is named by one of the hosts in it.",
    message: "{address} is a host in the network {network}, all of which is allowed",
    hint: "write {network}, or {address} for the host alone",
    explanation:
      "The address has bits beyond its prefix. They count for nothing, and may be a slip: perhaps one host was meant.",
    wrong: { files: { "realm.yaml": "auth: enabled\nadmin: { allowed_networks: ['10.1.2.3/16'] }" } },
    right: { files: { "realm.yaml": "auth: enabled\nadmin: { allowed_networks: ['10.1.0.0/16'] }" } },
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
  "network-everywhere": {
    severity: "warning",
    summary: "Networks of administrators that hold every address.",
    message: "{network} holds every address, so it restricts nobody",
    hint: "name the networks that administrators use, or remove allowed_networks",
    explanation:
      "`admin.allowed_networks` refuses administrators from elsewhere. A network of all addresses looks like a restriction and is none.",
    wrong: { files: { "realm.yaml": "auth: enabled\nadmin: { allowed_networks: ['0.0.0.0/0'] }" } },
    right: { files: { "realm.yaml": "auth: enabled\nadmin: { allowed_networks: ['192.0.2.0/24'] }" } },
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
