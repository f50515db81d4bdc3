/** How far the import of an input has come. */
import { isJsonObject, type JsonValue } from "../../json.ts";

export interface Counts {
  readonly created: number;
  readonly replaced: number;
  readonly rejected: number;
}

/** A place in an input. */
export interface Mark {
  /** Documents, and what stands in their places, that are done with. */
  readonly read: number;
  /** SHA-256 of these as they were read, in hexadecimal. */
  readonly sha256: string;
  /** The line of the last one. */
  readonly line: number;
}

export interface Position extends Counts, Mark {
  /** What was asked for: an import goes on only as it began. */
  readonly asked: string;
  /** Bytes of the file of rejected ones. */
  readonly rejects: number;
  readonly isDone: boolean;
}

export const beginning = {
  ...{ read: 0, sha256: "", line: 0 },
  ...{ created: 0, replaced: 0, rejected: 0 },
  rejects: 0,
  isDone: false,
};

/** As it was kept; undefined for what is none. */
export function positionIn(record: JsonValue | undefined): Position | undefined {
  if (!isJsonObject(record)) return undefined;
  const { asked, read, sha256, line, rejects, isDone, created, replaced, rejected } = record;
  const isRead =
    typeof asked === "string" &&
    typeof sha256 === "string" &&
    typeof read === "number" &&
    typeof line === "number" &&
    typeof rejects === "number" &&
    typeof created === "number" &&
    typeof replaced === "number" &&
    typeof rejected === "number" &&
    typeof isDone === "boolean";
  return isRead ? { asked, read, sha256, line, rejects, isDone, created, replaced, rejected } : undefined;
}

export function counted(before: Counts, { created, replaced, rejected }: Counts): Counts {
  return {
    created: before.created + created,
    replaced: before.replaced + replaced,
    rejected: before.rejected + rejected,
  };
}
