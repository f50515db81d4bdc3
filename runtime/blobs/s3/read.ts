import { Readable } from "node:stream";
import type { ByteSource } from "../../realm/exchange.ts";
import type { ByteRange } from "../store.ts";
import { attempts } from "./attempts.ts";
import { unreachable } from "./failures.ts";
import type { Bucket } from "./sdk.ts";

/** An object, or a part of it, as it comes; the connection ends with whoever reads, and when the signal aborts. */
export async function openObject(
  bucket: Bucket,
  Key: string,
  range: ByteRange | undefined,
  signal: AbortSignal,
): Promise<ByteSource> {
  const { sdk, client, name: Bucket } = bucket;
  const Range = range === undefined ? undefined : `bytes=${range.first}-${range.last}`;
  const { Body } = await attempts(
    bucket,
    () => client.send(new sdk.client.GetObjectCommand({ Bucket, Key, Range }), { abortSignal: signal }),
    signal,
  );
  if (!(Body instanceof Readable)) throw new Error("the answer has no body");
  const end = () => Body.destroy(new Error("nobody reads any longer"));
  // Until somebody reads, nobody would be told.
  Body.on("error", () => undefined);
  signal.addEventListener("abort", end, { once: true });
  Body.once("close", () => signal.removeEventListener("abort", end));
  if (signal.aborted) end();
  return { [Symbol.asyncIterator]: () => pieces(Body, Bucket) };
}

async function* pieces(body: Readable, bucket: string): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* body;
  } catch (error) {
    throw unreachable(bucket, error);
  } finally {
    body.destroy();
  }
}
