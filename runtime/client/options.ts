import type { OnceOptions } from "./connection.ts";
import type { Checked } from "./expansion.ts";
import type { IfTrait, OrderKey, Shape, Where } from "./queries.ts";
import type { RequestOptions } from "./request.ts";

export interface Page<Document> {
  items: Document[];
  limit: number;
  skip: number;
  has_more: boolean;
  /** For `after`. */
  next_cursor?: string;
  /** How many there are in all; where `count` is asked for. */
  total?: number;
}

interface ExpandOptions<S extends Shape, Entry extends string> {
  /** References whose documents are put into `_expanded`: `author`, `author(name)`, `author.company`. */
  expand?: readonly (Entry & Checked<S, Entry>)[] | undefined;
}

interface TrashOptions {
  /** Deleted documents: only these, or these as well. */
  deleted?: "only" | "include" | undefined;
}

interface LinkOptions<Version> {
  /** Whether files have `url`: where they are had without a credential, for 10 minutes. */
  file_links?: boolean | undefined;
  /** Of images: `url` is that of this version, null while it is not ready. */
  version?: Version | undefined;
}

/** Of all fields that hold files. */
type VersionsOf<S extends Shape> = S extends { files: infer Files } ? Files[keyof Files] : never;

export type ReadOptions<S extends Shape, Entry extends string> = RequestOptions &
  ExpandOptions<S, Entry> &
  ("files" extends keyof S ? LinkOptions<VersionsOf<S>> : unknown) &
  IfTrait<S, "trash", TrashOptions, unknown>;

/** What a read answered before: it comes back itself where it is still what the server would answer. */
export interface Known<T> {
  known?: T | undefined;
}

export type Query<S extends Shape, Entry extends string> = ReadOptions<S, Entry> & {
  where?: Where<S> | undefined;
  /** By creation time unless given; at most 8. */
  order_by?: readonly OrderKey<S>[] | undefined;
} & IfTrait<S, "search", { language?: string | undefined }, unknown> &
  BelongingOptions<S>;

/** Ids of an organization and of one of its teams, where documents belong to any. */
export type BelongingOptions<S extends Shape> = IfTrait<
  S,
  "organization",
  { org?: string | undefined },
  unknown
> &
  IfTrait<S, "team", { team?: string | undefined }, unknown>;

/** The organization and the team that a new document belongs to, for good. */
type CreateOptions<S extends Shape> = OnceOptions &
  BelongingOptions<S> &
  IfTrait<
    S,
    "organization_required",
    { org: string } & IfTrait<S, "team_required", { team: string }, unknown>,
    unknown
  >;

/** They can be left out where none is required. */
export type CreateArguments<S extends Shape> = IfTrait<
  S,
  "organization_required",
  [options: CreateOptions<S>],
  [options?: CreateOptions<S>]
>;

export interface Paging {
  /** 1-100, default 20. */
  limit?: number | undefined;
  skip?: number | undefined;
  /** `next_cursor` of the page before. */
  after?: string | undefined;
  /** Whether to count all that there are. */
  count?: boolean | undefined;
}

export interface WriteOptions extends RequestOptions {
  /** The version that the write is meant for, or a document of that version; other versions are left alone. */
  ifMatch?: number | "*" | { readonly id: string; readonly _meta: object } | undefined;
}

export interface UpdateOptions extends RequestOptions {
  /** How often to start again when others write at the same time; default 5 attempts in all. */
  attempts?: number | undefined;
}
