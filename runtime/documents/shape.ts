/** Types of documents that emitted `types.ts` files build on. */
export type { FileObject } from "../realm/file-object.ts";

/** `_meta` of every document. */
export interface DocumentMeta {
  /** RFC 3339, UTC, milliseconds; as all timestamps here. */
  created_at: string;
  updated_at: string;
  /** 1 on create, one more at every write; documents written before versioning have none. */
  version: number;
}

/** In realms with authentication. */
export interface OwnershipMeta {
  /** Id of the user who created the document; null when nobody signed in did. */
  owner: string | null;
  /** `user:<id>`, `key:<name>` or `anonymous`. */
  created_by: string;
  updated_by: string;
}

/** On soft-deleted documents; `purge_at` where the collection has a retention. */
export interface DeletionMeta {
  deleted_at: string;
  deleted_by: string;
  purge_at: string;
}

/** In collections that use organizations; absent from documents that belong to none. */
export interface OrganizationMeta {
  /** Id of the organization, for good. */
  org: string;
}

/** In collections that use teams; absent from documents that belong to none. */
export interface TeamMeta {
  /** Id of a team of the organization, for good. */
  team: string;
}

/** On writes by triggers' runs, and by what these have run. */
export interface ChainMeta {
  chain: {
    /** Id of the job that began it. */
    root: string;
    /** 1 for the first run. */
    depth: number;
  };
}

/** What a merge patch (RFC 7396) of a `T` may hold: members left out stay, null removes. */
export type MergePatch<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? { [Member in keyof T]?: MergePatch<T[Member]> | null }
    : T;
