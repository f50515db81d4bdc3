/** `x-svc-store: date` stands where the server can find the value, and all branches agree on it. */
import type { JsonObject, JsonValue } from "../../../runtime/json.ts";
import { diagnose } from "../../diagnostics/catalogue.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { isPart, keyOf, type Place, referred } from "../../schema/place.ts";
import { declaring } from "../../schema/shapes.ts";
import { childrenOf } from "../../schema/walk.ts";
import type { CollectionCheck, ModelledRealm } from "../../settings/subject.ts";
import { spanAt } from "./spans.ts";

/** `root` is the schema of documents, or, inside of settings, of what stores no dates: `why`. */
export function datePlacement(
  root: Place,
  { files, faults }: Pick<ModelledRealm, "files" | "faults">,
  why = "the users' profile stores no dates",
): Diagnostic[] {
  const found: Diagnostic[] = [];
  const seen = new Set<string>();
  const waiting: Reached[] = [{ place: root, declared: root.at.length === 0, why }];
  for (const next of waiting) visit(next);
  return found;

  function visit({ place, declared, why }: Reached): void {
    const key = `${declared} ${keyOf(place)}`;
    if (seen.has(key) || !isPart(place)) return;
    seen.add(key);
    const { schema } = place;
    const isKnown = ["type", "format", "x-svc-store"].every(
      (keyword) => !faults.touch(place.path, [...place.at, keyword]),
    );
    const problem = schema["x-svc-store"] === undefined ? undefined : declared ? valueProblem(schema) : why;
    if (problem !== undefined && (isKnown || !declared))
      found.push(
        diagnose("schema-date-placement", spanAt(files, place, ["x-svc-store"], "key"), { problem }),
      );
    for (const child of childrenOf(place)) {
      if (child.keyword === "$defs") continue;
      const reason = declared ? `fields under ${child.keyword} are not declared` : why;
      waiting.push({ place: child, declared: declared && declaring.has(child.keyword), why: reason });
    }
    const target = referred(place);
    if (target !== undefined) waiting.push({ place: target, declared, why });
  }
}

interface Reached {
  readonly place: Place;
  /** Whether fields are declared here; `why` not. */
  readonly declared: boolean;
  readonly why: string;
}

function valueProblem({ type, format }: JsonObject): string | undefined {
  const types: readonly JsonValue[] = Array.isArray(type) ? type : [type ?? ""];
  const isString = types.includes("string") && types.every((each) => each === "string" || each === "null");
  if (!isString) return 'it needs "type": "string" or ["string", "null"] beside it';
  if (format !== "date-time" && format !== "date")
    return 'it needs "format": "date-time" or "date" beside it';
  return undefined;
}

/** One branch stores a date, another something else. */
export const dateAgreement: CollectionCheck = ({ disagreements, collection }) =>
  (disagreements.get(`${collection.database}/${collection.name}`) ?? []).map(({ path, stores, span }) => {
    const [one = "", other = ""] = stores
      .map((store) => (store === "plain" ? "a plain string" : `a stored ${store}`))
      .sort()
      .reverse();
    return diagnose("schema-date-conflict", span, { field: path, one, other });
  });
