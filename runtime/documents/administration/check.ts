import { setImmediate } from "node:timers/promises";
import { queryNames } from "../../contract/contract.ts";
import { checkDocuments as contract } from "../../contract/document-administration.ts";
import { traitsOf } from "../../contract/traits.ts";
import { ApiError, type Detail, unavailable } from "../../errors.ts";
import { parameters } from "../../http/parameters.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Answer, Exchange } from "../../realm/exchange.ts";
import { type BatchSize, batches } from "../../store/batches.ts";
import type { StoreCollection } from "../../store/contract/collection.ts";
import type { Lease } from "../../store/contract/lease.ts";
import type { Store } from "../../store/contract/store.ts";
import { misfitsOf } from "../../validation/details.ts";
import { readable } from "../access.ts";
import { ownMembers } from "../draft.ts";
import { parseDocument } from "../encode.ts";
import { schemaMembers } from "../files/members.ts";
import { collectionRoute } from "../route.ts";
import { administratorEntrance } from "./entrance.ts";

/** What is looked at before others have their turn. */
const size: BatchSize = { documents: 200, characters: 2 ** 20 };

/** A check whose server died holds up others for so many milliseconds where the store is shared. */
const leaseTime = 30_000;

/** Documents that an answer names. */
const documentsNamed = 100;

/** Characters of details beyond which it names no more. */
const charactersNamed = 2 ** 20;

/** Stored documents that do not fit the current schema. */
interface Checked {
  checked: number;
  invalid: number;
  /** The first of them, in the order of ids. */
  readonly documents: { readonly id: string; readonly details: readonly Detail[] }[];
}

/**
 * Counts and lists the stored documents, deleted ones too, that no longer fit the current schema. It changes nothing, so that
 * it takes the rights of a reader. One at a time in a realm; another one answers `unavailable`.
 */
export const checkDocuments = collectionRoute(
  contract,
  ({ realm, definition, collection, enter, receive }) => {
    const { documents } = collection;
    const names = queryNames(contract, traitsOf(realm.definition, [definition]));
    return async (exchange): Promise<Answer> => {
      const access = await enter(exchange);
      readable(definition, access, undefined);
      parameters(exchange.search, names);
      await receive(access, exchange);
      const checked = await alone(realm.store, (lease) => check(definition, documents, exchange, lease));
      return { status: 200, body: JSON.stringify(checked) };
    };
  },
  administratorEntrance,
);

/** @throws ApiError `unavailable` while another check is under way */
async function alone<T>(store: Store, work: (lease: Lease) => Promise<T>): Promise<T> {
  const lease = await store.lease("check", leaseTime);
  if (lease === undefined) throw busy();
  try {
    return await work(lease);
  } finally {
    await lease.release();
  }
}

const busy = () => unavailable("Another check of this realm's documents is under way.", 5_000);

/** @throws ApiError `unavailable` where the lease is lost, or nobody waits for the answer */
async function check(
  definition: CollectionDefinition,
  documents: StoreCollection,
  exchange: Exchange,
  lease: Lease,
): Promise<Checked> {
  const checked: Checked = { checked: 0, invalid: 0, documents: [] };
  let characters = 0;
  for await (const batch of batches(documents, size)) {
    for (const { id, text } of batch) {
      checked.checked += 1;
      const details = misfitsOf(definition, schemaMembers(definition, ownMembers(parseDocument(text))));
      if (details.length === 0) continue;
      checked.invalid += 1;
      if (checked.documents.length === documentsNamed || characters > charactersNamed) continue;
      checked.documents.push({ id, details });
      for (const { path, reason } of details) characters += path.length + reason.length;
    }
    // The embedded store answers within this turn of the event loop; others wait for the next.
    await setImmediate();
    if (exchange.abandoned) throw new ApiError("unavailable", "The client went away.");
    if (!(await lease.renew())) throw busy();
  }
  return checked;
}
