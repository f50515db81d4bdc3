import type { JsonObject } from "../../../runtime/json.ts";
import type { Build } from "../build.ts";
import { addPage, closed, timestamp } from "./common.ts";
import type { Ref } from "./pool.ts";

export const email = { type: "string", format: "email", maxLength: 254 } as const;
export const password = { type: "string", minLength: 8, maxLength: 256 } as const;
export const locale = {
  type: ["string", "null"],
  maxLength: 100,
  description: "A language tag (BCP 47) such as `de-CH`.",
};

/** What the schemas of users and of their administration share. */
export interface PeopleSchemas {
  readonly roles: JsonObject;
  readonly profile: JsonObject;
  readonly profilePatch: JsonObject;
  /** Members of a user as every answer has them. */
  readonly user: JsonObject;
  readonly sessions: Ref;
}

export function peopleSchemas({ schemas: pool, realm, profiles }: Build): PeopleSchemas {
  const profile = profiles.profile();
  const profilePatch = profiles.profilePatch();
  const profileOrNull = { anyOf: [profile, { type: "null" }] };
  const names = realm.roles.map(({ name }) => name);
  const roles = { type: "array", items: { type: "string", ...(names.length > 0 && { enum: names }) } };
  const entry = pool.add(
    "SessionEntry",
    closed({
      id: { type: "string" },
      created_at: timestamp,
      last_used_at: timestamp,
      expires_at: timestamp,
      current: { type: "boolean", description: "Whether this request came with it." },
      user_agent: { type: ["string", "null"] },
      address: { type: "string" },
    }),
  );
  return {
    roles,
    profile: profileOrNull,
    profilePatch: { anyOf: [profilePatch, { type: "null" }] },
    user: {
      id: { type: "string" },
      email,
      email_verified: { type: "boolean" },
      locale,
      roles,
      profile: profileOrNull,
      mfa: { type: "boolean", description: "Whether the user has a second factor." },
      created_at: timestamp,
    },
    sessions: addPage(pool, "SessionPage", entry),
  };
}
