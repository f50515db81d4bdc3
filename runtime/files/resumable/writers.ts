/** One request at a time adds to an upload, whichever instance it is on. */
import { setTimeout } from "node:timers/promises";
import type { RealmInstance } from "../../realm/exchange.ts";
import type { RealmStorage } from "../realm.ts";
import { changed, type Found, findResumable, keyOf, noSuchUpload, uploadLocked } from "./records.ts";

/** Milliseconds that a request waits for the one before it, in this process, to let go. */
const patience = 20_000;

/** Names that an upload remembers of writers that it was taken from. */
const mostLoose = 64;

/** A request that adds to an upload, in this process. */
interface Active {
  /** Where somebody else asks for the upload: what has come is stored, and no more is taken. */
  readonly stop: AbortController;
  readonly ended: Promise<unknown>;
}

const active = new WeakMap<RealmInstance, Map<string, Active>>();

function activeIn(realm: RealmInstance): Map<string, Active> {
  const known = active.get(realm) ?? new Map<string, Active>();
  active.set(realm, known);
  return known;
}

/** Does the work of the request that has claimed an upload, and which others can ask to let go of it. */
export async function writing<T>(
  realm: RealmInstance,
  upload: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const all = activeIn(realm);
  const stop = new AbortController();
  const done = work(stop.signal);
  const here: Active = { stop, ended: done.catch(() => undefined) };
  all.set(upload, here);
  try {
    return await done;
  } finally {
    if (all.get(upload) === here) all.delete(upload);
  }
}

/**
 * The upload with nobody who adds to it: who does is told to let go, and can store nothing more. Whoever asks where an upload
 * stands is told what stays so.
 * @throws ApiError `upload_locked` while it is being finished; `not_found`
 */
export async function takenOver(
  realm: RealmInstance,
  { blobs }: Pick<RealmStorage, "blobs">,
  found: Found,
): Promise<Found> {
  const { id } = found.record;
  const here = activeIn(realm).get(id);
  if (here === undefined && found.record.writer === null) return found;
  if (here !== undefined) {
    here.stop.abort();
    const enough = new AbortController();
    const waited = setTimeout(patience, undefined, { signal: enough.signal }).catch(() => undefined);
    await Promise.race([here.ended, waited]);
    enough.abort();
  }
  for (;;) {
    const now = await findResumable(realm.store, id);
    if (now === undefined || now.record.state.kind === "over") throw noSuchUpload();
    const { writer, loose } = now.record;
    if (writer === null) return now;
    if ((writer.finishing ?? 0) > realm.clock.now()) throw uploadLocked();
    const fenced = await changed(realm.store, now, {
      writer: null,
      loose: [...loose, writer.next].slice(-mostLoose),
    });
    if (fenced === undefined) continue;
    // It is remembered: where this fails, the sweep removes it.
    await blobs.remove([keyOf(id, writer.next)]).catch(() => undefined);
    return fenced;
  }
}
