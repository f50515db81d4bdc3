import type { CheckEntry } from "../../settings/change.ts";

export const realmChecks = {
  "realm-removed": {
    kind: "breaking",
    message: "the realm is gone",
    why: "All its routes answer 404.",
  },
  "realm-added": { kind: "additive", message: "the realm is new", why: "Nobody uses it yet." },
} as const satisfies Readonly<Record<string, CheckEntry>>;
