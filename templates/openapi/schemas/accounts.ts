import type { Realm } from "../../../compiler/model/model.ts";
import type { JsonObject } from "../../../runtime/json.ts";
import { closed, timestamp } from "./common.ts";
import { email, locale, type PeopleSchemas, password } from "./people.ts";
import type { Ref, SchemaPool } from "./pool.ts";

/** The schemas of the routes about the caller's own account. */
export interface AccountSchemas {
  readonly user: Ref;
  readonly started: Ref;
  readonly sessions: Ref;
  /** Unless sign-up is closed. */
  readonly signup?: Ref;
  readonly login: Ref;
  readonly ownChange: Ref;
  readonly reauth: Ref;
  readonly proof: Ref;
  readonly passwordChange: Ref;
  readonly passwordReset: Ref;
  /** `{email}`. */
  readonly passwordForgot: Ref;
  readonly emailChange: Ref;
  /** `{token}`, as it was mailed. */
  readonly emailVerify: Ref;
  /** Where users may enrol second factors. */
  readonly totp?: { readonly enrolment: Ref; readonly confirmation: Ref; readonly recoveryCodes: Ref };
}

const anyPassword = { type: "string" };
const optionalCode = {
  type: ["string", "null"],
  description: "Of the second factor: six digits, or a recovery code, which counts once.",
};

export function accountSchemas(pool: SchemaPool, realm: Realm, people: PeopleSchemas): AccountSchemas {
  const user = pool.add("User", closed(people.user));
  const session = pool.add("Session", sessionSchema(realm));
  const cookie: JsonObject = realm.sessions.cookie
    ? {
        cookie: {
          type: "boolean",
          // No `default` in bodies: makers of clients take members that have one for required.
          description: "Set the session as a cookie instead of returning its token; false when left out.",
        },
      }
    : {};
  return {
    user,
    started: pool.add("StartedSession", closed({ user, session })),
    sessions: people.sessions,
    ...(realm.signup !== "closed" && {
      signup: pool.add("SignupRequest", signupSchema(realm, people, cookie)),
    }),
    login: pool.add(
      "LoginRequest",
      closed({ email: { type: "string" }, password: anyPassword, code: optionalCode, ...cookie }, [
        "email",
        "password",
      ]),
    ),
    ownChange: pool.add("OwnUserChange", closed({ locale, profile: people.profilePatch }, [])),
    reauth: pool.add("ReauthRequest", reauthSchema),
    proof: pool.add(
      "Proof",
      closed({
        proof: { type: "string", description: "For `X-Svc-Reauth`, with this session." },
        expires_at: timestamp,
      }),
    ),
    passwordChange: pool.add("PasswordChange", closed({ current: anyPassword, new: password })),
    passwordReset: pool.add("PasswordReset", closed({ token: { type: "string" }, password })),
    passwordForgot: pool.add("PasswordForgot", closed({ email: { type: "string" } })),
    emailChange: pool.add("EmailChange", closed({ email })),
    emailVerify: pool.add("EmailVerify", closed({ token: { type: "string" } })),
    ...(realm.totp && { totp: totpSchemas(pool) }),
  };
}

function sessionSchema(realm: Realm): JsonObject {
  const token = {
    type: "string",
    description: realm.sessions.cookie
      ? "The bearer token; absent when set as a cookie."
      : "The bearer token.",
  };
  return closed({ token, id: { type: "string" }, expires_at: timestamp }, ["id", "expires_at"]);
}

function signupSchema({ signup }: Realm, { profile }: PeopleSchemas, cookie: JsonObject): JsonObject {
  const invited = signup === "invite";
  const invitation = {
    type: invited ? "string" : ["string", "null"],
    description: "An invitation to the realm; its roles are given to the new user.",
  };
  return closed({ email, password, locale, profile, invitation, ...cookie }, [
    "email",
    "password",
    ...(invited ? ["invitation"] : []),
  ]);
}

/** A second factor's code does instead of the password. */
const reauthSchema: JsonObject = {
  description: "The password; of a user with a second factor its code, with the password or without.",
  anyOf: [
    closed({ password: anyPassword, code: optionalCode }, ["password"]),
    closed({ password: { type: ["string", "null"] }, code: { ...optionalCode, type: "string" } }, ["code"]),
  ],
};

function totpSchemas(pool: SchemaPool): NonNullable<AccountSchemas["totp"]> {
  return {
    enrolment: pool.add(
      "TotpEnrolment",
      closed({
        secret: { type: "string", description: "Base32, for typing in." },
        uri: { type: "string", format: "uri", description: "`otpauth://…`, for a QR code." },
      }),
    ),
    confirmation: pool.add("TotpConfirmation", closed({ code: { type: "string" } })),
    recoveryCodes: pool.add(
      "RecoveryCodes",
      closed({
        recovery_codes: {
          type: "array",
          items: { type: "string" },
          description: "Shown this once. Each does once instead of a code.",
        },
      }),
    ),
  };
}
