import { ApiError } from "../../errors.ts";
import { type CollectionDefinition, type RealmDefinition, storeNameOf } from "../../realm/definition.ts";
import type { FileLedger } from "../../realm/files.ts";
import type { StoredDocument } from "../../store/contract/document.ts";
import type { Store } from "../../store/contract/store.ts";
import { refusedWrite } from "../errors.ts";
import { DocumentMaker, type Draft, type MakerOptions, type Prepared } from "./maker.ts";
import type { Taker } from "./taker.ts";
import { Targets, type Upcoming } from "./targets.ts";

export interface DocumentTaking extends MakerOptions {
  /** One that meets old documents in their newest form, where the collection has migrations. */
  readonly store: Store;
  readonly realm: Pick<RealmDefinition, "collections">;
  readonly upcoming: Upcoming;
  /** Of collections whose documents have files. */
  readonly ledger: FileLedger | undefined;
}

/** Takes documents of a collection. */
export function documentTaker(taking: DocumentTaking): Taker<Draft, Prepared> {
  const { store, realm, definition, mode, upcoming, ledger } = taking;
  const name = storeNameOf(definition);
  const maker = new DocumentMaker(taking);
  const targets = new Targets(store, realm, definition, upcoming);
  return {
    name,
    taken: "a document with this id exists",
    draft: (incoming) => maker.draft(incoming),
    prepared: (draft, found) => maker.prepared(draft, found),
    missing: (prepared) => targets.missing(prepared),
    reason: (error) => reasonOf(definition, error),
    ...(definition.migrations !== undefined &&
      mode !== "create" && { newest: (found) => newestOf(store, name, found) }),
    ...(ledger !== undefined && {
      async along(transaction, prepared) {
        for (const { document, expected } of prepared)
          if (expected !== undefined) await ledger.follow(transaction, name, document.id, document.text);
      },
    }),
  };
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
