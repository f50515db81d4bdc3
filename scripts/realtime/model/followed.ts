import type { JsonObject } from "../../../runtime/json.ts";
import { type CollectionName, versionOf } from "./world.ts";

/** What is asked for. */
export interface Wanted {
  readonly collection: CollectionName;
  readonly where?: JsonObject;
  readonly doc?: string;
}

/** What a stream told of a document. */
export interface Told {
  readonly at: number;
  readonly event: "created" | "updated" | "removed";
  readonly collection: CollectionName;
  readonly id: string;
  readonly version: number;
  /** Undefined where it was removed. */
  readonly view: JsonObject | undefined;
}

/** One subscription as the client procedure keeps it. */
export class Followed {
  readonly wanted: Wanted;
  /** Documents by id. */
  held = new Map<string, JsonObject>();
  /** What is held is not, or no longer, what events can be applied to. */
  needsLoad = true;
  /** Events that came while it is being loaded. */
  buffered: Told[] = [];
  /** Counts loads: only the newest counts. */
  turn = 0;
  /** Whether it is on the stream that is open. */
  isOpen = false;
  /** The caller can read nothing of it. */
  isClosed = false;

  constructor(wanted: Wanted) {
    this.wanted = wanted;
  }

  apply({ event, id, version, view }: Told): void {
    const held = this.held.get(id);
    if (event === "removed") {
      if (held !== undefined && version >= versionOf(held)) this.held.delete(id);
    } else if (view !== undefined && (held === undefined || version > versionOf(held))) {
      this.held.set(id, view);
    }
  }
}
