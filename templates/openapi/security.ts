import type { OpenAPIV3_1 } from "openapi-types";
import type { Realm } from "../../compiler/model/model.ts";
import type { CompiledRule } from "../../compiler/rules/compiled.ts";
import type { OperationError } from "../../runtime/contract/errors.ts";

type Requirements = OpenAPIV3_1.SecurityRequirementObject[];

/** Whom an operation admits. */
export interface Admission {
  /** The credentials with which it can succeed. */
  readonly security: Requirements;
  /** What others are answered. */
  readonly errors: readonly OperationError[];
}

/** Routes that look at no credential. */
export const everybody: Admission = { security: [], errors: [] };

const refusals = ["unauthenticated", "forbidden"] as const;

/** Who gets past the credential check and the constantly false rules of an operation. */
export type Access = "anyone" | "users" | "keys";

/** Whom an operation on documents admits; API keys pass everywhere. In realms with `auth: disabled` nobody is asked. */
export function admitted(realm: Realm, access: Access): Admission {
  if (!realm.auth) return everybody;
  const security = [
    ...(access === "anyone" ? [{}] : []),
    ...(access === "keys" ? [] : sessions(realm)),
    ...keys,
  ];
  return { security, errors: refusals };
}

/** For routes about the caller's own account, which API keys cannot use. */
export function sessionsOnly(realm: Realm): Admission {
  return { security: sessions(realm), errors: refusals };
}

/** Sessions and API keys that administer; `_admin` is not there (404) where the server has it switched off. */
export function administrators(realm: Realm): Admission {
  const lapsed = realm.auth ? (["reauth_required"] as const) : [];
  return { security: [...sessions(realm), ...keys], errors: [...refusals, ...lapsed, "not_found"] };
}

/** Who may satisfy all of these rules for some document; an undeclared one denies. */
export function accessBy(...rules: readonly (CompiledRule | undefined)[]): Access {
  if (rules.some((rule) => rule === undefined || rule.facts.constant === false)) return "keys";
  return rules.every((rule) => rule?.facts.anonymous) ? "anyone" : "users";
}

const keys: Requirements = [{ api_key: [] }];

function sessions(realm: Realm): Requirements {
  if (!realm.auth) return [];
  return [{ session: [] }, ...(realm.sessions.cookie ? [{ session_cookie: [] }] : [])];
}

export function securitySchemes(realm: Realm): Record<string, OpenAPIV3_1.SecuritySchemeObject> {
  const api_key = { type: "http", scheme: "bearer", bearerFormat: "svk_…" } as const;
  if (!realm.auth) return { api_key: { ...api_key, description: "An API key that administers." } };
  return {
    api_key: {
      ...api_key,
      description:
        "An API key. It does what its scopes allow and passes the access rules; one that may acts for a user, by `X-Svc-On-Behalf-Of`, and is held to the rules as that user.",
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
