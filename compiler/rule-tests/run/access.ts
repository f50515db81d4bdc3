/** Callers of rule tests as those who come to the runtime. */
import type { Access } from "../../../runtime/documents/access.ts";
import { anonymous, type Caller, type KeyCaller } from "../../../runtime/realm/caller.ts";
import type { TestCaller } from "../rule-tests.ts";

/** What an entrance makes of somebody who comes (see `clientEntrance`). */
export function accessOf(given: TestCaller): Access {
  const caller = callerOf(given);
  const owner = caller.kind === "user" ? caller.user.id : null;
  return {
    caller,
    context: given.context,
    scopes: given.scopes,
    withheld: undefined,
    author: { actor: caller.actor, owner },
    audit: undefined,
  };
}

function callerOf({ name, kind, context, scopes }: TestCaller): Caller {
  const user = context?.user;
  const key: KeyCaller = {
    kind: "key",
    actor: `key:${name}`,
    keyId: name,
    scopes,
    administration: undefined,
    delegates: kind === "delegate",
    expires: Number.POSITIVE_INFINITY,
  };
  if (kind === "key") return key;
  if (user === undefined) return anonymous;
  if (kind === "delegate") return { kind: "user", actor: key.actor, user, credential: { kind: "key", key } };
  return {
    kind: "user",
    actor: `user:${user.id}`,
    user,
    credential: {
      kind: "session",
      id: name,
      hash: name,
      expires: Number.POSITIVE_INFINITY,
      cookie: false,
      administration: undefined,
      lapsed: false,
    },
  };
}
