import { type SealedPlace, sealedPlaces } from "../auth/sealed.ts";
import type { Every } from "../every.ts";
import { compare } from "../filter/algebra.ts";
import { documentFields } from "../filter/fields.ts";
import { type Order, positionOf } from "../filter/order.ts";
import { holding, leaseTime } from "../jobs/holding.ts";
import type { Log, RealmInstance } from "../realm/exchange.ts";
import type { StoreCollection } from "../store/contract/collection.ts";
import type { StoredDocument } from "../store/contract/document.ts";
import type { Store } from "../store/contract/store.ts";
import { type BackgroundJob, startJob } from "./job.ts";
import { sealedMails } from "./mail.ts";

/** Documents read at a time. */
const batch = 100;
/** Times that one document is tried when others write it meanwhile. */
const attempts = 5;

/** What came of sealing a realm's secrets anew. */
export interface Resealing {
  /** Sealed by the newest key now. */
  readonly renewed: Counts;
  /** Sealed by a key that is not listed, or damaged. */
  readonly closed: Counts;
}

type Counts = Record<SealedPlace["kind"], number>;

/** The part of a realm that it needs. */
export interface Sealing extends Pick<RealmInstance, "definition" | "clock" | "vault"> {
  readonly store: Pick<Store, "lease"> & {
    collection(name: string): Pick<StoreCollection, "find" | "get" | "replace">;
  };
}

/**
 * Seals anew by the newest key whatever a realm holds that another key has sealed, so that older keys need no longer be
 * listed. Each document is written only as it was read; one that is done is not looked at again, so that it may end at
 * any time. Undefined where it was not finished: another instance is at it, `stopping` says so, or somebody wrote a
 * document again and again.
 */
export async function reseal(
  realm: Sealing,
  stopping: () => boolean = () => false,
): Promise<Resealing | undefined> {
  const lease = await realm.store.lease("resealing", leaseTime);
  if (lease === undefined) return undefined;
  const hold = holding(lease, realm.clock);
  const renewed: Counts = { secrets: 0, second_factors: 0, mails: 0 };
  const closed: Counts = { secrets: 0, second_factors: 0, mails: 0 };
  let finished = true;
  try {
    const mails = realm.definition.accounts === undefined ? [] : [sealedMails];
    for (const place of [...sealedPlaces(realm.definition), ...mails]) {
      for await (const document of sealedByOthers(realm, place)) {
        if (stopping() || !(await hold())) return undefined;
        const outcome = await renew(realm, place, document);
        if (outcome === "renewed") renewed[place.kind] += 1;
        else if (outcome === "closed") closed[place.kind] += 1;
        else if (outcome === "contended") finished = false;
      }
    }
    return finished ? { renewed, closed } : undefined;
  } finally {
    await lease.release();
  }
}

/** By index, on either side of the newest key, in the order of keys: those that stay as they are do not come again. */
async function* sealedByOthers(
  { store, vault }: Sealing,
  { collection, key }: SealedPlace,
): AsyncGenerator<StoredDocument> {
  const order: Order = [key, documentFields.id].map((field) => ({ field, descending: false }));
  for (const side of ["lt", "gt"] as const) {
    const filter = compare(side, key, vault.newest);
    let last: StoredDocument | undefined;
    do {
      const after = last && { after: positionOf(order, JSON.parse(last.text)) };
      const find = { filter, visibility: "live", order, limit: batch, skip: 0, ...after } as const;
      const found = await store.collection(collection).find(find);
      yield* found;
      last = found.length < batch ? undefined : found.at(-1);
    } while (last !== undefined);
  }
}

async function renew(
  { store, vault }: Sealing,
  place: SealedPlace,
  found: StoredDocument,
): Promise<"renewed" | "closed" | "gone" | "contended"> {
  const collection = store.collection(place.collection);
  let document: StoredDocument | undefined = found;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const written = place.reseal(document, vault);
    if (written === undefined) return "closed";
    if (await collection.replace(document.version, written)) return "renewed";
    document = await collection.get(found.id, "live", compare("lt", place.key, vault.newest));
    document ??= await collection.get(found.id, "live", compare("gt", place.key, vault.newest));
    if (document === undefined) return "gone";
  }
  return "contended";
}

/**
 * Seals anew in the background at once, and every minute where that was not finished.
 * @param older whether `SVC_KEYS` lists more than one key
 */
export function startResealing(
  realms: readonly Sealing[],
  older: boolean,
  log: Log,
  repeat: Every,
): BackgroundJob {
  const left = new Set(realms);
  return startJob(repeat, async (stopped) => {
    for (const realm of left) {
      if (stopped()) return false;
      try {
        const done = await reseal(realm, stopped);
        if (done === undefined) continue;
        left.delete(realm);
        tell(realm.definition.name, done, log);
      } catch (err) {
        log.error(
          { err, realm: realm.definition.name },
          "sealing secrets anew failed; trying again in a minute",
        );
      }
    }
    if (left.size > 0) return false;
    if (older) {
      log.info({}, "everything is sealed by the newest key: older ones can be taken off SVC_KEYS now");
    }
    return true;
  });
}

function tell(realm: string, { renewed, closed }: Resealing, log: Log): void {
  if (sum(renewed) > 0) log.info({ realm, ...renewed }, "sealed anew by the newest key");
  if (sum(closed) > 0) {
    log.warn(
      { realm, ...closed },
      "cannot be decrypted: their key is missing in SVC_KEYS, or they are damaged",
    );
  }
}

function sum(counts: Counts): number {
  return counts.secrets + counts.second_factors + counts.mails;
}
