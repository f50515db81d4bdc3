import { createHash } from "node:crypto";
import { isJsonObject, type JsonValue } from "../../runtime/json.ts";

/** SHA-256, hex, of a value in canonical JSON: comments, layout and the order of members do not count. */
export function meaningOf(value: JsonValue): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}

export function canonicalJson(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`).join(",")}}`;
}
