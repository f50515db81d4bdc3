/** What routes about the caller's own account and those that administer users share. */
import { closed, id, named, page, strings, timestamp } from "./schema.ts";

export const email = { type: "string", format: "email", maxLength: 254, check: "email" } as const;
export const password = { type: "string", minLength: 8, maxLength: 256, check: "password" } as const;
export const locale = {
  type: ["string", "null"],
  maxLength: 100,
  check: "locale",
  description: "A language tag (BCP 47) such as `de-CH`.",
} as const;
export const roles = { ...strings, items: { type: "string", realm: "role" } } as const;
export const profile = { type: ["object", "null"], realm: "profile" } as const;
export const profilePatch = { ...profile, realm: "profilePatch" } as const;
/** What members of an organization see of each other's. */
export const memberProfile = {
  type: "object",
  description: "Of users: what the realm shows of their profiles, as far as they have it.",
  realm: "memberProfile",
} as const;

/** Members of a user as every answer has them. */
export const userMembers = {
  id,
  email,
  email_verified: { type: "boolean" },
  locale,
  roles,
  profile,
  mfa: { type: "boolean", description: "Whether the user has a second factor." },
  created_at: timestamp,
} as const;

export const sessions = page(
  "SessionPage",
  named(
    "SessionEntry",
    closed({
      id,
      created_at: timestamp,
      last_used_at: timestamp,
      expires_at: timestamp,
      current: { type: "boolean", description: "Whether this request came with it." },
      user_agent: { type: ["string", "null"] },
      address: { type: "string" },
    }),
  ),
);
