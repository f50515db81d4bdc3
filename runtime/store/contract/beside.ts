import type { DocumentWrite } from "./document.ts";
import type { CollectionShape } from "./shape.ts";

/** A collection as it lies in a store, whoever declares it. */
export interface KeptCollection {
  /** As in its {@link CollectionShape}: `<database>.<collection>`. */
  readonly name: string;
  /** What `scan` answers of it: deleted documents too, but for those past their `purgeAt`. */
  readonly documents: number;
}

/**
 * Reads what a realm's store holds, whoever else works on it, and whichever configuration that serves: makes nothing,
 * writes nothing, and asks for no index but that of the ids.
 */
export interface StoreReader {
  /** As `scan` of a collection that is provisioned; nothing of one that was never made. */
  scan(
    shape: CollectionShape,
    after: string | undefined,
    limit: number,
    characters?: number,
  ): Promise<readonly DocumentWrite[]>;
  /**
   * Every collection that was ever made and not dropped, the service's own (`_svc.…`) too, by name: also those that no
   * configuration has any longer.
   */
  collections(): Promise<readonly KeptCollection[]>;
  close(): Promise<void>;
}
