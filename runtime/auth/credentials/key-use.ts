import { timestamp } from "../../clock.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { collections } from "../collections.ts";
import { readKeyUse, writeKeyUse } from "../key-records.ts";
import type { LiveKey } from "./live-keys.ts";
import { gap, remembered, type Use, Uses, type UsingRealm } from "./uses.ts";

interface UsedKey extends Use {
  /** The id of the key's record, or of a former one. */
  hash: string;
  address: string;
}

/** When, and from where, keys were last used, whatever their kind. */
export class KeyUse {
  readonly #uses: Uses<UsedKey>;

  constructor(realm: UsingRealm, capacity = remembered) {
    this.#uses = new Uses(realm, { what: "keys", store: storeUse }, capacity);
  }

  note(
    { caller: { keyId: id }, hash }: Pick<LiveKey, "caller" | "hash">,
    address: string,
    now: number,
  ): void {
    const use =
      this.#uses.get(id) ??
      // When it was written last is not known here: it is soon, with others that come meanwhile.
      this.#uses.remember({ id, hash, address, used: 0, due: now + gap, unwritten: false });
    use.hash = hash;
    use.address = address;
    this.#uses.note(use, now);
  }
}

/** Of a key that has ended nothing is written: see `ending`, which holds off writes that come at the same moment. */
async function storeUse(
  transaction: Transaction,
  { id, hash, used, address: last_used_address }: UsedKey,
): Promise<void> {
  if ((await transaction.collection(collections.keys).get(hash, "live")) === undefined) return;
  const last_used_at = timestamp(used);
  const uses = transaction.collection(collections.keyUses);
  const document = await uses.get(id, "live");
  if (document === undefined) {
    await uses.insert(writeKeyUse({ id, last_used_at, last_used_address, created_at: last_used_at }, 1));
    return;
  }
  const { record, version } = readKeyUse(document);
  if (Date.parse(record.last_used_at) >= used) return;
  await uses.replace(version, writeKeyUse({ ...record, last_used_at, last_used_address }, version + 1));
}
