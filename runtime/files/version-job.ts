/** The versions of an image, made after its upload. */
import { BlobMissing, StorageUnavailable } from "../blobs/store.ts";
import { parseDocument } from "../documents/encode.ts";
import { ApiError } from "../errors.ts";
import { AttemptFailed, JobFailure, type JobKind, NotNow } from "../jobs/kind.ts";
import type { NewJob } from "../jobs/queue.ts";
import { type CollectionDefinition, storeNameOf } from "../realm/definition.ts";
import type { FileField, FileLedger, FileObject, VersionState } from "../realm/files.ts";
import { fileNamed } from "./download.ts";
import type { OpenStorage } from "./realm.ts";
import { tellStates } from "./version-states.ts";

const kind = "image_versions";

/** Milliseconds until there may be room for one more image. */
const wait = 5_000;

interface Rendering {
  /** As the store has it. */
  readonly collection: string;
  readonly document: string;
  readonly field: string;
  /** Its id. */
  readonly file: string;
}

/** The job of a file that a document names from the transaction on that queues it. */
export function versionJob(
  definition: CollectionDefinition,
  document: string,
  field: Pick<FileField, "name">,
  file: Pick<FileObject, "id">,
): NewJob {
  const collection = storeNameOf(definition);
  const state: Rendering = { collection, document, field: field.name, file: file.id };
  const { database, name } = definition;
  return { kind, target: `collection:${database}/${name}`, state, by: "service" };
}

/** Of a realm with storage. @param collections all of the realm */
export function imageVersions(
  collections: readonly CollectionDefinition[],
  ledger: FileLedger,
  { versions }: Pick<OpenStorage, "versions">,
): JobKind {
  const byName = new Map(collections.map((definition) => [storeNameOf(definition), definition]));
  return {
    name: kind,
    limit: 1,
    forgets: ({ status }) => status === "succeeded",
    async step({ store }, job, hold) {
      const state: Rendering = JSON.parse(job.state);
      const { collection, document, field: name, file: id } = state;
      const field = byName.get(collection)?.files?.find((each) => each.name === name);
      if (field === undefined) return {};
      const [stored, names] = await Promise.all([
        store.collection(collection).get(document, "live"),
        ledger.read(collection, document),
      ]);
      const file = stored && fileNamed(parseDocument(stored.text), field, id, names);
      // Removed, or in the trash: where it comes back, the first who wants a version makes it.
      if (file === undefined) return {};
      const states: Record<string, VersionState> = {};
      for (const [version, spec] of Object.entries(field.versions ?? {})) {
        if (!hold.goesOn()) return { state };
        const made = await versions.want(file, spec).catch(refused);
        states[version] = made === "failed" ? "failed" : "ready";
      }
      return async (transaction) => {
        await tellStates(transaction, { collection, document, field: name, file }, states);
        return {};
      };
    },
  };
}

/** In the words of jobs. */
function refused(error: unknown): never {
  if (error instanceof BlobMissing) throw new JobFailure("The bytes of the file are gone.");
  if (error instanceof StorageUnavailable) throw new AttemptFailed(error.message);
  if (error instanceof ApiError && error.code === "unavailable") throw new NotNow(wait);
  throw error;
}
