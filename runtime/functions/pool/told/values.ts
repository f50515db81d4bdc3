/** Values of messages that a thread tells, read as a stranger's: each throws where it is none of its kind. */
import { isJsonObject, type JsonObject } from "../../../json.ts";

export function text(value: unknown): string {
  if (typeof value === "string") return value;
  throw new TypeError("what should be text is none");
}

/** A count, or milliseconds. */
export function amount(value: unknown): number {
  if (typeof value === "number" && value >= 0 && Number.isFinite(value)) return value;
  throw new TypeError("what should be a number is none");
}

export function object(value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  throw new TypeError("what should be an object is none");
}

export function oneOf<T extends string>(values: readonly T[], value: unknown): T {
  const found = values.find((each) => each === value);
  if (found !== undefined) return found;
  throw new TypeError("what should be a word is another");
}

/** What may be left out. */
export function optional<T>(read: (value: unknown) => T, value: unknown): T | undefined {
  return value === undefined ? undefined : read(value);
}
