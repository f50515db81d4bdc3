import { join } from "node:path";
import sharp from "sharp";
import { expect } from "vitest";
import { openLocalBlobs } from "../../blobs/local/store.ts";
import { openSpool, type Spool } from "../../blobs/spool.ts";
import type { BlobStore } from "../../blobs/store.ts";
import { text } from "../../documents/testing/shop.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { ImageVersion } from "../../realm/files.ts";
import { until } from "../../testing/until.ts";
import type { Vault } from "./vault.ts";

export const thumb: ImageVersion = { width: 20, height: 20, fit: "cover" };
export const wide: ImageVersion = { width: 30, fit: "inside" };

let shade = 0;

/** A picture of 60 x 40 that no other is equal to. */
export function picture(): Promise<Buffer> {
  shade += 1;
  const background = { r: shade, g: 100, b: 50 };
  return sharp({ create: { width: 60, height: 40, channels: 3, background } })
    .png()
    .toBuffer();
}

export async function sizeOf(image: Buffer) {
  const { format, width, height } = await sharp(image).metadata();
  return { format, width, height };
}

/** What a vault's files lie in. */
export interface Bytes {
  readonly blobs: BlobStore;
  readonly spool: Spool;
}

export async function bytesBelow(folder: string): Promise<Bytes> {
  const own = join(folder, "files", "shop");
  const spool = await openSpool(join(own, "spool"));
  return { blobs: await openLocalBlobs(own, spool), spool };
}

export interface Taken {
  readonly id: string;
  /** Of the file. */
  readonly path: string;
  readonly file: JsonObject;
  readonly sha256: string;
}

/** A new document of `pictures` with an image in a field. */
export async function pictured(vault: Vault, field: string, bytes?: Buffer): Promise<Taken> {
  const id = await vault.made("pictures");
  const path = `pictures/${id}/_files/${field}`;
  const file = await vault.uploaded(path, 0, { bytes: bytes ?? (await picture()) });
  return { id, path: `${path}/${text(file, "id")}`, file, sha256: text(file, "sha256") };
}

/** What a document of `pictures` says of a field's versions. */
export async function statesOf(vault: Vault, id: string, field: string): Promise<unknown> {
  const { body } = await vault.send("GET", `pictures/${id}`);
  const held = body[field];
  return isJsonObject(held) ? held["versions"] : held;
}

/** One with a `cover` whose versions `thumb` and `wide` are made. */
export async function settled(vault: Vault): Promise<Taken> {
  const taken = await pictured(vault, "cover");
  await until(async () =>
    expect(await statesOf(vault, taken.id, "cover")).toEqual({ thumb: "ready", wide: "ready" }),
  );
  return taken;
}
