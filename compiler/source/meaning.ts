import { createHash } from "node:crypto";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";

/** SHA-256, hex, of a value in canonical JSON: comments, layout and the order of members do not count. */
export function meaningOf(value: JsonValue): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}

/** The same of a handler's code. */
export function meaningOfCode(text: string): string {
  return `${code}${meaningOf(text)}`;
}

export function isMeaningOfCode(meaning: string): boolean {
  return meaning.startsWith(code);
}

const code = "code ";

export function canonicalJson(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value ?? null);
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`).join(",")}}`;
}

/** The same value with the members of its objects, at every depth, sorted by name. */
export function sortedMembers(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((name) => [name, sortedInside(value[name])]),
  );
}

function sortedInside(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) return value.map((each: JsonValue) => sortedInside(each) ?? null);
  return isJsonObject(value) ? sortedMembers(value) : value;
}
