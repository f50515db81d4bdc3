/** What schemas that look at one value together say of what is inside of it. */
import type { Part, Place } from "../../../schema/place.ts";
import { branchesOf, innerOf, namedIn } from "../../../schema/walk.ts";
import { mayMatch } from "../../patterns.ts";

/** What the parts say of a member: of each, what it declares by name or pattern, else what it says of all others. */
export function memberOf(parts: readonly Part[], name: string): Place[] {
  return parts.flatMap((part) => {
    const declared = [
      ...namedIn(part, "properties").filter(([each]) => each === name),
      ...namedIn(part, "patternProperties").filter(([pattern]) => mayMatch(pattern, name)),
    ];
    return declared.length > 0 ? declared.map(([, place]) => place) : innerOf(part, "additionalProperties");
  });
}

/** What the parts say of the element at a position. */
export function elementOf(parts: readonly Part[], position: number): Place[] {
  return parts.flatMap((part) => {
    const first = branchesOf(part, "prefixItems")[position];
    return first === undefined ? innerOf(part, "items") : [first];
  });
}
