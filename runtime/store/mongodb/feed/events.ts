import type { Document, Timestamp } from "mongodb";
import { positionOf } from "./position.ts";

/** An event as the pipeline makes it. */
export interface Event extends Document {
  readonly _id: unknown;
  readonly operationType: string;
  readonly collection?: unknown;
  readonly id?: unknown;
  readonly at?: unknown;
  readonly clusterTime?: Timestamp;
  /** Of a write of a transaction. */
  readonly txnNumber?: unknown;
  /** Before and after the change: an array, because the driver gives those of arrays as the bytes that they are. */
  readonly images?: readonly unknown[];
}

/** Writes of a transaction share the time at which it was committed, and no others of the same member have it. */
export function commitOf({ clusterTime }: Event): string {
  return clusterTime?.toString() ?? "";
}

/**
 * Whether the commit of a batch's last event may go on after it. A server ends a batch that it has not filled where it has no
 * more, and says how far it has looked; or where the next event would not fit in its answer, and then stands at the last
 * one. There it stands, too, where nothing was written since. What is no write of a transaction is a commit by itself.
 *
 * @param token where the server stands
 */
export function mayGoOn({ _id, txnNumber }: Event, token: unknown): boolean {
  return txnNumber !== undefined && positionOf(token) === positionOf(_id);
}

export const writes = ["insert", "replace", "delete"];

/** Updates are no changes: the engine makes them for itself alone. */
export function pipelineOf(collections: readonly string[], imaged: readonly string[]): Document[] {
  const followed = { $in: [...collections] };
  const events = [
    { operationType: { $in: [...writes, "drop", "rename"] }, "ns.coll": followed },
    { operationType: "rename", "to.coll": followed },
    { operationType: { $in: ["dropDatabase", "invalidate"] } },
  ];
  const facts = {
    operationType: 1,
    clusterTime: 1,
    txnNumber: 1,
    collection: "$ns.coll",
    id: "$documentKey._id",
    at: "$wallTime",
  };
  // What is told by ids does not leave the server.
  const both = ["$fullDocumentBeforeChange", "$fullDocument"];
  const images =
    imaged.length === collections.length
      ? both
      : { $cond: [{ $in: ["$ns.coll", [...imaged]] }, both, "$$REMOVE"] };
  return [{ $match: { $or: events } }, { $project: imaged.length === 0 ? facts : { ...facts, images } }];
}
