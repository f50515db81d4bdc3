/** `POST …/_uploads/{upload}/complete`: judges what was sent, and has the document name it (files.md, Routes). */
import type { Spooled } from "../../blobs/store.ts";
import { completeUpload } from "../../contract/files.ts";
import { type Access, requireWrite } from "../../documents/access.ts";
import { gate } from "../../documents/entrance.ts";
import type { UploadRecord } from "../../documents/files/records.ts";
import type { Target } from "../../documents/writes/existing.ts";
import { ApiError } from "../../errors.ts";
import { conditionOf } from "../../http/etag.ts";
import { parameters } from "../../http/parameters.ts";
import type { Answer, Exchange } from "../../realm/exchange.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { binary } from "../bytes.ts";
import { requireSame } from "../digest.ts";
import type { Place } from "../place.ts";
import { counted, type Kept, kept } from "../taking.ts";
import { foundIn, requireWorthwhile } from "../worth.ts";
import { requireSize } from "./receive.ts";
import { bytesOf, closeUpload, findUpload, isOwn, noSuchUpload, prolong } from "./records.ts";

export function completeAt(place: Place): (exchange: Exchange) => Promise<Answer> {
  const { realm, definition, entrance } = place;
  const { enter, receive } = gate(completeUpload, entrance);
  const inTurn = turns();
  return async (exchange) => {
    const asked = await enter(exchange);
    requireWrite(definition, asked, "update");
    parameters(exchange.search, []);
    const condition = conditionOf(exchange.headers);
    const { access } = await receive(asked, exchange);
    const { id = "", upload = "" } = exchange.params;
    const target: Target = { id, visibility: "live", condition };
    await foundIn(place, access, { ...target, condition: undefined });
    const own = async () => {
      const { record } = (await findUpload(realm.store, upload)) ?? {};
      if (record === undefined || !isOwn(place, access, id, record)) throw noSuchUpload();
      return record;
    };
    const before = answered(await own());
    if (before !== undefined) return before;
    return inTurn(upload, async () => {
      const record = await own();
      const meanwhile = answered(record);
      if (meanwhile !== undefined) return meanwhile;
      if (record.state.kind === "over" || record.until <= realm.clock.now()) throw noSuchUpload();
      return counted(place, () => completed(place, access, target, record));
    });
  };
}

/** Work on one upload waits for the other: its bytes are taken in by one request at a time. */
function turns() {
  const underway = new Map<string, Promise<unknown>>();
  return async <T>(upload: string, work: () => Promise<T>): Promise<T> => {
    for (let other = underway.get(upload); other !== undefined; other = underway.get(upload))
      await other.catch(() => undefined);
    const own = work();
    underway.set(upload, own);
    try {
      return await own;
    } finally {
      underway.delete(upload);
    }
  };
}

/** What it was answered already. */
function answered({ state }: UploadRecord): Kept | undefined {
  if (state.kind !== "done") return undefined;
  const { body, etag, location } = state;
  return { status: 201, body, headers: { etag, location } };
}

async function completed(
  place: Place,
  access: Access,
  target: Target,
  record: UploadRecord,
): Promise<Answer> {
  const { realm, storage } = place;
  const { id, replace } = record;
  const key = bytesOf(id);
  try {
    await requireWorthwhile(place, access, target, record, replace);
    const size = await storage.blobs.size(key);
    if (size === undefined)
      throw new ApiError("file_not_uploaded", "The bytes have not been sent to the upload's address.");
    if (!(await prolong(realm, id))) throw noSuchUpload();
    const spooled = await taken(place, record, size);
    try {
      requireSame(record.sha256, spooled.sha256);
      const answer = await kept(place, access, target, spooled, record, replace, (transaction, made) =>
        note(transaction, id, made),
      );
      await storage.blobs.remove([key]).catch((error: unknown) => {
        realm.log.warn({ err: error, realm: realm.definition.name }, "the sweep removes what was uploaded");
      });
      return answer;
    } finally {
      await storage.spool.discard(spooled);
    }
  } catch (error) {
    // Somebody else has completed it in between: whatever hindered this one comes of that.
    const now = (await findUpload(realm.store, id))?.record;
    const answer = now && answered(now);
    if (answer !== undefined) return answer;
    // Where that fails, the sweep removes them.
    if (isFinal(error)) await storage.blobs.remove([key]).catch(() => undefined);
    throw error;
  }
}

/** Of bytes that no other attempt would make better. */
function isFinal(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return ["upload_mismatch", "unsupported_file_type", "invalid_image"].includes(error.code);
}

/** @throws ApiError `upload_mismatch`; what storages throw */
async function taken({ storage }: Place, record: UploadRecord, size: number): Promise<Spooled> {
  requireSize(record.size, size);
  const whole = new AbortController();
  const source = await storage.blobs.open(bytesOf(record.id), undefined, whole.signal);
  return storage.spool.take(binary(source), size);
}

/**
 * That it is done, with what is answered.
 * @throws ApiError `write_conflict` where it is already; Outdated
 */
async function note(transaction: Transaction, id: string, { body, headers }: Kept): Promise<void> {
  const upload = await findUpload(transaction, id);
  if (upload === undefined) throw noSuchUpload();
  const { kind } = upload.record.state;
  if (kind === "over") throw noSuchUpload();
  if (kind === "done") throw new ApiError("write_conflict", "The upload has been completed in between.");
  await closeUpload(transaction, upload, { state: { kind: "done", body, ...headers } });
}
