import { isJsonObject, type JsonObject, type JsonValue } from "../../json.ts";
import { define } from "../../merge-patch.ts";

/** Members to show, by name: wholly, or of what they hold only some members. */
export type Selection = ReadonlyMap<string, Selection | "whole">;

/** What these dotted paths select. */
export function selectionOf(paths: readonly string[]): Selection {
  const selection: Tree = new Map();
  for (const path of paths) select(selection, path.split("."));
  return selection;
}

type Tree = Map<string, Tree | "whole">;

function select(tree: Tree, [name, ...rest]: readonly string[]): void {
  if (name === undefined) return;
  const known = tree.get(name);
  if (known === "whole") return;
  if (rest.length === 0) {
    tree.set(name, "whole");
    return;
  }
  const inner: Tree = known ?? new Map();
  tree.set(name, inner);
  select(inner, rest);
}

/**
 * The selected members of an object, those that it has. A path goes through arrays into each of their elements; where a
 * scalar or null stands in its way, nothing is selected.
 */
export function selected(object: JsonObject, selection: Selection): JsonObject {
  const shown: JsonObject = {};
  for (const [name, part] of selection) {
    const value = Object.hasOwn(object, name) ? object[name] : undefined;
    if (value === undefined) continue;
    const inner = part === "whole" ? value : selectedIn(value, part);
    if (inner !== undefined) define(shown, name, inner);
  }
  return shown;
}

function selectedIn(value: JsonValue, selection: Selection): JsonValue | undefined {
  if (Array.isArray(value)) {
    return value.map((item) => selectedIn(item, selection)).filter((item) => item !== undefined);
  }
  return isJsonObject(value) ? selected(value, selection) : undefined;
}
