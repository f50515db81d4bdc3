/** `version=` of a download: the bytes of an image's version (files.md, Routes). */
import type { BlobKey } from "../blobs/store.ts";
import { stateOf } from "../documents/files/states.ts";
import { ApiError } from "../errors.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import type { FileObject } from "../realm/files.ts";
import { isImage } from "./content/images.ts";
import type { DeclaredField } from "./declared.ts";
import { fileError } from "./errors.ts";
import { jsonOf } from "./field.ts";
import type { OpenStorage } from "./realm.ts";
import { type FilePlace, type States, tellStates } from "./version-states.ts";
import type { ReadyVersion } from "./versions.ts";

/** Which bytes are answered. */
export interface Bytes {
  readonly key: BlobKey;
  readonly size: number;
  /** What tells them from all others, for their entity tag. */
  readonly name: string;
}

/** Of a file as it was uploaded. */
export function original({ sha256, size }: FileObject): Bytes {
  return { key: sha256, size, name: sha256 };
}

type Serving = Pick<RealmInstance, "store" | "log" | "definition">;

/**
 * Of a version, which is made where it is not there yet; where the document says something else of it, it is told.
 * @throws ApiError `version_unavailable` | `file_missing` | `storage_unavailable`
 */
export async function versionOf(
  realm: Serving,
  { versions }: Pick<OpenStorage, "versions">,
  { field, versions: declared }: DeclaredField,
  place: Omit<FilePlace, "field" | "file">,
  file: FileObject,
  name: string,
): Promise<Bytes> {
  const version = declared.get(name);
  if (version === undefined || !isImage(file.type)) throw noSuchVersion();
  const made = await wanted(() => versions.want(file, version));
  const state = made === "failed" ? "failed" : "ready";
  const said = stateOf(jsonOf(file), name);
  if (said !== undefined && said !== state)
    await repair(realm, { ...place, field: field.name, file }, new Map([[name, state]]));
  if (made === "failed") throw noSuchVersion();
  return made;
}

async function wanted(want: () => Promise<ReadyVersion | "failed">): Promise<ReadyVersion | "failed"> {
  try {
    return await want();
  } catch (error) {
    if (error instanceof ApiError && error.code === "unavailable")
      throw new ApiError("version_unavailable", "The version is not ready yet.", {
        headers: { "retry-after": "5" },
        cause: error,
      });
    throw fileError(error);
  }
}

function noSuchVersion(): ApiError {
  return new ApiError("version_unavailable", "The file has no such version.");
}

/** Who asks has the bytes, whether or not that can be told now. */
async function repair({ store, log, definition }: Serving, place: FilePlace, states: States): Promise<void> {
  try {
    await store.transaction((transaction) => tellStates(transaction, place, states));
  } catch (cause) {
    const { collection, document } = place;
    const told = { realm: definition.name, collection, document, cause: String(cause) };
    log.warn(told, "the states of an image's versions were not written");
  }
}
