import { collections as accountCollections, keyFields } from "../auth/collections.ts";
import { isOperators, type KeyRecord, readKey, writeKey } from "../auth/key-records.ts";
import { endKey } from "../auth/key-storing.ts";
import { type EndingKey, keysEndMail } from "../auth/mails.ts";
import { currentKeys } from "../auth/paging.ts";
import { type Read, readUser } from "../auth/records.ts";
import { timestamp } from "../clock.ts";
import { and, compare, type Filter, isIn } from "../filter/algebra.ts";
import type { JobKind } from "../jobs/kind.ts";
import { findOrganization } from "../organizations/change.ts";
import { collections as organizationCollections } from "../organizations/collections.ts";
import { findManagers } from "../organizations/managers.ts";
import { memberId } from "../organizations/records.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import { Outdated } from "../retry.ts";

type Realm = Pick<RealmInstance, "definition" | "store" | "clock" | "mail" | "organizations">;

const hour = 3_600_000;

/** Keys looked at in one step. */
const atOnce = 50;

/** Milliseconds for which tenants see a key of theirs that is over. */
const shown = 30 * 24 * hour;

/**
 * Tells owners of keys, a week before, that these end: once, whatever instances there are. What of tenants' keys ended long
 * ago goes.
 */
export function keyEnds(realm: Realm): JobKind {
  return {
    name: "key-ends",
    limit: 1,
    backoff: [],
    every: hour,
    async step() {
      const removed = await removeOver(realm);
      const due = await found(realm, compare("lte", keyFields.remind_at, timestamp(realm.clock.now())));
      const mails = await mailsOf(realm, due);
      return async (transaction) => {
        const keys = transaction.collection(accountCollections.keys);
        for (const { record, version } of due) {
          const told = writeKey({ ...record, remind_at: null }, version + 1);
          if (!(await keys.replace(version, told))) throw new Outdated();
        }
        for (const mail of mails) await realm.mail.queue(transaction, mail);
        const goesOn = due.length === atOnce || removed === atOnce;
        return goesOn ? { state: {} } : { result: { told: mails.length, removed } };
      };
    },
  };
}

async function found({ store }: Realm, filter: Filter): Promise<readonly Read<KeyRecord>[]> {
  const query = { filter: and(filter, currentKeys), visibility: "live", limit: atOnce, skip: 0 } as const;
  return (await store.collection(accountCollections.keys).find(query)).map(readKey);
}

/** What is sent: to each address one mail of all its keys. */
async function mailsOf(realm: Realm, due: readonly Read<KeyRecord>[]) {
  const byAddress = new Map<string, EndingKey[]>();
  const now = timestamp(realm.clock.now());
  for (const { record } of due) {
    const { start, expires_at } = record;
    // What is over by now was never told of in time: nobody can do anything about it.
    if (expires_at === null || expires_at <= now) continue;
    const address = await ownerOf(realm, record);
    if (address === undefined) continue;
    const keys = byAddress.get(address) ?? [];
    byAddress.set(address, [...keys, { kind: kindOf(record), start, expires_at }]);
  }
  return [...byAddress].map(([address, keys]) => keysEndMail(realm.definition, address, keys));
}

function kindOf(key: KeyRecord): EndingKey["kind"] {
  if (isOperators(key)) return "operator";
  return key.binding?.kind === "personal" ? "personal" : "organization";
}

/** The address of who is told of the end of a key: its user, else whoever made it; of organizations' keys a manager at last. */
async function ownerOf(realm: Realm, { binding, created_by }: KeyRecord): Promise<string | undefined> {
  if (binding !== null && "user" in binding) return addressOf(realm, binding.user);
  const maker = created_by?.startsWith("user:") ? created_by.slice("user:".length) : undefined;
  if (binding?.kind !== "organization") return maker === undefined ? undefined : addressOf(realm, maker);
  const { store } = realm;
  const members = store.collection(organizationCollections.members);
  const isMember =
    maker !== undefined && (await members.get(memberId(binding.org, maker), "live")) !== undefined;
  const address = isMember ? await addressOf(realm, maker) : undefined;
  return address ?? managerOf(realm, binding.org);
}

async function addressOf({ store }: Realm, user: string): Promise<string | undefined> {
  const document = await store.collection(accountCollections.users).get(user, "live");
  const record = document && readUser(document).record;
  return record === undefined || record.disabled ? undefined : record.email;
}

async function managerOf(realm: Realm, id: string): Promise<string | undefined> {
  const settings = realm.definition.accounts?.organizations;
  const org = settings && (await findOrganization(realm, id))?.record;
  if (settings === undefined || org === undefined || org.status === "deleted") return undefined;
  return (await findManagers({ store: realm.store, settings }, [org], [])).get(id)?.record.email;
}

/** @returns how many tenants' keys are gone by it, their service members with them */
async function removeOver(realm: Realm): Promise<number> {
  const before = timestamp(realm.clock.now() - shown);
  const isTenants = isIn(keyFields.kind, ["personal", "organization"]);
  const over = await found(realm, and(compare("lte", keyFields.expires_at, before), isTenants));
  for (const { record } of over)
    await endKey(
      realm,
      record.key,
      () => undefined,
      async () => undefined,
    );
  return over.length;
}
