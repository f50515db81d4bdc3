import type { ResumableRecord } from "../../documents/files/records.ts";
import type { Added } from "./adding.ts";
import { offsetOf } from "./records.ts";

/** What answers say of where an upload stands. @param tells whether its offset is told, too */
export function progress({ offset, until, done }: Added, tells: boolean): Readonly<Record<string, string>> {
  return {
    ...(tells && { "upload-offset": String(offset) }),
    ...(done === undefined
      ? { "upload-expires": new Date(until).toUTCString() }
      : { "x-svc-file": done.headers.location, etag: done.headers.etag }),
  };
}

/** Where a stored upload stands. */
export function answered(record: ResumableRecord): Added {
  const { state, until } = record;
  const stands = { offset: offsetOf(record), until };
  if (state.kind !== "done") return stands;
  const { file, location, etag } = state;
  return { ...stands, done: { status: 201, body: file, headers: { location, etag } } };
}
