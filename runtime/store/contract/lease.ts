export interface Lease {
  readonly name: string;
  /**
   * Fences off whoever lost the lease without knowing: given to `transaction`, nothing is committed then. What is harmless
   * when two do it, and what the version of a document guards, needs none.
   */
  readonly token: string;
  /** Holds it for another `ttl`; false when it was lost meanwhile. */
  renew(): Promise<boolean>;
  release(): Promise<void>;
}
