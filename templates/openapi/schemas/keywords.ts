import { isDescriptive } from "../../../compiler/schema/keywords.ts";
import { below, type Part, type Place } from "../../../compiler/schema/place.ts";
import { mapHeld } from "../../../compiler/schema/walk.ts";
import type { JsonValue } from "../../../runtime/json.ts";

/**
 * One keyword's value with every schema in it passed through `change`; undefined for a keyword that the description
 * leaves out: definitions, because references lead to components, and words of others, because OpenAPI may mean something
 * by them (`discriminator`, `xml`).
 */
export function mapKeyword(
  part: Part,
  keyword: string,
  change: (inner: Place) => JsonValue,
): JsonValue | undefined {
  if (!isDescriptive(keyword)) return undefined;
  const held = part.schema[keyword];
  return typeof held === "object"
    ? mapHeld(keyword, held, (schema, steps) => change(below(part, steps, schema)))
    : held;
}
