import { collections, keyFields } from "../auth/collections.ts";
import { liveKey } from "../auth/credentials/keys.ts";
import { findOne } from "../auth/matching.ts";
import { readUser } from "../auth/records.ts";
import { ruleUser } from "../auth/users.ts";
import { eq } from "../filter/algebra.ts";
import { anonymous, type Caller, type KeyCaller } from "../realm/caller.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import { type FunctionDefinition, functionName } from "../realm/functions.ts";
import type { Memberships } from "../realm/memberships.ts";
import type { QueuedCaller } from "./events/background.ts";
import type { CallerView } from "./invocation.ts";

/** As a job keeps them: who they are then is asked when it runs. */
export function queuedCaller(caller: Caller): QueuedCaller {
  switch (caller.kind) {
    case "anonymous":
      return { kind: "anonymous" };
    case "user": {
      const { user, credential } = caller;
      return { kind: "user", id: user.id, ...(credential.kind === "key" && { key: credential.key.keyId }) };
    }
    case "key":
      return { kind: "key", id: caller.keyId };
  }
}

type Realm = Pick<RealmInstance, "definition" | "store" | "clock">;

/**
 * Who is meant now: undefined where the user, the key or the function is there no longer, or not good any more. A user is
 * one without a second factor and without administration.
 */
export async function callerOf(realm: Realm, queued: QueuedCaller): Promise<Caller | undefined> {
  switch (queued.kind) {
    case "anonymous":
      return anonymous;
    case "key":
      return keyNow(realm, queued.id);
    case "user":
      return userNow(realm, queued.id, queued.key);
  }
}

async function userNow(realm: Realm, id: string, keyId: string | undefined): Promise<Caller | undefined> {
  const { accounts } = realm.definition;
  const document = accounts && (await realm.store.collection(collections.users).get(id, "live"));
  const key = keyId === undefined ? unscoped : await keyNow(realm, keyId);
  if (accounts === undefined || document === undefined || key?.delegates !== true) return undefined;
  const { record } = readUser(document);
  if (record.disabled) return undefined;
  const user = ruleUser(record, accounts, false);
  return { kind: "user", actor: `user:${id}`, user, credential: { kind: "key", key } };
}

async function keyNow({ definition, store, clock }: Realm, id: string): Promise<KeyCaller | undefined> {
  const own = definition.functions?.find((each) => ownKeyId(each) === id);
  if (own !== undefined) return ownCaller(own);
  if (id === commandCaller.keyId) return commandCaller;
  const document = await findOne(store, collections.keys, eq(keyFields.key, id));
  const key = document && liveKey(document).caller;
  return key !== undefined && key.expires > clock.now() ? key : undefined;
}

/** What a function is to documents: an API key with its scopes. */
export function ownCaller(definition: FunctionDefinition): KeyCaller {
  return {
    ...unscoped,
    actor: `key:${functionName(definition)}`,
    keyId: ownKeyId(definition),
    scopes: definition.scopes,
    delegates: false,
  };
}

/** No key has such an id. */
function ownKeyId(definition: FunctionDefinition): string {
  return `function:${functionName(definition)}`;
}

/** For users whose session began what is done later. */
const unscoped: KeyCaller = {
  kind: "key",
  actor: "key:session",
  keyId: "session",
  scopes: undefined,
  administration: undefined,
  delegates: true,
  expires: Number.POSITIVE_INFINITY,
};

/** Who calls from a server's command line: whoever has the store may do everything. No key has such an id. */
export const commandCaller: KeyCaller = {
  ...unscoped,
  actor: "key:realmc-invoke",
  keyId: "command:invoke",
  delegates: false,
};

/** As the function sees them. */
export function callerView(caller: Caller, memberships: Memberships): CallerView {
  switch (caller.kind) {
    case "anonymous":
      return { kind: "anonymous", id: null, name: null, roles: [], orgs: [] };
    case "user": {
      const { id, roles } = caller.user;
      return { kind: "user", id, name: null, roles, orgs: [...memberships.keys()] };
    }
    case "key":
      return { kind: "key", id: caller.keyId, name: caller.actor.slice("key:".length), roles: [], orgs: [] };
  }
}
