import type { ErrorCode } from "../error-codes.ts";

/** How the files of one realm are measured. */
export interface FileMetrics {
  /** An upload is over: stored, refused, or failed since the client or the storage did. */
  uploaded(outcome: "stored" | "refused" | "failed"): void;
  /** Why an upload was not stored, or a download not sent whole. */
  failed(operation: "upload" | "download", reason: FileFailure): void;
  /** A download is over; so many bytes of the file were sent. */
  sent(bytes: number): void;
  /** Bytes were written to the storage. */
  stored(bytes: number): void;
  /** The sweep removed bytes that no document named. */
  swept(bytes: number): void;
  /** A version of an image was made, or cannot be. */
  rendered(outcome: "made" | "failed"): void;
  /** What documents name now, read when somebody looks; what cannot be read is left out. To be said once. */
  standing(driver: string, read: () => Promise<Standing>): void;
}

/** `cut_off`: the client went away, or what was read broke off. */
export type FileFailure = ErrorCode | "cut_off";

export interface Standing {
  readonly bytes: number;
  readonly files: number;
}
