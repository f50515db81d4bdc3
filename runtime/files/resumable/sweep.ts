/** What removes uploads in pieces whose time is over, and what has come of them. */
import { collections, readResumable, uploadFields } from "../../documents/files/records.ts";
import { compare } from "../../filter/algebra.ts";
import type { Hold, JobRealm } from "../../jobs/kind.ts";
import type { RealmStorage } from "../realm.ts";
import { ended, keyOf, lifetime, partsOf } from "./records.ts";

/** Uploads read at once. */
const batch = 100;

export async function sweepResumable(
  { store, clock }: JobRealm,
  { blobs }: Pick<RealmStorage, "blobs">,
  { signal, goesOn }: Hold,
): Promise<void> {
  for (;;) {
    const filter = compare("lte", uploadFields.until, clock.now());
    const found = await store
      .collection(collections.resumable)
      .find({ filter, visibility: "live", limit: batch, skip: 0 });
    for (const stored of found) {
      if (signal.aborted || !goesOn()) return;
      const upload = readResumable(stored);
      const { id, state } = upload.record;
      const isLast = state.kind === "over";
      // Marked first, and remembered for as long again: what somebody stores in between would be nobody's.
      const now = clock.now();
      if (!isLast && !(await ended(store, id, ({ until }) => until <= now, now + lifetime))) continue;
      await blobs.remove(partsOf(upload.record).map((part) => keyOf(id, part)));
      if (isLast) await store.collection(collections.resumable).remove(id, upload.version);
    }
    if (found.length < batch) return;
  }
}
