import type { OpenAPIV3_1 } from "openapi-types";
import { type Build, merges, needlessBodyErrors, type Operation, type Paths } from "../build.ts";
import type { AccountSchemas } from "../schemas/accounts.ts";
import { everybody, sessionsOnly } from "../security.ts";

export const accountsTag: OpenAPIV3_1.TagObject = {
  name: "accounts",
  description: "The caller's own account and sessions.",
};

const tag = accountsTag.name;

/** api-decisions: Accounts, without passwords, addresses and second factors. Realms with `auth: disabled` have none. */
export function accountPaths(build: Build, schemas: AccountSchemas): Paths {
  const path = `/v1/${build.realm.name}/_auth`;
  return {
    ...(schemas.signup && {
      [`${path}/signup`]: build.path([], { post: signUp(build, schemas, schemas.signup) }),
    }),
    [`${path}/login`]: build.path([], { post: logIn(build, schemas) }),
    [`${path}/logout`]: build.path([], { post: logOut(build) }),
    [`${path}/reauth`]: build.path([], { post: reauthenticate(build, schemas) }),
    [`${path}/me`]: build.path([], ownUser(build, schemas)),
    ...sessionPaths(build, schemas),
  };
}

function signUp(build: Build, { started }: AccountSchemas, schema: NonNullable<AccountSchemas["signup"]>) {
  const { signup, email } = build.realm;
  return build.operation({
    id: "signUp",
    tag,
    summary: signup === "invite" ? "Register with an invitation, and sign in" : "Register and sign in",
    about:
      email?.verifyLink === undefined
        ? "The session is one as after a login."
        : "A mail lets the user verify the address.",
    body: { schema },
    answers: { 201: { description: "Signed in.", schema: started, headers: setCookie(build) } },
    errors: ["email_taken", "forbidden", "invalid_invitation", "too_many_requests"],
    admits: everybody,
  });
}

function logIn(build: Build, { login, started }: AccountSchemas): Operation {
  return build.operation({
    id: "logIn",
    tag,
    summary: "Sign in",
    about: "Many failures within 15 minutes close the account to the address, or either, for a while.",
    body: { schema: login },
    answers: { 200: { description: "Signed in.", schema: started, headers: setCookie(build) } },
    errors: ["invalid_credentials", "mfa_required", "forbidden", "too_many_requests", "write_conflict"],
    admits: everybody,
  });
}

function logOut(build: Build): Operation {
  return build.operation({
    id: "logOut",
    tag,
    summary: "End this session",
    about: "Its token is unknown from then on.",
    answers: { 204: { description: "Signed out.", headers: setCookie(build) } },
    errors: needlessBodyErrors,
    admits: sessionsOnly(build.realm),
  });
}

function reauthenticate(build: Build, { reauth, proof }: AccountSchemas): Operation {
  return build.operation({
    id: "reauthenticate",
    tag,
    summary: "Prove again who is signed in",
    about:
      "What it answers is sent as `X-Svc-Reauth` with sensitive requests of this session, for 5 minutes. It also restores the session's administration. Failures count as those of a login do.",
    body: { schema: reauth },
    answers: { 200: { description: "A proof of identity.", schema: proof } },
    errors: ["invalid_credentials", "mfa_required", "too_many_requests", "write_conflict"],
    admits: sessionsOnly(build.realm),
  });
}

function ownUser(build: Build, { user, ownChange }: AccountSchemas): OpenAPIV3_1.PathItemObject {
  const admits = sessionsOnly(build.realm);
  return {
    get: build.operation({
      id: "getOwnUser",
      tag,
      summary: "Fetch the signed-in user",
      about: "Whom the session belongs to, with their roles.",
      answers: { 200: { description: "The user.", schema: user } },
      admits,
    }),
    patch: build.operation({
      id: "patchOwnUser",
      tag,
      summary: "Change the signed-in user's locale or profile",
      about: "JSON Merge Patch (RFC 7396).",
      body: { schema: ownChange, media: merges },
      answers: { 200: { description: "The user.", schema: user } },
      errors: ["write_conflict"],
      admits,
    }),
    delete: build.operation({
      id: "deleteOwnUser",
      tag,
      summary: "Delete the signed-in user's account",
      about: "Documents stay, with the user's id as their owner.",
      parameters: ["Reauth"],
      answers: { 204: { description: "Deleted.", headers: setCookie(build) } },
      errors: ["reauth_required"],
      admits,
    }),
  };
}

function sessionPaths(build: Build, { sessions }: AccountSchemas): Paths {
  const path = `/v1/${build.realm.name}/_auth/sessions`;
  const admits = sessionsOnly(build.realm);
  return {
    [path]: build.path([], {
      get: build.operation({
        id: "getOwnSessions",
        tag,
        summary: "List the signed-in user's sessions",
        about: "Those that have not ended; one of them is the `current` one.",
        parameters: ["Limit", "After"],
        answers: { 200: { description: "A page.", schema: sessions } },
        admits,
      }),
      delete: build.operation({
        id: "endOtherSessions",
        tag,
        summary: "End all sessions but this one",
        about: "Their tokens are unknown from then on.",
        answers: { 204: { description: "Ended." } },
        admits,
      }),
    }),
    [`${path}/{id}`]: build.path(["Id"], {
      delete: build.operation({
        id: "endOwnSession",
        tag,
        summary: "End a session",
        about: "One of the signed-in user's own.",
        answers: { 204: { description: "Ended." } },
        errors: ["not_found"],
        admits,
      }),
    }),
  };
}

function setCookie({ realm }: Build) {
  return realm.sessions.cookie ? { "Set-Cookie": "SetCookie" as const } : {};
}
