import type { JsonObject, JsonValue } from "../json.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import { DocumentTooLarge } from "../store/contract/errors.ts";
import { LARGEST_DOCUMENT } from "../store/writable.ts";

/**
 * A copy of what was sent to be a whole document, with the defaults of what it leaves out. Items of arrays have theirs, so that
 * a small body may stand for a large document: what no store would take is refused before it is judged and written out.
 * @throws DocumentTooLarge
 */
export function wholeOf(
  { withDefaults }: Pick<CollectionDefinition, "withDefaults">,
  members: JsonObject,
): JsonObject {
  if (withDefaults === undefined) return { ...members };
  const whole = withDefaults(members);
  if (restAfter(LARGEST_DOCUMENT, whole) < 0) throw new DocumentTooLarge();
  return whole;
}

/** What is left of so many bytes after a value, as JSON has it at least; below 0 as soon as there are too few. */
function restAfter(bytes: number, value: JsonValue | undefined): number {
  if (typeof value === "string") return bytes - value.length - 2;
  if (typeof value !== "object" || value === null) return bytes - 1;
  let rest = bytes - 2;
  if (Array.isArray(value)) {
    for (const item of value) {
      rest = restAfter(rest, item);
      if (rest < 0) break;
    }
    return rest;
  }
  for (const [name, member] of Object.entries(value)) {
    rest = restAfter(rest - name.length - 3, member);
    if (rest < 0) break;
  }
  return rest;
}
