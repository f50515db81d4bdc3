export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object; members may be missing. */
export interface JsonObject {
  [member: string]: JsonValue | undefined;
}

/** True for `{…}`; false for arrays, null and scalars. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The object that a text is in JSON; undefined where it is something else, or no JSON. */
export function objectIn(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Why an integer that a double may hold for others too is refused. */
export const beyondSafeIntegers = `integers must be within ±${Number.MAX_SAFE_INTEGER}`;
