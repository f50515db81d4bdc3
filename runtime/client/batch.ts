import type { AnyErrorCode } from "./codes.ts";
import type { Connected } from "./connected.ts";
import type { OnceOptions } from "./connection.ts";
import { belonging, type CollectionOf, type CreateError, type Sender, type WriteError } from "./documents.ts";
import type { ApiPromise } from "./errors.ts";
import type { BatchOperation, BatchResults, ShapesByName } from "./operations.ts";
import type { BelongingOptions } from "./options.ts";
import type { RealmTypes } from "./realm.ts";

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
