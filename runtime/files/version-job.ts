/** The versions of an image, made after its upload. */
import { BlobMissing, StorageUnavailable } from "../blobs/store.ts";
import { parseDocument } from "../documents/encode.ts";
import { ApiError } from "../errors.ts";
import { AttemptFailed, JobFailure, type JobKind, NotNow, type Progress } from "../jobs/kind.ts";
import type { NewJob } from "../jobs/queue.ts";
import { type CollectionDefinition, storeNameOf } from "../realm/definition.ts";
import type { FileField, FileLedger, FileObject, VersionState } from "../realm/files.ts";
import type { Store } from "../store/contract/store.ts";
import { declaredFields } from "./declared.ts";
import { fileNamed } from "./download.ts";
import type { OpenStorage } from "./realm.ts";
import { tellStates } from "./version-states.ts";

const kind = "image_versions";

/** Milliseconds until there may be room for one more image. */
const wait = 5_000;

/** Milliseconds before each further attempt, where the storage is away. */
const backoff = [60_000, 300_000, 1_800_000, 7_200_000];

/** Milliseconds after which no write of a document in a shared store is under way that was before. */
const lookAgain = 10_000;

interface Rendering {
  /** As the store has it. */
  readonly collection: string;
  readonly document: string;
  readonly field: string;
  /** Its id. */
  readonly file: string;
  /** The states are told, and were perhaps lost to a write that was under way. */
  readonly told?: true;
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
  const fieldOf = declaredFields(collections);
  return {
    name: kind,
    limit: 1,
    backoff,
    forgets: ({ status }) => status === "succeeded",
    async step({ store }, job, hold) {
      const state: Rendering = JSON.parse(job.state);
      const { collection, document, field: name } = state;
      const declared = fieldOf(collection, name);
      if (declared === undefined) return {};
      const named = () => namedFile(store, ledger, state, declared.field);
      const file = await named();
      if (file === undefined) return {};
      const states = new Map<string, VersionState>();
      for (const [version, each] of declared.versions) {
        if (!hold.goesOn()) return { state };
        try {
          const made = await versions.want(file, each);
          states.set(version, made === "failed" ? "failed" : "ready");
        } catch (error) {
          // A file that was removed meanwhile has no bytes to miss.
          if (error instanceof BlobMissing && (await named()) === undefined) return {};
          throw refused(error);
        }
      }
      const next: Progress =
        store.isShared && state.told !== true ? { state: { ...state, told: true }, pause: lookAgain } : {};
      return async (transaction) => {
        await tellStates(transaction, { collection, document, field: name, file }, states);
        return next;
      };
    },
  };
}

/** The file, as long as the document, in the trash or not, names it. */
async function namedFile(
  store: Pick<Store, "collection">,
  ledger: FileLedger,
  { collection, document, file }: Rendering,
  field: FileField,
): Promise<FileObject | undefined> {
  const [stored, names] = await Promise.all([
    store.collection(collection).get(document, "all"),
    ledger.read(collection, document),
  ]);
  return stored && fileNamed(parseDocument(stored.text), field, file, names);
}

/** In the words of jobs. */
function refused(error: unknown): unknown {
  if (error instanceof BlobMissing) return new JobFailure("The bytes of the file are gone.");
  if (error instanceof StorageUnavailable) return new AttemptFailed(error.message);
  if (error instanceof ApiError && error.code === "unavailable") return new NotNow(wait);
  return error;
}
