import type { AnyErrorCode } from "./codes.ts";
import type { Connected } from "./connected.ts";
import type { OnceOptions } from "./connection.ts";
import { belonging, type CollectionOf, type CreateError, type Sender, type WriteError } from "./documents.ts";
import type { ApiPromise } from "./errors.ts";
import type { BelongingOptions } from "./options.ts";
import type { IfTrait, Shape } from "./queries.ts";
import type { RealmTypes } from "./realm.ts";

/** The shapes of a database's collections, by name. */
type ShapesByName = Record<string, Shape>;

/** What a batch can do; `if_match` is a version, or `*`. */
export type BatchOperation<All extends ShapesByName> = {
  [Name in keyof All & string]:
    | ({ op: "create"; collection: Name; document: All[Name]["content"] } & IfTrait<
        All[Name],
        "custom_id",
        { id: string },
        unknown
      >)
    | { op: "replace"; collection: Name; id: string; document: All[Name]["content"]; if_match?: string }
    | { op: "patch"; collection: Name; id: string; patch: All[Name]["patch"]; if_match?: string }
    | { op: "delete"; collection: Name; id: string; if_match?: string };
}[keyof All & string];

/** One for each operation: the document as it is then, or the id of one that was deleted. */
export type BatchResults<All extends ShapesByName, Operations extends readonly BatchOperation<All>[]> = {
  -readonly [At in keyof Operations]: Operations[At] extends { op: "delete" }
    ? { id: string }
    : All[Operations[At]["collection"]]["document"];
};

export type BatchError<All extends ShapesByName> = {
  [Name in keyof All]: CreateError<All[Name]> | WriteError<All[Name]>;
}[keyof All];

/** The organization and the team that all new documents belong to. */
type BatchOptions<All extends ShapesByName> = OnceOptions & BelongingOptions<All[keyof All]>;

export interface Batching<All extends ShapesByName, Further extends AnyErrorCode = never> {
  /**
   * All of these operations, in order, or none: at most 100. The details of an error name the operation by its position,
   * from 0.
   */
  $batch<const Operations extends readonly BatchOperation<All>[]>(
    operations: Operations,
    options?: BatchOptions<All>,
  ): ApiPromise<BatchResults<All, Operations>, BatchError<All> | Further>;
}

/** Every collection by database and name. */
export type DatabasesOf<All extends Record<string, ShapesByName>, Further extends AnyErrorCode> = {
  readonly [Database in keyof All]: Batching<All[Database], Further> & {
    readonly [Name in keyof All[Database]]: CollectionOf<All[Database][Name], Further>;
  };
};

/** `$batch` of one database. */
export function batches<
  R extends RealmTypes,
  Further extends AnyErrorCode,
  Database extends keyof R["shapes"] & string,
>({ connection, base }: Connected<R, Further>, database: Database): Batching<R["shapes"][Database], Further> {
  return {
    $batch<const Operations extends readonly BatchOperation<R["shapes"][Database]>[]>(
      operations: Operations,
      options?: BatchOptions<R["shapes"][Database]>,
    ) {
      return sendBatch<
        BatchResults<R["shapes"][Database], Operations>,
        BatchError<R["shapes"][Database]> | Further
      >(connection, `${base}${database}`, operations, options);
    },
  };
}

/** @param database its path below `/v1/{realm}/` */
export function sendBatch<Results, Code extends AnyErrorCode>(
  sender: Sender,
  database: string,
  operations: readonly object[],
  options?: OnceOptions & { org?: string | undefined; team?: string | undefined },
): ApiPromise<Results, Code> {
  return sender
    .once<{ results: Results }, Code>({
      method: "POST",
      path: `${database}/_batch`,
      query: belonging(options),
      body: { operations },
      options,
    })
    .then(({ results }) => results);
}
