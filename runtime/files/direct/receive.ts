/** `PUT /v1/{realm}/_files/{signed}`: the bytes of an upload, where files lie in a folder and nobody else could take them. */
import type { UploadRecord } from "../../documents/files/records.ts";
import { ApiError, tooManyRequests } from "../../errors.ts";
import { parameters } from "../../http/parameters.ts";
import type { Answer, RealmInstance, StreamExchange, StreamRouteFactory } from "../../realm/exchange.ts";
import { requireSame } from "../digest.ts";
import { fileError } from "../errors.ts";
import { type RealmStorage, storageOf } from "../realm.ts";
import { openAddress } from "./address.ts";
import { addressLifetime, bytesOf, type FoundUpload, findUpload, noSuchUpload, prolong } from "./records.ts";

/** Bodies that one upload may have on their way: the second one is of a client whose first connection is lost. */
const atOnce = 2;

/** Milliseconds after which one of them may have ended. */
const again = 5_000;

/** Milliseconds that an upload has left, at least, while bytes of it come: longer than a sweep waits for another one. */
const ahead = (2 / 3) * addressLifetime;

export const receiveUpload: StreamRouteFactory = (realm) => {
  const storage = storageOf(realm);
  const coming = new Map<string, number>();
  return {
    class: "document",
    body: "stream",
    async handle(exchange) {
      parameters(exchange.search, []);
      // Now, at its first byte: it may take longer than the address lasts.
      const id = openAddress(realm, exchange.params["signed"] ?? "");
      if (id === undefined)
        throw new ApiError("invalid_file_link", "The address is not one of ours, or its time is over.");
      const upload = await findUpload(realm.store, id);
      if (upload?.record.state.kind !== "open") throw noSuchUpload();
      const others = coming.get(id) ?? 0;
      if (others >= atOnce) throw tooManyRequests("The bytes of the upload are on their way already.", again);
      coming.set(id, others + 1);
      try {
        return await received(realm, storage, exchange, upload);
      } catch (error) {
        throw fileError(error);
      } finally {
        const left = (coming.get(id) ?? 1) - 1;
        if (left === 0) coming.delete(id);
        else coming.set(id, left);
      }
    },
  };
};

async function received(
  realm: RealmInstance,
  { blobs, spool }: RealmStorage,
  exchange: StreamExchange,
  { record }: FoundUpload,
): Promise<Answer> {
  const { id, size, sha256, type } = record;
  const length = exchange.headers["content-length"];
  if (length !== undefined) requireSize(size, Number(length));
  const spooled = await spool.take(alive(realm, record, bounded(exchange, size)), size);
  try {
    requireSize(size, spooled.size);
    requireSame(sha256, spooled.sha256);
    await blobs.put(bytesOf(id), spooled, type);
  } finally {
    await spool.discard(spooled);
  }
  if (!(await prolong(realm, id))) {
    await blobs.remove([bytesOf(id)]);
    throw noSuchUpload();
  }
  return { status: 204 };
}

/** The upload does not end while its bytes come, as long as that may take. @throws ApiError `not_found` where it did */
async function* alive(
  realm: RealmInstance,
  { id, until }: UploadRecord,
  pieces: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let left = until;
  for await (const piece of pieces) {
    const now = realm.clock.now();
    if (left - now < ahead) {
      if (!(await prolong(realm, id))) throw noSuchUpload();
      left = now + addressLifetime;
    }
    yield piece;
  }
}

/** @throws ApiError `upload_mismatch` */
export function requireSize(expected: number, actual: number): void {
  if (expected === actual) return;
  throw new ApiError("upload_mismatch", "There are not as many bytes as were announced.", {
    details: [{ path: "size", reason: `is ${actual}` }],
  });
}

async function* bounded(exchange: StreamExchange, size: number): AsyncGenerator<Buffer> {
  try {
    yield* exchange.stream(size);
  } catch (error) {
    const isLarge = error instanceof ApiError && error.code === "payload_too_large";
    throw isLarge ? new ApiError("upload_mismatch", "There are more bytes than were announced.") : error;
  }
}
