import { isOurs } from "../auth/credentials/tokens.ts";
import { permits } from "../auth/scopes.ts";
import { type Access, allows, isPossible, refusal } from "../documents/access.ts";
import { clientOf, type Identify } from "../documents/entrance.ts";
import type { ApiError } from "../errors.ts";
import type { JsonObject } from "../json.ts";
import { anonymous } from "../realm/caller.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import type { CallDefinition, WebhookDefinition } from "../realm/functions.ts";
import { refusedBy } from "../realm/refused.ts";

/** Who may have a function run by a request. */
export interface Admission {
  /** Who comes. It throws ApiError as `realm.authenticate` does. */
  readonly identify: Identify;
  /** What they are answered whatever they send, if so. */
  refused(access: Access): ApiError | undefined;
  /** @throws ApiError `unauthenticated` | `forbidden` where the rule refuses them, or the scopes of their key do */
  require(access: Access, input: JsonObject): void;
}

/** What rules are asked with, of functions without an input of their own. */
export const noInput: JsonObject = {};

export function admission(
  realm: RealmInstance,
  { database, name, mode, invoke }: WebhookDefinition | CallDefinition,
): Admission {
  const isInScope = ({ scopes }: Access): boolean => permits(scopes, "call", database, name);
  const mayPass = ({ context }: Access): boolean => {
    if (context === undefined) return true;
    return invoke !== undefined && isPossible(invoke, context);
  };
  const refused = (access: Access, data: JsonObject): ApiError =>
    refusedBy(refusal(access), {
      realm: realm.definition.name,
      of: `${database}/${name}`,
      rule: "invoke",
      context: access.context,
      document: absent,
      data,
    });
  return {
    // Handlers see which organizations their caller is in, whatever the rule asks.
    identify: clientOf(
      realm,
      { memberships: true, withheld: false },
      mode === "webhook" ? orSender(realm) : realm.authenticate,
    ),
    refused: (access) => (isInScope(access) && mayPass(access) ? undefined : refused(access, noInput)),
    require(access, input) {
      if (!isInScope(access) || !allows(invoke, access, absent, input)) throw refused(access, input);
    },
  };
}

/**
 * Who calls a webhook. An `Authorization` that is none of ours is its sender's proof, which the handler verifies; they are
 * anonymous, whatever cookies they send.
 */
function orSender({ authenticate }: RealmInstance): RealmInstance["authenticate"] {
  return (exchange, along) => {
    const { authorization, "x-svc-on-behalf-of": behalf } = exchange.headers;
    if (authorization === undefined || isOurs(authorization) || behalf !== undefined)
      return authenticate(exchange, along);
    exchange.caller = anonymous;
    return anonymous;
  };
}

/** There is no document. */
const absent: JsonObject = {};
