/** How a realm's files are measured. */
export interface FileMetrics {
  /** An upload is over: stored, refused, or failed since the client or the storage did. */
  uploaded(realm: string, outcome: "stored" | "refused" | "failed"): void;
  /** Bytes were written to the storage. */
  stored(realm: string, bytes: number): void;
  /** The sweep removed bytes that no document named. */
  swept(realm: string, bytes: number): void;
}
