import type { Db, MongoClient } from "mongodb";
import type { Clock } from "../../clock.ts";
import type { Field } from "../../filter/fields.ts";
import type { Turns } from "../../turns.ts";
import type { CollectionShape } from "../contract/shape.ts";

/** What collections of one realm work with. */
export interface Engine {
  readonly client: MongoClient;
  readonly database: Db;
  readonly clock: Clock;
  /** Milliseconds that a list, a count or a write may take (`maxTimeMS`). */
  readonly queryTime: number;
  /** The same of searches and aggregations. */
  readonly searchTime: number;
  /** Of queries that may take long, so that others find a connection. */
  readonly expensive: Turns;
  /** Aborted when the store closes: what runs in the background ends, and what is waited for there is given up. */
  readonly closing: AbortSignal;
  readonly warn: Warn;
}

/** Says what went wrong where no caller hears of it. */
export type Warn = (error: unknown, message: string) => void;

export interface Provisioned {
  readonly shape: CollectionShape;
  readonly regularity: Regularity;
  /**
   * After a document was refused that has arrays under two keys of one index (CannotIndexParallelArrays, 171), which only
   * irregular documents can have: makes such indexes over fewer keys. False where that changes nothing.
   */
  readonly narrowIndexes: () => Promise<boolean>;
  readonly text: TextState;
}

/**
 * Fields are *regular* while no stored document holds anything else at their path than their declaration allows: then
 * native operators, sorts and indexes mean what the filter algebra means. Older documents may hold a number where now a
 * string is declared, an array where none is, none where one is, or a string where BSON dates are; such fields take the
 * longer way round.
 */
export interface Regularity {
  /** May change at any time: what is made of the answer is made anew then. */
  isRegular(field: Field): boolean;
  /** Of fields where a document that is about to be written is irregular; to be awaited before it is written. */
  note(fields: readonly Field[]): Promise<void>;
}

export interface TextState {
  /** @throws IndexBuilding while documents are missing from it, or while it is another declaration's */
  check(): Promise<void>;
  /** Ends what goes on in the background, such as filling it. */
  close(): Promise<void>;
}
