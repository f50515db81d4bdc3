import type { OpenAPIV3_1 } from "openapi-types";
import type { Realm } from "../../model/model.ts";
import type { CompiledRule } from "../../rules/compiled.ts";

type Requirements = OpenAPIV3_1.SecurityRequirementObject[];

/** Who gets past the credential check and the constantly false rules of an operation. */
export type Access = "anyone" | "users" | "keys";

/** The credentials with which an operation can succeed. API keys pass wherever documents are concerned. */
export function security(realm: Realm, access: Access): Requirements {
  if (!realm.auth) return [];
  const keys: Requirements = [{ api_key: [] }];
  if (access === "keys") return keys;
  return [...(access === "anyone" ? [{}] : []), ...sessions(realm), ...keys];
}

/** For routes about the caller's own account, which API keys cannot use. */
export function sessionsOnly(realm: Realm): Requirements {
  return realm.auth ? sessions(realm) : [];
}

/** Administration needs an API key. */
export function administratorKey(): Requirements {
  return [{ api_key: [] }];
}

/** Who may satisfy all of these rules for some document; an undeclared one denies. */
export function accessBy(...rules: readonly (CompiledRule | undefined)[]): Access {
  if (rules.some((rule) => rule === undefined || rule.facts.constant === false)) return "keys";
  return rules.every((rule) => rule?.facts.anonymous) ? "anyone" : "users";
}

function sessions(realm: Realm): Requirements {
  return [{ session: [] }, ...(realm.sessions.cookie ? [{ session_cookie: [] }] : [])];
}

/** None where nothing needs a credential: realms with `auth: disabled`. */
export function securitySchemes(realm: Realm): Record<string, OpenAPIV3_1.SecuritySchemeObject> {
  if (!realm.auth) return {};
  return {
    api_key: {
      type: "http",
      scheme: "bearer",
      bearerFormat: "svk_…",
      description: "An API key. It does what its scopes allow and passes the access rules.",
    },
    session: {
      type: "http",
      scheme: "bearer",
      bearerFormat: "svs_…",
      description: "The token of a session, from sign-up or login.",
    },
    ...(realm.sessions.cookie && {
      session_cookie: {
        type: "apiKey",
        in: "cookie",
        name: `svc_session_${realm.name}`,
        description:
          "Set by sign-up or login with `cookie: true`. Writes need an `Origin` that the realm lists.",
      },
    }),
  };
}
