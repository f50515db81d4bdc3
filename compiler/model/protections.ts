import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import { objectOf } from "./given.ts";

/** What hides a member of stored documents. */
export interface Protection {
  readonly path: string;
  /** The text of its read rule. */
  readonly read: string;
}

/** The read rules of fields in a collection.yaml; `true` hides nothing. */
export function protectionsIn(settings: JsonObject | undefined): Protection[] {
  return Object.entries(objectOf(settings?.fields)).flatMap(([path, rules]) => {
    const read = isJsonObject(rules) ? rules.read : undefined;
    if (typeof read !== "string" && typeof read !== "boolean") return [];
    return String(read).trim() === "true" ? [] : [{ path, read: String(read) }];
  });
}
