/** What removes uploads whose time is over, and what they have left. */
import { collections, readUpload, uploadFields } from "../../documents/files/records.ts";
import { compare } from "../../filter/algebra.ts";
import type { Hold, JobRealm } from "../../jobs/kind.ts";
import { longBackoff, optimistic } from "../../retry.ts";
import type { RealmStorage } from "../realm.ts";
import { bytesOf, closeUpload, findUpload } from "./records.ts";

/** Milliseconds that an upload is remembered when it is over: bytes that were slow to come would be nobody's. */
const remembered = 86_400_000;

/** Uploads read at once. */
const batch = 100;

export async function sweepUploads(
  { store, clock }: JobRealm,
  { blobs }: Pick<RealmStorage, "blobs">,
  { signal, goesOn }: Hold,
): Promise<void> {
  for (;;) {
    const filter = compare("lte", uploadFields.until, clock.now());
    const found = await store
      .collection(collections.uploads)
      .find({ filter, visibility: "live", limit: batch, skip: 0 });
    for (const stored of found) {
      if (signal.aborted || !goesOn()) return;
      const upload = readUpload(stored);
      const { id, state } = upload.record;
      const isLast = state.kind === "over";
      // Marked first: whoever sends bytes now is told that it is over.
      if (!isLast && !(await ended(store, id, clock.now()))) continue;
      await blobs.remove([bytesOf(id)]);
      if (isLast) await store.collection(collections.uploads).remove(id, upload.version);
    }
    if (found.length < batch) return;
  }
}

/** @returns false where somebody has prolonged it in between */
function ended(store: JobRealm["store"], id: string, now: number): Promise<boolean> {
  return optimistic(longBackoff, () =>
    store.transaction(async (transaction) => {
      const upload = await findUpload(transaction, id);
      if (upload === undefined || upload.record.until > now) return false;
      await closeUpload(transaction, upload, { state: { kind: "over" }, until: now + remembered });
      return true;
    }),
  );
}
