import { pathWith } from "./calls.ts";
import type { Connected } from "./connected.ts";
import type { Connection } from "./connection.ts";
import type { ApiPromise, ErrorDetail } from "./errors.ts";
import type { RealmTypes } from "./realm.ts";
import type { RequestOptions } from "./request.ts";
import type { AdministrationError, AnyBodyError } from "./route-errors.ts";

/** What no longer fits its schema; the first 100 documents. */
export interface DocumentCheck {
  checked: number;
  invalid: number;
  documents: { id: string; details: ErrorDetail[] }[];
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
}
