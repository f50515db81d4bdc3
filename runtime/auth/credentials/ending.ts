import {
  type Caller,
  isSession,
  type KeyCaller,
  keyOf,
  ownOrganization,
  type SessionCaller,
} from "../../realm/caller.ts";
import type { Credentials, EndReason } from "../../realm/credentials.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import { collections } from "../collections.ts";
import { readKey } from "../key-records.ts";
import { readSession, readUser } from "../records.ts";
import { findKey, isWithin } from "./keys.ts";
import { liveKey } from "./live-keys.ts";
import type { SessionResolver } from "./sessions.ts";

type Realm = Pick<RealmInstance, "definition" | "store" | "clock">;

/** @param sessions undefined: the realm has no accounts */
export function realmCredentials(realm: Realm, sessions: SessionResolver | undefined): Credentials {
  return {
    expiry: expiryOf,
    used(caller) {
      if (isSession(caller)) sessions?.used(caller);
    },
    async ended(caller, { address }) {
      if (caller.kind === "anonymous" || expiryOf(caller) <= realm.clock.now()) return undefined;
      if (isSession(caller)) return endOfSession(realm, caller);
      // An account takes its keys along, and is to be the reason.
      const isUsers = caller.kind === "user" && ownOrganization(caller) === undefined;
      const end = isUsers ? await endOfUser(realm, caller.user.id) : undefined;
      const key = keyOf(caller);
      return end ?? (key !== undefined && (await isRevoked(realm, key, address)) ? "revoked" : undefined);
    },
  };
}

function expiryOf(caller: Caller): number {
  if (isSession(caller)) return caller.credential.expires;
  return keyOf(caller)?.expires ?? Number.POSITIVE_INFINITY;
}

/** Reads the session before its owner: an account ends before its sessions are forgotten, and is to be the reason. */
async function endOfSession(
  { store }: Realm,
  { credential: { hash }, user }: SessionCaller,
): Promise<EndReason | undefined> {
  const sessions = store.collection(collections.sessions);
  const session = await sessions.get(hash, "live");
  const isSignedOut = session === undefined && (await sessions.get(hash, "deleted")) !== undefined;
  const owner = await store.collection(collections.users).get(user.id, "live");
  if (owner === undefined) return "deleted";
  if (isSignedOut) return "signed_out";
  const { disabled, generation } = readUser(owner).record;
  if (disabled) return "disabled";
  const goesOn = session !== undefined && readSession(session).record.generation === generation;
  return goesOn ? undefined : "revoked";
}

async function endOfUser({ store }: Realm, id: string): Promise<EndReason | undefined> {
  const user = await store.collection(collections.users).get(id, "live");
  if (user === undefined) return "deleted";
  return readUser(user).record.disabled ? "disabled" : undefined;
}

async function isRevoked(realm: Realm, { keyId }: KeyCaller, address: string): Promise<boolean> {
  const found = await findKey(realm, keyId);
  return found === undefined || !isWithin(liveKey(readKey(found).record, realm.definition), address);
}
