import { ApiError } from "../../errors.ts";
import { type CollectionDefinition, type RealmDefinition, storeNameOf } from "../../realm/definition.ts";
import { BytesSwept, type FileLedger } from "../../realm/files.ts";
import { Outdated } from "../../retry.ts";
import type { StoredDocument } from "../../store/contract/document.ts";
import { InsertRefused } from "../../store/contract/errors.ts";
import type { Store } from "../../store/contract/store.ts";
import type { Transaction } from "../../store/contract/transaction.ts";
import { refusedWrite } from "../errors.ts";
import { Changed, createdAmong, isOverQuota } from "./batch.ts";
import type { FileBringer } from "./brought.ts";
import { DocumentMaker, type Draft, type MakerOptions, type Prepared } from "./maker.ts";
import { Rejected } from "./rejected.ts";
import type { Taker } from "./taker.ts";
import { Targets, type Upcoming } from "./targets.ts";

export interface DocumentTaking extends MakerOptions {
  /** One that meets old documents in their newest form, where the collection has migrations. */
  readonly store: Store;
  readonly realm: Pick<RealmDefinition, "collections">;
  readonly upcoming: Upcoming;
  /** Of collections whose documents have files. */
  readonly ledger: FileLedger | undefined;
  /** Brings their bytes; default: files are left out. */
  readonly bringer?: FileBringer | undefined;
}

/** Takes documents of a collection. */
export function documentTaker(taking: DocumentTaking): Taker<Draft, Prepared> {
  const { store, realm, definition, mode, upcoming, ledger, bringer } = taking;
  const name = storeNameOf(definition);
  const maker = new DocumentMaker({ ...taking, withFiles: bringer !== undefined });
  const targets = new Targets(store, realm, definition, upcoming);
  return {
    name,
    taken: "a document with this id exists",
    draft: (incoming) => maker.draft(incoming),
    prepared: (draft, found) => maker.prepared(draft, found),
    async missing(prepared) {
      const missing = await targets.missing(prepared);
      if (bringer === undefined) return missing;
      const rest = prepared.filter(({ line }) => !missing.has(line));
      return new Map([...missing, ...(await unbrought(definition, bringer, rest))]);
    },
    reason: (error) => reasonOf(definition, error),
    ...(definition.migrations !== undefined &&
      mode !== "create" && { newest: (found) => newestOf(store, name, found) }),
    ...(ledger !== undefined && {
      async along(transaction, prepared) {
        for (const one of prepared) await noted(ledger, transaction, name, one, prepared);
      },
    }),
  };
}

/** Brings the bytes of the files that documents name. @returns why documents cannot have theirs, by their lines */
async function unbrought(
  { files: fields = [] }: CollectionDefinition,
  bringer: FileBringer,
  prepared: readonly Prepared[],
): Promise<ReadonlyMap<number, Rejected>> {
  const refused = new Map<number, Rejected>();
  for (const { line, document, files } of prepared) {
    for (const file of files?.after ?? []) {
      const field = fields.find(({ name }) => name === file.field);
      const reason = field && (await bringer.bring(file, field));
      if (reason === undefined) continue;
      refused.set(line, new Rejected(document.id, `${file.field} ${reason}`));
      break;
    }
  }
  return refused;
}

/**
 * Writes which files a document names.
 * @param all that are written with it
 * @throws InsertRefused where a quota is exceeded by a new one; Changed where it is to be tried again
 */
async function noted(
  ledger: FileLedger,
  transaction: Transaction,
  collection: string,
  prepared: Prepared,
  all: readonly Prepared[],
): Promise<void> {
  const { document, expected, files } = prepared;
  const { id, text } = document;
  try {
    if (files !== undefined && files.after.length + files.before.length > 0)
      await ledger.rename(transaction, collection, id, text, { added: files.after, removed: files.before });
    else if (expected !== undefined) await ledger.follow(transaction, collection, id, text);
  } catch (error) {
    if (error instanceof BytesSwept || error instanceof Outdated) throw new Changed();
    if (!isOverQuota(error) || expected !== undefined) throw error;
    throw new InsertRefused(createdAmong(all).indexOf(prepared), error);
  }
}

/** Their newest form is met in a transaction alone. */
function newestOf(
  store: Store,
  name: string,
  found: readonly StoredDocument[],
): Promise<readonly StoredDocument[]> {
  return store.transaction(async (transaction) => {
    const documents = transaction.collection(name);
    const read: StoredDocument[] = [];
    for (const { id } of found) {
      const document = await documents.get(id, "all");
      if (document !== undefined) read.push(document);
    }
    return read;
  });
}

function reasonOf(definition: CollectionDefinition, error: Error): string {
  const refused = refusedWrite(definition, error);
  if (!(refused instanceof ApiError)) return error.message;
  const details = refused.details.map(({ path, reason }) => `${path} ${reason}`);
  return details.length > 0 ? details.join("; ") : refused.message;
}
