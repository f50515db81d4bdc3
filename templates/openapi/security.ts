import type { OpenAPIV3_1 } from "openapi-types";
import type { Collection, Realm } from "../../compiler/model/model.ts";
import type { CompiledRule, CompiledRules } from "../../compiler/rules/compiled.ts";
import type { Who } from "../../runtime/contract/contract.ts";

type Requirements = OpenAPIV3_1.SecurityRequirementObject[];

/** A collection and its rules. */
export interface RuledCollection {
  readonly collection: Collection;
  readonly rules: CompiledRules["rules"];
}

/** What an operation is about: collections, or a function and its rule. */
interface About {
  readonly collections: readonly RuledCollection[];
  readonly invoke?: CompiledRule | undefined;
}

/** The credentials with which an operation can succeed. */
export function securityOf(realm: Realm, who: Who, { collections, invoke }: About): Requirements {
  const ownIds =
    "makes" in who &&
    who.makes &&
    collections.some(({ collection: { customId } }) => customId?.is === "user");
  switch (who.kind) {
    case "anyone":
      return [];
    case "reader":
      return admitted(realm, realm.openapi === "public" ? "anyone" : "users");
    case "invoker":
      return admitted(realm, accessBy({ invoke }, ["invoke"]));
    case "queuer":
      return admitted(realm, "users");
    case "ruled": {
      const access = widest(collections.flatMap(({ rules }) => who.by.map((some) => accessBy(rules, some))));
      // Anonymous callers have no id of their own to give.
      return admitted(realm, ownIds && access === "anyone" ? "users" : access);
    }
    case "administrator":
      // Of keys personal tokens alone have an id to give.
      return [...sessions(realm), ...(ownIds && !realm.tokens ? [] : keys)];
    default:
      return sessions(realm);
  }
}

/** Who gets past the credential check and the constantly false rules of an operation. */
type Access = "anyone" | "users" | "keys";

/** API keys pass everywhere. In realms with `auth: disabled` nobody is asked. */
function admitted(realm: Realm, access: Access): Requirements {
  if (!realm.auth) return [];
  return [...(access === "anyone" ? [{}] : []), ...(access === "keys" ? [] : sessions(realm)), ...keys];
}

function widest(accesses: readonly Access[]): Access {
  return (["anyone", "users"] as const).find((access) => accesses.includes(access)) ?? "keys";
}

/** Rules by their names. */
type Declared<Name extends string> = Readonly<Partial<Record<Name, CompiledRule | undefined>>>;

/** Who may satisfy all of these rules for some document; an undeclared one denies. */
function accessBy<Name extends string>(rules: Declared<Name>, names: readonly Name[]): Access {
  const asked = names.map((name) => rules[name]);
  if (asked.some((rule) => rule === undefined || rule.facts.constant === false)) return "keys";
  return asked.every((rule) => rule?.facts.anonymous) ? "anyone" : "users";
}

/** Which rules an operation hangs on, in words. */
export function decidedBy<Name extends string>(rules: Declared<Name>, names: readonly Name[]): string {
  if (accessBy(rules, names) === "keys") return "No rule allows it: for API keys only.";
  const listed = names.map((name) => `\`${name}\``).join(" and ");
  return `Decided by the ${names.length > 1 ? "rules" : "rule"} ${listed}; API keys pass.`;
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
