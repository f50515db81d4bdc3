/** Why nothing fits some schemas together, as far as it shows without looking inside of values. */
import { isJsonObject } from "../../../../runtime/json.ts";
import { strings } from "../../../schema/facets.ts";
import type { Part, Place } from "../../../schema/place.ts";
import { allTypes, type JsonType } from "../../../schema/shapes.ts";
import { type Conflict, type Limit, tightest } from "./limits.ts";
import { isType } from "./refutation.ts";

/** Why nothing fits. */
export interface Misfit {
  readonly reason: string;
  /** A place in a file. */
  readonly path: string;
  readonly at: readonly string[];
  /** Where the other half of the reason stands. */
  readonly other?: { readonly path: string; readonly at: readonly string[] };
  /** What else stands against it. */
  readonly others?: readonly Misfit[];
  /** A schema that is `false`: meant to allow nothing. */
  readonly never?: true;
  /** `schema-required-field` tells it. */
  readonly told?: true;
}

/** A misfit of something inside, which is told at its own place; `false` where it is asked for. */
export function inside(found: Misfit, limit: Limit | undefined, why: string): Misfit {
  if (limit === undefined || found.never === undefined) return found;
  return {
    reason: `${why} no item is allowed there`,
    ...placeOf(limit),
    other: { path: found.path, at: found.at },
  };
}

/** More members are asked for than a closed part has names of. */
export function tooFew(parts: readonly Part[]): Misfit | undefined {
  const least = tightest(parts, "minProperties", "least");
  for (const part of parts) {
    const { properties = {}, patternProperties, additionalProperties } = part.schema;
    const isClosed = additionalProperties === false && patternProperties === undefined;
    if (least === undefined || !isClosed || !isJsonObject(properties)) continue;
    const possible = Object.values(properties).filter((each) => each !== false).length;
    if (possible >= least.value) continue;
    const reason = `minProperties is ${least.value}, and additionalProperties: false leaves ${possible}`;
    return { reason, ...placeOf(least), other: spot({ ...part, at: [...part.at, "additionalProperties"] }) };
  }
  return undefined;
}

export interface Required {
  readonly part: Part;
  readonly path: string;
  readonly at: readonly string[];
}

/** Names of members that every object has, those that other required ones ask for among them, and where each is asked for. */
export function requiredIn(parts: readonly Part[]): ReadonlyMap<string, Required> {
  const found = new Map<string, Required>();
  for (const part of parts)
    for (const [at, name] of strings(part.schema.required).entries())
      if (!found.has(name))
        found.set(name, { part, path: part.path, at: [...part.at, "required", String(at)] });
  for (const name of found.keys())
    for (const part of parts) {
      const { dependentRequired } = part.schema;
      if (!isJsonObject(dependentRequired) || !Object.hasOwn(dependentRequired, name)) continue;
      for (const [at, other] of strings(dependentRequired[name]).entries())
        if (!found.has(other))
          found.set(other, {
            part,
            path: part.path,
            at: [...part.at, "dependentRequired", name, String(at)],
          });
    }
  return found;
}

/** The types that all parts allow, or that there is none. */
export function typesOf(parts: readonly Part[]): readonly JsonType[] | Misfit {
  let allowed: readonly JsonType[] = allTypes.filter((type) => type !== "integer");
  let before: Part | undefined;
  for (const part of parts) {
    const { type } = part.schema;
    if (type === undefined) continue;
    const own = [type].flat().map(String);
    if (own.length === 0 || !own.every(isType)) continue;
    const narrowed = allowed.flatMap((each) => {
      if (own.includes(each) || (each === "integer" && own.includes("number"))) return [each];
      return each === "number" && own.includes("integer") ? ["integer" as const] : [];
    });
    if (narrowed.length === 0) {
      const reason = `type ${own.join(" or ")} excludes the type ${allowed.join(" or ")}`;
      return {
        reason,
        path: part.path,
        at: [...part.at, "type"],
        ...(before === undefined ? {} : { other: { path: before.path, at: [...before.at, "type"] } }),
      };
    }
    allowed = narrowed;
    before = part;
  }
  return allowed;
}

export function ofConflict(conflict: Conflict | undefined): Misfit | undefined {
  if (conflict === undefined) return undefined;
  const { reason, limit, other } = conflict;
  return { reason, ...placeOf(limit), ...(other === undefined ? {} : { other: placeOf(other) }) };
}

export function placeOf({ part, keyword }: Limit): { readonly path: string; readonly at: readonly string[] } {
  return { path: part.path, at: [...part.at, keyword] };
}

export function spot(place: Pick<Place, "path" | "at">): {
  readonly path: string;
  readonly at: readonly string[];
} {
  return { path: place.path, at: place.at };
}
