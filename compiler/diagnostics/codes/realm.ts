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
    wrong: "auth: disabled\nsignup: open",
    right: "auth: enabled\nsignup: open",
  },
  "unknown-role": {
    severity: "error",
    summary: "A role that the realm does not declare.",
    message: "the realm has no role '{role}'",
    explanation: "Roles are declared under `roles`; everything else refers to them by name.",
    wrong: "roles:\n  editor: {}\ndefault_roles: [editors]",
    right: "roles:\n  editor: {}\ndefault_roles: [editor]",
  },
  "invalid-origin": {
    severity: "error",
    summary: "An entry of cors.origins is not a web origin.",
    message: "'{origin}' is not a web origin: {problem}",
    explanation:
      "An origin is scheme, host and, where it is not the scheme's own, port: what browsers send in `Origin`. It has no path and no final slash. `*` is refused: an API with credentials lists the origins that it trusts.",
    wrong: "cors: { origins: ['https://app.example.com/'] }",
    right: "cors: { origins: ['https://app.example.com'] }",
  },
  "cookie-without-origins": {
    severity: "warning",
    summary: "Session cookies are enabled, and no origin may use them.",
    message:
      "session cookies are enabled, but cors.origins lists no origin: every login and write by cookie will be refused",
    hint: "list the origins of the web applications under cors.origins",
    explanation:
      "A login that asks for a cookie and a write authenticated by cookie alone need an `Origin` header that `cors.origins` lists.",
    wrong: "sessions: { cookie: { enabled: true } }",
    right: "cors: { origins: ['https://app.example.com'] }\nsessions: { cookie: { enabled: true } }",
  },
  "idle-over-lifetime": {
    severity: "warning",
    summary: "Sessions end before they can be idle for so long.",
    message: "idle_timeout is longer than lifetime, so it never applies",
    explanation: "A session ends at its `lifetime`, however it is used.",
    wrong: "sessions: { lifetime: 1d, idle_timeout: 7d }",
    right: "sessions: { lifetime: 30d, idle_timeout: 7d }",
  },
} as const satisfies Readonly<Record<string, CatalogueEntry>>;
