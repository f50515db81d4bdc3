/** Schemas without the files around them. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { pointerOf } from "../source/source.ts";
import { below, isPart, keyOf, type Place, placeOf, referred, type Schema } from "./place.ts";
import { mapHeld } from "./walk.ts";

/** The same as one document: what its `$ref`s reach in other files stands under its own `$defs`. */
export function selfContained(schema: Schema): JsonObject {
  const root = placeOf(schema);
  const own = isJsonObject(root.schema) ? root.schema : {};
  const taken = new Set(Object.keys(isJsonObject(own.$defs) ? own.$defs : {}));
  /** Names of what was reached, by their places. */
  const names = new Map<string, string>();
  const reached: [string, JsonValue][] = [];
  const waiting: [string, Place][] = [];
  const document = rewritten(root);
  for (const [name, place] of waiting) reached.push([name, rewritten(place)]);
  const result = isJsonObject(document) ? document : {};
  if (reached.length === 0) return result;
  const defs = isJsonObject(result.$defs) ? result.$defs : {};
  return { ...result, $defs: { ...defs, ...Object.fromEntries(reached) } };

  function rewritten(place: Place): JsonValue {
    if (!isPart(place)) return place.schema;
    return Object.fromEntries(
      Object.entries(place.schema).map(([name, held]) => [
        name,
        name === "$ref"
          ? refOf(referred(place), held)
          : mapHeld(name, held, (inner, steps) => rewritten(below(place, steps, inner))),
      ]),
    );
  }

  function refOf(target: Place | undefined, written: JsonValue | undefined): JsonValue | undefined {
    if (target === undefined) return written;
    if (target.path === schema.path && isInside(target))
      return `#${pointerOf(target.at.slice(root.at.length))}`;
    const key = keyOf(target);
    const known = names.get(key);
    const name = known ?? freeName(target);
    if (known === undefined) {
      names.set(key, name);
      waiting.push([name, target]);
    }
    return `#${pointerOf(["$defs", name])}`;
  }

  /** What stands in the schema itself stays there. */
  function isInside({ at }: Place): boolean {
    return root.at.every((step, depth) => at[depth] === step);
  }

  function freeName({ path, at }: Place): string {
    const file = path.slice(path.lastIndexOf("/") + 1).replace(/\..*$/, "");
    const stem = at.at(-1) ?? file;
    let name = stem;
    for (let count = 2; taken.has(name); count++) name = `${stem}${count}`;
    taken.add(name);
    return name;
  }
}
