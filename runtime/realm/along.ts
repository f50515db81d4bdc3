import type { ChainStep } from "../store/contract/chain.ts";
import type { StoredDocument } from "../store/contract/document.ts";

/** Reads that go along with those of a caller's records, where the store is shared and each would be a round trip. */
export interface Along {
  /**
   * @param user the value, in the chain of reads, that names the caller's user; undefined: there is none
   * @param at how many steps stand before these
   */
  steps(user: ChainStep["value"] | undefined, at: number): readonly ChainStep[];
  /** @param found by each of the steps */
  found(found: readonly (readonly StoredDocument[])[]): void;
}
