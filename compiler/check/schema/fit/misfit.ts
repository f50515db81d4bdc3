/**
 * Schemas that no value fits. What is told surely holds; of what cannot be judged (`not`, `if`, `unevaluated…`, recursion without
 * an end) nothing is.
 */
import { isJsonObject, type JsonObject, type JsonValue } from "../../../../runtime/json.ts";
import { keyOf, type Part, type Place } from "../../../schema/place.ts";
import type { JsonType } from "../../../schema/shapes.ts";
import { branchesOf, type Conjuncts, conjunctsOf, innerOf } from "../../../schema/walk.ts";
import { above, countConflict, numberConflict, tightest } from "./limits.ts";
import { elementOf, memberOf } from "./places.ts";
import {
  inside,
  type Misfit,
  ofConflict,
  placeOf,
  type Required,
  requiredIn,
  spot,
  tooFew,
  typesOf,
} from "./reasons.ts";
import { refutation, shown } from "./refutation.ts";

/** Levels of members, elements and branches that are looked at. */
const DEEPEST = 8;
/** Looks at groups of schemas that one question may take. */
const MOST_LOOKS = 2_000;

export interface Fitting {
  readonly misfitOf: (place: Place) => Misfit | undefined;
}

/** What it finds is remembered for as long as the documents are the same. */
export function fitting(): Fitting {
  const known = new Map<string, Misfit | undefined>();
  const numbers = new Map<JsonObject, number>();
  let looks = 0;
  /** How often something was not looked at. */
  let cuts = 0;
  return {
    misfitOf: (place) => {
      looks = 0;
      return ofAll([place], 0);
    },
  };

  function numberOf(place: Place): number | string {
    const { schema } = place;
    if (!isJsonObject(schema)) return keyOf(place);
    const number = numbers.get(schema) ?? numbers.size;
    numbers.set(schema, number);
    return number;
  }

  function ofAll(places: readonly Place[], depth: number): Misfit | undefined {
    if (places.length === 0 || isTooFar(depth)) return undefined;
    const key = places.map(numberOf).join(" ");
    const here = `${key} at ${depth}`;
    if (known.has(key)) return known.get(key);
    if (known.has(here)) return known.get(here);
    const before = cuts;
    const conjuncts = conjunctsOf(places);
    const found = own(conjuncts, depth) ?? ofBranches(conjuncts.parts, conjuncts.parts, depth);
    // What was not looked at for its depth may be looked at from elsewhere.
    known.set(cuts === before ? key : here, found);
    // What fits all of them fits each.
    if (cuts === before && found === undefined)
      for (const part of conjuncts.parts) known.set(String(numberOf(part)), undefined);
    return found;
  }

  function isTooFar(depth: number): boolean {
    looks += 1;
    if (depth <= DEEPEST && looks <= MOST_LOOKS) return false;
    cuts += 1;
    return true;
  }

  /** What the parts say without their `anyOf` and `oneOf`. */
  function own({ parts, never }: Conjuncts, depth: number): Misfit | undefined {
    const [refused] = never;
    if (refused !== undefined) return { reason: "false allows no value", ...spot(refused), never: true };
    const listed = listedMisfit(parts);
    if (listed !== undefined) return listed;
    const types = typesOf(parts);
    if ("reason" in types) return types;
    let first: Misfit | undefined;
    for (const type of types) {
      const found = ofType(type, parts, depth);
      if (found === undefined) return undefined;
      first ??= found;
    }
    return first;
  }

  /** Each branch of an `anyOf` or `oneOf`, with all that stands beside it. */
  function ofBranches(from: readonly Part[], all: readonly Part[], depth: number): Misfit | undefined {
    for (const part of from)
      for (const keyword of ["anyOf", "oneOf"]) {
        const branches = branchesOf(part, keyword);
        if (branches.length === 0) continue;
        let last: Misfit | undefined;
        const none = branches.every((branch) => {
          if (isTooFar(depth + 1)) return false;
          const added = conjunctsOf([branch]);
          const together = { parts: [...all, ...added.parts], never: added.never };
          last = own(together, depth + 1) ?? ofBranches(added.parts, together.parts, depth + 1);
          return last !== undefined;
        });
        if (!none || last === undefined) continue;
        if (branches.length === 1) return last;
        return {
          reason: `no branch of ${keyword} can fit: ${last.reason}`,
          path: part.path,
          at: [...part.at, keyword],
        };
      }
    return undefined;
  }

  function listedMisfit(parts: readonly Part[]): Misfit | undefined {
    for (const part of parts) {
      const { const: only, enum: listed } = part.schema;
      const keyword = only !== undefined ? "const" : "enum";
      const values: readonly JsonValue[] | undefined =
        only !== undefined ? [only] : Array.isArray(listed) ? listed : undefined;
      if (values === undefined) continue;
      const problem = firstProblem(values, parts);
      if (problem === undefined) continue;
      const reason =
        keyword === "const" || values.length === 1
          ? `${shown(values[0] ?? null)} ${problem}`
          : `no value of the enum fits: ${shown(values[0] ?? null)} ${problem}`;
      return { reason, path: part.path, at: [...part.at, keyword] };
    }
    return undefined;
  }

  /** What is wrong with the first value, where something is wrong with each. */
  function firstProblem(values: readonly JsonValue[], parts: readonly Part[]): string | undefined {
    let first: string | undefined;
    for (const value of values) {
      const problem = refutation(value, parts);
      if (problem === undefined) return undefined;
      first ??= problem;
    }
    return first ?? "is not allowed";
  }

  function ofType(type: JsonType, parts: readonly Part[], depth: number): Misfit | undefined {
    switch (type) {
      case "integer":
      case "number":
        return ofConflict(numberConflict(parts, type === "integer"));
      case "string":
        return ofConflict(countConflict(parts, "Length"));
      case "array":
        return ofArrays(parts, depth);
      case "object":
        return ofObjects(parts, depth);
      default:
        return undefined;
    }
  }

  function ofArrays(parts: readonly Part[], depth: number): Misfit | undefined {
    const least = tightest(parts, "minItems", "least");
    const most = tightest(parts, "maxItems", "most");
    const counts = ofConflict(countConflict(parts, "Items"));
    if (counts !== undefined) return counts;
    for (let position = 0; position < Math.min(least?.value ?? 0, 50); position += 1) {
      const found = ofAll(elementOf(parts, position), depth + 1);
      if (found !== undefined) return inside(found, least, `minItems asks for ${least?.value}, and`);
    }
    for (const part of parts) {
      const [contained] = innerOf(part, "contains");
      const asked = part.schema.minContains;
      const wanted = typeof asked === "number" ? asked : 1;
      if (contained === undefined || wanted === 0) continue;
      const limit = { part, keyword: asked === undefined ? "contains" : "minContains", value: wanted };
      if (most !== undefined && wanted > most.value) return ofConflict(above(limit, most));
      const conflict = countConflict([part], "Contains");
      if (conflict !== undefined) return ofConflict(conflict);
      const found = ofAll([contained], depth + 1);
      if (found !== undefined) return inside(found, limit, "an item must match contains, and");
    }
    return undefined;
  }

  /** All that stands against objects. */
  function ofObjects(parts: readonly Part[], depth: number): Misfit | undefined {
    const required = requiredIn(parts);
    const most = tightest(parts, "maxProperties", "most");
    const [asked] = required.values();
    const tooMany: Misfit | undefined =
      most === undefined || asked === undefined || required.size <= most.value
        ? undefined
        : {
            reason: `${required.size} members are required, and maxProperties is ${most.value}`,
            ...placeOf(most),
            other: spot(asked),
          };
    const members = [...required].map(([name, where]) => ofMember(name, where, parts, depth));
    const found = [ofConflict(countConflict(parts, "Properties")), tooMany, tooFew(parts), ...members];
    const [first, ...others] = found.flatMap((each) => each ?? []);
    return first === undefined || others.length === 0 ? first : { ...first, others };
  }

  function ofMember(
    name: string,
    where: Required,
    parts: readonly Part[],
    depth: number,
  ): Misfit | undefined {
    for (const part of parts) {
      const names = innerOf(part, "propertyNames");
      const problem = names.length === 0 ? undefined : refutation(name, names);
      if (problem !== undefined)
        return { reason: `'${name}' is required, and as a name it ${problem}`, ...spot(where) };
    }
    const found = ofAll(memberOf(parts, name), depth + 1);
    if (found?.never === undefined) return found;
    const { path, at } = found;
    const closing = (part: Part): boolean =>
      keyOf({ ...part, at: [...part.at, "additionalProperties"] }) === keyOf({ path, at });
    const closed = parts.some(closing);
    const told = closing(where.part);
    const reason = `'${name}' is required, and ${closed ? "additionalProperties: false does not allow it" : "its schema is false"}`;
    return { reason, ...spot(where), other: { path, at }, ...(told ? { told } : {}) };
  }
}
