import type { JsonObject } from "../../../../runtime/json.ts";
import type { Realm } from "../../../model/model.ts";
import { listSchema } from "../build.ts";
import { patchView } from "./patch-view.ts";
import { placeOf } from "./place.ts";
import type { Ref, SchemaPool } from "./pool.ts";

/** The schemas of a realm's users and sessions. */
export interface AccountSchemas {
  readonly user: Ref;
  /** A user as administrators see it. */
  readonly account: Ref;
  readonly accounts: Ref;
  readonly accountChange: Ref;
  readonly started: Ref;
  readonly sessions: Ref;
  /** Where sign-up is open. */
  readonly signup?: Ref;
  readonly login: Ref;
  readonly ownChange: Ref;
}

const timestamp = { type: "string", format: "date-time" };
const locale = {
  type: ["string", "null"],
  maxLength: 100,
  description: "A language tag (BCP 47) such as `de-CH`.",
};
const email = { type: "string", format: "email", maxLength: 254 };

export function accountSchemas(pool: SchemaPool, realm: Realm): AccountSchemas {
  const profile: JsonObject = realm.profile
    ? pool.addPlace("Profile", placeOf(realm.profile))
    : { type: "object" };
  const roles = {
    type: "array",
    items: { type: "string", ...(realm.roles.length > 0 && { enum: realm.roles }) },
  };
  const profileOrNull = { anyOf: [profile, { type: "null" }] };
  const profilePatch = realm.profile ? patchView(pool, placeOf(realm.profile)) : {};
  const userMembers: JsonObject = {
    id: { type: "string" },
    email,
    email_verified: { type: "boolean" },
    locale,
    roles,
    profile: profileOrNull,
    mfa: { type: "boolean", description: "Whether the user has a second factor." },
    created_at: timestamp,
  };
  const user = pool.add("User", closed(userMembers));
  const account = pool.add(
    "Account",
    closed({ ...userMembers, status: { type: "string", enum: ["active", "disabled"] } }),
  );
  const cookie: JsonObject = realm.sessions.cookie
    ? {
        cookie: {
          type: "boolean",
          default: false,
          description: "Set the session as a cookie instead of returning its token.",
        },
      }
    : {};
  const password = { type: "string", minLength: 8, maxLength: 256 };
  const session = pool.add("Session", {
    type: "object",
    required: ["id", "expires_at"],
    properties: {
      token: {
        type: "string",
        description: realm.sessions.cookie
          ? "The bearer token; absent when set as a cookie."
          : "The bearer token.",
      },
      id: { type: "string" },
      expires_at: timestamp,
    },
    additionalProperties: false,
  });
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
  const page: JsonObject = {
    has_more: { type: "boolean" },
    next_cursor: { type: "string", description: "Present when there is more." },
  };
  return {
    user,
    account,
    accounts: pool.add("AccountPage", listSchema(account, page, ["has_more"])),
    accountChange: pool.add("AccountChange", {
      type: "object",
      properties: {
        roles,
        disabled: { type: "boolean", description: "Disabling ends the user's sessions." },
      },
      additionalProperties: false,
    }),
    started: pool.add("StartedSession", closed({ user, session })),
    sessions: pool.add("SessionPage", listSchema(entry, page, ["has_more"])),
    ...(realm.signup === "open" && {
      signup: pool.add("SignupRequest", {
        type: "object",
        required: ["email", "password"],
        properties: { email, password, locale, profile: profileOrNull, ...cookie },
        additionalProperties: false,
      }),
    }),
    login: pool.add("LoginRequest", {
      type: "object",
      required: ["email", "password"],
      properties: { email: { type: "string" }, password: { type: "string" }, ...cookie },
      additionalProperties: false,
    }),
    ownChange: pool.add("OwnUserChange", {
      type: "object",
      properties: { locale, profile: { anyOf: [{ type: "object", ...profilePatch }, { type: "null" }] } },
      additionalProperties: false,
    }),
  };
}

/** An object with exactly these members. */
function closed(properties: JsonObject): JsonObject {
  return { type: "object", required: Object.keys(properties), properties, additionalProperties: false };
}
