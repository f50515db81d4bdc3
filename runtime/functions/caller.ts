import { collections } from "../auth/collections.ts";
import { findKey } from "../auth/credentials/keys.ts";
import { type LiveUser, liveUser } from "../auth/credentials/live.ts";
import { boundCaller, delegateOf, liveKey } from "../auth/credentials/live-keys.ts";
import { readKey } from "../auth/key-records.ts";
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
      if (credential.kind === "session") return { kind: "user", id: user.id };
      const { keyId } = credential.key;
      return credential.kind === "key"
        ? { kind: "user", id: user.id, key: keyId }
        : { kind: "key", id: keyId };
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
  const user = await activeUser(realm, id);
  const key = keyId === undefined ? unscoped : await keyNow(realm, keyId);
  return user !== undefined && key?.kind === "key" && key.delegates !== false
    ? delegateOf(key, user)
    : undefined;
}

async function activeUser({ definition, store }: Realm, id: string): Promise<LiveUser | undefined> {
  const { accounts } = definition;
  const document = accounts && (await store.collection(collections.users).get(id, "live"));
  const user = accounts && document && liveUser(document, accounts);
  return user?.disabled === false ? user : undefined;
}

/** Who comes by the key now: itself, or whom it is bound to. */
async function keyNow(realm: Realm, id: string): Promise<Caller | undefined> {
  const { definition, clock } = realm;
  const own = definition.functions?.find((each) => ownKeyId(each) === id);
  if (own !== undefined) return ownCaller(own);
  if (id === commandCaller.keyId) return commandCaller;
  const document = await findKey(realm, id);
  const key = document && liveKey(readKey(document).record, definition);
  if (key === undefined || !key.enabled || key.caller.expires <= clock.now()) return undefined;
  if (key.user === undefined) return key.service ?? key.caller;
  const user = await activeUser(realm, key.user);
  return user && boundCaller(key, user);
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
      const orgs = [...memberships.keys()];
      return caller.credential.kind === "service"
        ? { kind: "key", id, name: nameOf(caller.credential.key), roles, orgs }
        : { kind: "user", id, name: null, roles, orgs };
    }
    case "key":
      return { kind: "key", id: caller.keyId, name: nameOf(caller), roles: [], orgs: [] };
  }
}

function nameOf({ actor }: KeyCaller): string {
  return actor.slice("key:".length);
}
