import { diagnose } from "../../diagnostics/catalogue.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { isPart, type Place, referred } from "../../schema/place.ts";
import type { ModelledRealm } from "../../settings/subject.ts";
import { spanAt } from "./spans.ts";

/**
 * A schema of documents says `type: object` itself; one of profiles, which stands inside of realm.yaml, may leave that to
 * the schema that it refers to. `what`: of whom, for the message.
 */
export function objectAtTop(
  place: Place,
  what: string,
  { files, faults }: Pick<ModelledRealm, "files" | "faults">,
): Diagnostic[] {
  if (["type", "$ref"].some((keyword) => faults.touch(place.path, [...place.at, keyword]))) return [];
  if (saysObject(place) || (place.at.length > 0 && isPart(place) && saysObject(referred(place)))) return [];
  const hasType = isPart(place) && place.schema.type !== undefined;
  return [diagnose("schema-not-object", spanAt(files, place, hasType ? ["type"] : []), { what })];
}

function saysObject(place: Place | undefined): boolean {
  return place !== undefined && isPart(place) && place.schema.type === "object";
}
