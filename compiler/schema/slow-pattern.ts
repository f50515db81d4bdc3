import type { JsonObject } from "../../runtime/json.ts";

/** `x-svc-slow-pattern: accepted` beside a `pattern`: it is matched without backtracking, in texts of bounded length. */
export const slowPatternKeyword = "x-svc-slow-pattern";

/** Code points of a text that an accepted pattern may be asked of. */
export const MAX_ACCEPTED = 256;

/** The `maxLength` within which the pattern of a schema is accepted as slow; undefined where it is not. */
export function acceptedLength(schema: JsonObject): number | undefined {
  const { [slowPatternKeyword]: accepted, maxLength } = schema;
  return accepted === "accepted" && typeof maxLength === "number" && maxLength <= MAX_ACCEPTED
    ? maxLength
    : undefined;
}
