/** What all kinds of API keys share: what is asked of a new one, and what is shown of it. */
import { adminAreas } from "../realm/administration.ts";
import { closed, id, named, timestamp } from "./schema.ts";

/** Areas of administration. */
export const areas = {
  type: "array",
  items: { type: "string", enum: adminAreas, client: "AdministrationArea" },
} as const;

/** What a key may do, as it is asked for. */
export const scopes = {
  type: ["object", "null"],
  realm: "scopes",
  additionalProperties: false,
  description:
    "What it may do: on everything, or on databases and collections named; `{}`: nothing; null: everything, and no administration.",
} as const;

const granted = { anyOf: [{ const: "*" }, { type: "array", items: { type: "string" } }] } as const;

/** Stored scopes may name what the configuration no longer has. */
export const storedScopes = named("StoredScopes", {
  type: scopes.type,
  properties: {
    read: granted,
    write: granted,
    call: granted,
    admin: {
      ...areas,
      description: "Of personal tokens: what they administer of that which their users do.",
      when: ({ auth }) => auth,
    },
  },
  additionalProperties: false,
  description: scopes.description,
});

export const networks = {
  type: ["array", "null"],
  items: { type: "string" },
  minItems: 1,
  maxItems: 100,
  check: "later",
  told: "must be an array of strings",
  description: "Where it may be used from: networks such as `10.0.0.0/8`, or addresses; null: anywhere.",
} as const;

/** Of a new key. */
export const keyName = {
  type: "string",
  minLength: 1,
  maxLength: 100,
  check: "later",
} as const;

/** Of a key that users, or members of organizations, make. */
export const keyLifetime = {
  type: ["string", "null"],
  pattern: "^[0-9]{1,12}(ms|s|m|h|d)$",
  check: "later",
  description: "A duration such as `30d`, at most what the realm allows, which it is unless given.",
} as const;

/** Of a key, as long as it is. */
export const keyFacts = {
  start: { type: ["string", "null"], description: "Its first eight characters; null of an old one." },
  networks,
  created_at: timestamp,
  created_by: {
    type: ["string", "null"],
    description: "`user:<id>`, `key:<name>` or `command-line`; null of an old one.",
  },
  expires_at: { ...timestamp, type: ["string", "null"], description: "Null: never." },
  last_used_at: {
    ...timestamp,
    type: ["string", "null"],
    description: "To the minute; null: not yet, or not known.",
  },
  last_used_address: { type: ["string", "null"], description: "Where it was used from then." },
} as const;

/** The key itself, as the answer that makes it has it. */
export const shownKey = { type: "string", description: "`svk_…`, shown this once." } as const;

/** What a rotation is asked by. */
export const rotationBody = named(
  "KeyRotation",
  closed(
    {
      overlap: {
        ...id,
        type: ["string", "null"],
        description:
          "How long the former key is good still, `0s` to `7d`; default `24h`. Never beyond its own end.",
      },
    },
    [],
  ),
);
