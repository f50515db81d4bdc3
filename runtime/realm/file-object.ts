/** Apart, since clients have it, which know nothing of servers. */

/** A file as documents name it (files.md, "The file object"). `Version`: names of its field's versions. */
export interface FileObject<Version extends string = string> {
  readonly id: string;
  readonly name: string;
  /** Media type. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  /** Pixels; of images. */
  readonly width?: number;
  readonly height?: number;
  /**
   * Of images in fields with versions, by their names. Those that were declared after the file came are not among them:
   * they are made when they are asked for.
   */
  readonly versions?: { readonly [Name in Version]?: VersionState };
  readonly created_at: string;
  /** Absent in realms with `auth: disabled`. */
  readonly created_by?: string;
  /** Where `file_links=true` asked for it, never stored: a signed address; null of a version that is not ready. */
  readonly url?: string | null;
}

export type VersionState = "ready" | "pending" | "failed";
