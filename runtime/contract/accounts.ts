/** api-decisions: Accounts, without passwords, addresses and second factors. */
import { contract, type RouteContract } from "./contract.ts";
import { paging } from "./parameters.ts";
import { email, locale, password, profile, profilePatch, sessions, userMembers } from "./people.ts";
import { closed, id, named, timestamp } from "./schema.ts";
import type { RealmTraits } from "./traits.ts";

export const accountsTag = "accounts";
const tag = accountsTag;

const anyone = { kind: "anyone" } as const;
const session = { kind: "session" } as const;

const user = named("User", closed(userMembers));
const ownUser = { description: "The user.", schema: user } as const;

export const hasCookies = ({ sessions: { cookie } }: RealmTraits): boolean => cookie !== undefined;

const token = { type: "string", description: "The bearer token." } as const;
const tokenOrCookie = { ...token, description: "The bearer token; absent when set as a cookie." } as const;

/** Whom a session begins for, and the session. */
export const startedMembers = {
  user,
  session: named("Session", (traits) =>
    closed({ token: hasCookies(traits) ? tokenOrCookie : token, id, expires_at: timestamp }, [
      "id",
      "expires_at",
    ]),
  ),
} as const;

const started = {
  description: "Signed in.",
  schema: named("StartedSession", closed(startedMembers)),
} as const;

export const setCookie = {
  headers: (traits: RealmTraits) => (hasCookies(traits) ? { "Set-Cookie": "SetCookie" as const } : {}),
};

/** Bodies of any realm may say that they want no cookie; only where there are some do documents speak of it. */
export const cookie = {
  type: "boolean",
  // No `default` in bodies: makers of clients take members that have one for required.
  description: "Set the session as a cookie instead of returning its token; false when left out.",
} as const;

export const shownCookie = (traits: RealmTraits) => (hasCookies(traits) ? { cookie } : {});

const anyPassword = { type: "string" } as const;
const code = {
  type: ["string", "null"],
  description: "Of the second factor: six digits, or a recovery code, which counts once.",
} as const;

const newAccount = { email, password, locale, profile } as const;
const invitation = {
  type: ["string", "null"],
  description: "An invitation to the realm; its roles are given to the new user.",
} as const;

export const signUp = contract({
  id: "signUp",
  method: "POST",
  path: "/_auth/signup",
  who: anyone,
  body: {
    schema: named("SignupRequest", closed({ ...newAccount, invitation, cookie }, ["email", "password"])),
    shown: named("SignupRequest", (traits) => {
      const needed = traits.signup === "invite" ? (["invitation"] as const) : [];
      const invited = { ...invitation, type: needed.length > 0 ? "string" : invitation.type } as const;
      const members = { ...newAccount, invitation: invited, ...shownCookie(traits) };
      return { ...closed(members, ["email", "password", ...needed]), client: "SignUp" };
    }),
    media: "json",
  },
  answers: { 201: { ...started, ...setCookie } },
  errors: (traits) => [
    "email_taken",
    "invalid_invitation",
    "too_many_requests",
    // Without the invitation, or for a cookie that no listed origin asks for.
    ...(traits.signup === "invite" || hasCookies(traits) ? (["forbidden"] as const) : []),
  ],
  tag,
  summary: ({ signup }) =>
    signup === "invite" ? "Register with an invitation, and sign in" : "Register and sign in",
  about: ({ email: mails }) =>
    mails?.verifyLink === undefined
      ? "The session is one as after a login."
      : "A mail lets the user verify the address.",
  client: { method: "$auth.signUp", session: "begins" },
  when: ({ signup }) => signup !== "closed",
});

const login = { email: { type: "string" }, password: anyPassword, code } as const;

export const logIn = contract({
  id: "logIn",
  method: "POST",
  path: "/_auth/login",
  who: anyone,
  body: {
    schema: named("LoginRequest", closed({ ...login, cookie }, ["email", "password"])),
    shown: named("LoginRequest", (traits) => ({
      ...closed({ ...login, ...shownCookie(traits) }, ["email", "password"]),
      client: "LogIn",
    })),
    media: "json",
  },
  answers: { 200: { ...started, ...setCookie } },
  // Second factors count also where nobody may enrol one any more.
  errors: ["invalid_credentials", "mfa_required", "forbidden", "too_many_requests", "write_conflict"],
  tag,
  summary: "Sign in",
  about: "Many failures within 15 minutes close the account to the address, or either, for a while.",
  client: { method: "$auth.logIn", session: "begins" },
});

export const logOut = contract({
  id: "logOut",
  method: "POST",
  path: "/_auth/logout",
  who: session,
  answers: { 204: { description: "Signed out.", ...setCookie } },
  tag,
  summary: "End this session",
  about: "Its token is unknown from then on.",
  client: { method: "$auth.logOut", session: "ends" },
});

export const reauthenticate = contract({
  id: "reauthenticate",
  method: "POST",
  path: "/_auth/reauth",
  who: session,
  body: {
    schema: named("ReauthRequest", closed({ password: { type: ["string", "null"] }, code }, [])),
    // A second factor's code does instead of the password.
    shown: named("ReauthRequest", {
      description: "The password; of a user with a second factor its code, with the password or without.",
      anyOf: [
        closed({ password: anyPassword, code }, ["password"]),
        closed({ password: { type: ["string", "null"] }, code: { ...code, type: "string" } }, ["code"]),
      ],
    }),
    media: "json",
  },
  answers: {
    200: {
      description: "A proof of identity.",
      schema: named(
        "Proof",
        closed({
          proof: { type: "string", description: "For `X-Svc-Reauth`, with this session." },
          expires_at: timestamp,
        }),
      ),
    },
  },
  errors: ["invalid_credentials", "mfa_required", "too_many_requests", "write_conflict"],
  tag,
  summary: "Prove again who is signed in",
  about:
    "What it answers is sent as `X-Svc-Reauth` with sensitive requests of this session, for 5 minutes. It also restores the session's administration. Failures count as those of a login do.",
  client: "$auth.reauthenticate",
});

export const getOwnUser = contract({
  id: "getOwnUser",
  method: "GET",
  path: "/_auth/me",
  who: session,
  answers: { 200: ownUser },
  tag,
  summary: "Fetch the signed-in user",
  about: "Whom the session belongs to, with their roles.",
  client: "$auth.me",
});

export const patchOwnUser = contract({
  id: "patchOwnUser",
  method: "PATCH",
  path: "/_auth/me",
  who: session,
  body: {
    schema: named("OwnUserChange", {
      ...closed({ locale, profile: profilePatch }, []),
      client: "UserPatch",
    }),
    media: "merge",
  },
  answers: { 200: ownUser },
  errors: ["write_conflict"],
  tag,
  summary: "Change the signed-in user's locale or profile",
  about: "JSON Merge Patch (RFC 7396).",
  client: "$auth.patchMe",
});

export const deleteOwnUser = contract({
  id: "deleteOwnUser",
  method: "DELETE",
  path: "/_auth/me",
  who: { kind: "session", proof: true },
  answers: { 204: { description: "Deleted.", ...setCookie } },
  tag,
  summary: "Delete the signed-in user's account",
  about: "Documents stay, with the user's id as their owner.",
  client: { method: "$auth.deleteMe", session: "ends" },
});

export const listOwnSessions = contract({
  id: "getOwnSessions",
  method: "GET",
  path: "/_auth/sessions",
  who: session,
  query: paging,
  answers: { 200: { description: "A page.", schema: sessions } },
  tag,
  summary: "List the signed-in user's sessions",
  about: "Those that have not ended; one of them is the `current` one.",
  client: "$auth.sessions",
});

export const endOtherSessions = contract({
  id: "endOtherSessions",
  method: "DELETE",
  path: "/_auth/sessions",
  who: session,
  answers: { 204: { description: "Ended." } },
  tag,
  summary: "End all sessions but this one",
  about: "Their tokens are unknown from then on.",
  client: "$auth.endOtherSessions",
});

export const endOwnSession = contract({
  id: "endOwnSession",
  method: "DELETE",
  path: "/_auth/sessions/{id}",
  who: session,
  answers: { 204: { description: "Ended." } },
  errors: ["not_found"],
  tag,
  summary: "End a session",
  about: "One of the signed-in user's own.",
  client: "$auth.endSession",
});

export const accounts: readonly RouteContract[] = [
  signUp,
  logIn,
  logOut,
  reauthenticate,
  getOwnUser,
  patchOwnUser,
  deleteOwnUser,
  listOwnSessions,
  endOtherSessions,
  endOwnSession,
];
