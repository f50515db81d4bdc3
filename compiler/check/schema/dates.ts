/** `x-svc-store: date` stands where the server can find the value, and all branches agree on it. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../runtime/json.ts";
import { diagnose } from "../../diagnostics/catalogue.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { targetOf, valueAt } from "../../model/pointers.ts";
import { subschemas } from "../../model/subschemas.ts";
import type { CollectionCheck, ModelledRealm } from "../../settings/subject.ts";
import { locate, pathOf, pointerOf, type SourceFile } from "../../source/source.ts";

/** Keywords through which declared fields are reached. */
const declaring: ReadonlySet<string> = new Set([
  "properties",
  "items",
  "prefixItems",
  "allOf",
  "anyOf",
  "oneOf",
]);

/** `root` is the schema of documents, or, at `at`, of profiles, which store no dates. */
export function datePlacement(
  root: SourceFile,
  at: readonly string[],
  { files, faults }: Pick<ModelledRealm, "files" | "faults">,
): Diagnostic[] {
  const found: Diagnostic[] = [];
  const seen = new Set<string>();
  const waiting: Place[] = [
    { file: root, place: at, declared: at.length === 0, why: "the users' profile stores no dates" },
  ];
  for (const next of waiting) visit(next);
  return found;

  function visit({ file, place, declared, why }: Place): void {
    const key = `${declared} ${file.path}#${pointerOf(place)}`;
    const schema: JsonValue | undefined = valueAt(file.value, pointerOf(place));
    if (seen.has(key) || !isJsonObject(schema)) return;
    seen.add(key);
    const isKnown = ["type", "format", "x-svc-store"].every(
      (keyword) => !faults.touch(file.path, [...place, keyword]),
    );
    const problem = schema["x-svc-store"] === undefined ? undefined : declared ? valueProblem(schema) : why;
    if (problem !== undefined && (isKnown || !declared))
      found.push(
        diagnose("schema-date-placement", locate(file, [...place, "x-svc-store"], "key"), { problem }),
      );
    for (const each of subschemas(schema)) {
      if (each.keyword === "$defs") continue;
      const inside = declared && declaring.has(each.keyword);
      const reason = declared ? `fields under ${each.keyword} are not declared` : why;
      waiting.push({ file, place: [...place, ...each.path], declared: inside, why: reason });
    }
    const target = typeof schema.$ref === "string" ? targetOf(schema.$ref, file.path) : undefined;
    const next = target === undefined ? undefined : files.get(target.path);
    if (target !== undefined && next !== undefined)
      waiting.push({ file: next, place: pathOf(target.pointer), declared, why });
  }
}

interface Place {
  readonly file: SourceFile;
  readonly place: readonly string[];
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
