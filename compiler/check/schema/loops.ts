/** A schema that leads back to itself without going into the value: a validator would never end. */
import { diagnose } from "../../diagnostics/catalogue.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { keyword } from "../../schema/keywords.ts";
import { isPart, keyOf, type Place, referred } from "../../schema/place.ts";
import { childrenOf, schemasIn } from "../../schema/walk.ts";
import { type Files, spanAt } from "./spans.ts";

/** Longer ways are not followed; schemas that have them are refused as too large. */
const MAX_WAY = 500;

export function referenceLoops(sites: readonly Place[], files: Files): Diagnostic[] {
  const found: Diagnostic[] = [];
  const done = new Set<string>();
  for (const site of sites) for (const part of schemasIn(site)) follow(part, []);
  return found;

  /** `way`: the schemas passed through without going into the value. */
  function follow(place: Place, way: readonly string[]): void {
    const key = keyOf(place);
    if (done.has(key) || !isPart(place) || way.length > MAX_WAY) return;
    const target = referred(place);
    const passed = [...way, key];
    if (target !== undefined) {
      if (passed.includes(keyOf(target)))
        found.push(diagnose("ref-loop", spanAt(files, place, ["$ref"]), {}));
      else follow(target, passed);
    }
    for (const child of childrenOf(place)) if (keyword(child.keyword).inPlace) follow(child, passed);
    done.add(key);
  }
}
