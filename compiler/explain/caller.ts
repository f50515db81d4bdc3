/** Who asks, as the server would know them. */
import type { Access } from "../../runtime/documents/access.ts";
import { anonymous, type KeyCaller, type KeyScopes, type UserCaller } from "../../runtime/realm/caller.ts";
import type { RuleContext } from "../../runtime/realm/rule.ts";

/** What is known of somebody beside what rules see: the scopes of the API key that they come with, if any. */
export interface ByKey {
  /** Undefined: everything. */
  readonly scopes: KeyScopes | undefined;
}

const nobody = { scopes: undefined, withheld: undefined, author: undefined, audit: undefined };

/** @param key that acts for them */
export function userAccess(context: RuleContext, key?: ByKey): Access {
  const { user } = context;
  if (user === undefined) return { ...nobody, caller: anonymous, context };
  const credential: UserCaller["credential"] =
    key === undefined
      ? {
          kind: "session",
          id: "",
          hash: "",
          expires: Number.POSITIVE_INFINITY,
          cookie: false,
          administration: undefined,
          lapsed: false,
        }
      : { kind: "key", key: keyCaller(key) };
  const caller: UserCaller = { kind: "user", actor: `user:${user.id}`, user, credential };
  return { ...nobody, caller, context, scopes: key?.scopes };
}

/** Of a key that is nobody else: no rule is asked. */
export function keyAccess(key: ByKey): Access {
  return { ...nobody, caller: keyCaller(key), context: undefined, scopes: key.scopes };
}

function keyCaller({ scopes }: ByKey): KeyCaller {
  return {
    kind: "key",
    actor: "key:key",
    keyId: "key",
    scopes,
    administration: undefined,
    delegates: true,
    expires: Number.POSITIVE_INFINITY,
  };
}
