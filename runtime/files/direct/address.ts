/** Addresses that the bytes of an upload are sent to: of the bucket, or of ours where files lie in a folder. */
import type { UploadRecord } from "../../documents/files/records.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import type { RealmStorage } from "../realm.ts";
import { addressLifetime, bytesOf } from "./records.ts";

/** Milliseconds more to complete an upload into a bucket: nobody tells us when its bytes come. */
export const bucketGrace = 3_600_000;

/** Signed along with every address. */
const context = "upload";

export interface UploadAddress {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

type Signing = Pick<RealmInstance, "definition" | "clock" | "files">;

/** @param expires epoch milliseconds @throws StorageUnavailable */
export async function addressOf(
  { definition, files }: Signing,
  { blobs }: Pick<RealmStorage, "blobs">,
  { id, size, sha256, type }: Pick<UploadRecord, "id" | "size" | "sha256" | "type">,
  expires: number,
): Promise<UploadAddress> {
  if (blobs.signed !== undefined)
    return blobs.signed.put(bytesOf(id), { size, sha256, type }, addressLifetime / 1_000);
  if (files === undefined) throw new Error(`realm ${definition.name} has no files`);
  const signed = files.links.sign(JSON.stringify([id, expires]), context);
  return { url: `/v1/${definition.name}/_files/${signed}`, headers: { "content-type": type } };
}

/** The upload that an address of ours is for; undefined for one that was changed or made up, and when its time is over. */
export function openAddress({ clock, files }: Signing, signed: string): string | undefined {
  const text = files?.links.open(signed, context);
  if (text === undefined) return undefined;
  const [id, expires]: [string, number] = JSON.parse(text);
  return expires > clock.now() ? id : undefined;
}
