/** What documents are imported from, one by one. */
import type { JsonBody } from "../../http/body.ts";

/** One document of an input, or what stands in its place. */
export interface Incoming {
  /** From 1; of one that stretches over several, the first. Of a request's documents, its place among them, from 0. */
  readonly line: number;
  /** What was read: a run that goes on sees by it that the input is still the same. */
  readonly raw: Uint8Array | string;
  /** @throws NoDocument */
  read(): JsonBody;
}

/** A line that is no document. */
export class NoDocument extends Error {}

/** A document that was not imported. */
export interface Reject {
  /** As {@link Incoming.line}. */
  readonly line: number;
  /** Null where it has none that could be read. */
  readonly id: string | null;
  readonly error: string;
}
