import type { OpenAPIV3_1 } from "openapi-types";
import { type Build, needlessBodyErrors } from "../build.ts";
import type { AccountSchemas } from "../schemas/accounts.ts";
import { sessionsOnly } from "../security.ts";

export const accountsTag: OpenAPIV3_1.TagObject = {
  name: "accounts",
  description: "The caller's own account and sessions.",
};

/** api-decisions: Accounts, as far as built. Realms with `auth: disabled` have none of it. */
export function accountPaths(
  build: Build,
  schemas: AccountSchemas,
): Record<string, OpenAPIV3_1.PathItemObject> {
  const { realm } = build;
  const path = `/v1/${realm.name}/_auth`;
  const tag = accountsTag.name;
  const own = sessionsOnly(realm);
  const cookie = realm.sessions.cookie ? { "Set-Cookie": "SetCookie" as const } : {};
  const merge = ["application/json", "application/merge-patch+json"];
  return {
    ...(schemas.signup && {
      [`${path}/signup`]: build.path([], {
        post: build.operation({
          id: "signUp",
          tag,
          summary: "Register and sign in",
          body: { schema: schemas.signup },
          answers: { 201: { description: "Signed in.", schema: schemas.started, headers: cookie } },
          errors: ["email_taken", "forbidden"],
          credentials: false,
          security: [],
        }),
      }),
    }),
    [`${path}/login`]: build.path([], {
      post: build.operation({
        id: "logIn",
        tag,
        summary: "Sign in",
        about: "Many failures within 15 minutes close the account to the address, or either, for a while.",
        body: { schema: schemas.login },
        answers: { 200: { description: "Signed in.", schema: schemas.started, headers: cookie } },
        errors: ["invalid_credentials", "forbidden", "too_many_requests"],
        credentials: false,
        security: [],
      }),
    }),
    [`${path}/logout`]: build.path([], {
      post: build.operation({
        id: "logOut",
        tag,
        summary: "End this session",
        answers: { 204: { description: "Signed out.", headers: cookie } },
        errors: needlessBodyErrors,
        security: own,
      }),
    }),
    [`${path}/me`]: build.path([], {
      get: build.operation({
        id: "getOwnUser",
        tag,
        summary: "Fetch the signed-in user",
        answers: { 200: { description: "The user.", schema: schemas.user } },
        security: own,
      }),
      patch: build.operation({
        id: "patchOwnUser",
        tag,
        summary: "Change the signed-in user's locale or profile",
        about: "JSON Merge Patch (RFC 7396).",
        body: { schema: schemas.ownChange, media: merge },
        answers: { 200: { description: "The user.", schema: schemas.user } },
        errors: ["write_conflict"],
        security: own,
      }),
    }),
    [`${path}/sessions`]: build.path([], {
      get: build.operation({
        id: "listOwnSessions",
        tag,
        summary: "List the signed-in user's sessions",
        parameters: ["Limit", "After"],
        answers: { 200: { description: "A page.", schema: schemas.sessions } },
        security: own,
      }),
      delete: build.operation({
        id: "endOtherSessions",
        tag,
        summary: "End all sessions but this one",
        answers: { 204: { description: "Ended." } },
        security: own,
      }),
    }),
    [`${path}/sessions/{id}`]: build.path(["Id"], {
      delete: build.operation({
        id: "endOwnSession",
        tag,
        summary: "End a session",
        answers: { 204: { description: "Ended." } },
        errors: ["not_found"],
        security: own,
      }),
    }),
  };
}
