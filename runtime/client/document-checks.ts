import { pathWith } from "./calls.ts";
import type { Connected } from "./connected.ts";
import type { Connection } from "./connection.ts";
import type { ApiPromise, ErrorDetail } from "./errors.ts";
import type { RealmTypes } from "./realm.ts";
import type { RequestOptions } from "./request.ts";
import type { AdministrationError, AnyBodyError, BodyError } from "./route-errors.ts";

/** What no longer fits its schema; the first 100 documents. */
export interface DocumentCheck {
  checked: number;
  invalid: number;
  documents: { id: string; details: ErrorDetail[] }[];
}

/** Documents that an administrator imports. */
export interface DocumentImport {
  /** Of documents whose id there is; default: they are rejected. */
  mode?: "create" | "replace" | "merge" | undefined;
  /** `_meta` of each is kept as it comes; default: false. */
  meta?: boolean | undefined;
  /** At most 1,000. */
  documents: readonly object[];
  /** What they refer to and later requests bring. */
  upcoming?: readonly { collection: string; key: string; values: readonly string[] }[] | undefined;
  /** `number` counts the import's requests from 1: each is done once, however often it is sent. */
  position?: { import: string; number: number; state: object | null } | undefined;
}

/** What has become of them. */
export interface DocumentsImported {
  written: number;
  /** Of these, in the place of others. */
  replaced: number;
  /** `at` counts the documents from 0. */
  rejected: { at: number; id: string | null; error: string }[];
  position?: {
    import: string;
    number: number;
    state: Record<string, unknown>;
    created: number;
    replaced: number;
    rejected: number;
  };
}

/** Administration of the documents of any collection. */
export class DocumentChecks<R extends RealmTypes> {
  readonly #connection: Connection;

  constructor({ connection }: Connected<R>) {
    this.#connection = connection;
  }

  /** Finds documents that no longer fit the schema. */
  checkDocuments(
    database: string,
    collection: string,
    options?: RequestOptions,
  ): ApiPromise<DocumentCheck, AdministrationError<R> | AnyBodyError> {
    const path = pathWith`_admin/data/${database}/${collection}/_check`;
    return this.#connection.call({ method: "POST", path, options });
  }

  /** Writes documents with their ids, in one transaction, and says which of them were rejected. */
  importDocuments(
    database: string,
    collection: string,
    body: DocumentImport,
    options?: RequestOptions,
  ): ApiPromise<DocumentsImported, AdministrationError<R> | BodyError | "conflict" | "write_conflict"> {
    const path = pathWith`_admin/data/${database}/${collection}/_import`;
    return this.#connection.call({ method: "POST", path, body, options });
  }
}
