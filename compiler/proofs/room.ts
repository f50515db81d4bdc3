/** What schemas leave room for: which documents, and what is written to them, witnesses and proofs may speak of. */
import type { Scalar } from "../../runtime/filter/algebra.ts";
import type { JsonObject, JsonValue } from "../../runtime/json.ts";
import { kept } from "../../runtime/kept.ts";
import { isScalar } from "../../runtime/rules/values.ts";
import type { Collection } from "../model/model.ts";
import type { Asked } from "../rules/form/evaluate.ts";
import { type Facets, facetsOf } from "../schema/facets.ts";
import { partValidator } from "../schema/partial.ts";
import { isPart, type Place, placeOf, type Schema } from "../schema/place.ts";
import { place } from "./place.ts";

export interface Room {
  /** Whether there may be one with these members, and others that are not said. */
  fits(read: Pick<Asked, "root">, members: JsonObject): boolean;
  /** Whether this may stand there, as far as types, ranges of numbers and required members tell; undefined stands for absent. */
  mayHold(read: Asked, value: Scalar | undefined): boolean;
  /** The ends of the ranges of numbers there. */
  ends(read: Asked): readonly number[];
  /** Values that may stand there, where the rules name none. */
  samples(read: Asked): readonly JsonValue[];
  /** All scalars that may stand there; undefined where they are not listed, or too many. */
  values(read: Asked): readonly Scalar[] | undefined;
  /** The least and the greatest length of a text (in UTF-16 units) or list there. */
  lengths(read: Asked): readonly [least: number, most: number];
  /** Whether this very value may stand there, by all that the schema says of it. */
  mayEqual(read: Asked, value: Scalar): boolean;
}

const anyLength = [0, Number.POSITIVE_INFINITY] as const;

/** Of what has no schema. */
export const anything: Room = {
  fits: () => true,
  mayHold: () => true,
  ends: () => [],
  samples: () => [],
  values: () => undefined,
  lengths: () => anyLength,
  mayEqual: () => true,
};

/** Documents that one of two schemas leaves room for. */
export function either(one: Room, other: Room): Room {
  return {
    fits: (read, members) => one.fits(read, members) || other.fits(read, members),
    mayHold: (read, value) => one.mayHold(read, value) || other.mayHold(read, value),
    ends: (read) => [...one.ends(read), ...other.ends(read)],
    samples: (read) => [...one.samples(read), ...other.samples(read)],
    values(read) {
      const [a, b] = [one.values(read), other.values(read)];
      return a && b && [...new Set([...a, ...b])];
    },
    lengths(read) {
      const [[least, most], [min, max]] = [one.lengths(read), other.lengths(read)];
      return [Math.min(least, min), Math.max(most, max)];
    },
    mayEqual: (read, value) => one.mayEqual(read, value) || other.mayEqual(read, value),
  };
}

/** Stored documents by the one, what is written by the other. */
export function storedAndWritten(stored: Room, written: Room): Room {
  const of = ({ root }: Pick<Asked, "root">): Room =>
    root === "document" || root === "previous" ? stored : root === "data" ? written : anything;
  return {
    fits: (read, members) => of(read).fits(read, members),
    mayHold: (read, value) => of(read).mayHold(read, value),
    ends: (read) => of(read).ends(read),
    samples: (read) => of(read).samples(read),
    values: (read) => of(read).values(read),
    lengths: (read) => of(read).lengths(read),
    mayEqual: (read, value) => of(read).mayEqual(read, value),
  };
}

/** The same where there may be no document yet: then nothing of it is there. */
export function orNone(room: Room): Room {
  return {
    ...room,
    mayHold: (read, value) => (read.root === "document" && value === undefined) || room.mayHold(read, value),
  };
}

/** What the schema of a collection leaves room for; what the server owns it does not speak of. */
export function roomOf({ schema }: Collection): Room {
  const room = roomIn(schema);
  return { ...room, fits: (read, { id: _id, _meta, ...members }) => room.fits(read, members) };
}

/** What a function may be called with; without a schema it is the empty object. */
export function roomOfInput(schema: Schema | undefined): Room {
  return storedAndWritten(anything, schema === undefined ? nothing : roomIn(schema));
}

const nothing: Room = {
  ...anything,
  fits: (_, members) => Object.keys(members).length === 0,
  mayHold: (_, value) => value === undefined,
};

function roomIn(schema: Schema): Room {
  const top = placeOf(schema);
  const required = requiredPaths(top);
  let validate: ((members: JsonObject) => boolean) | undefined;
  const known = new Map<string, { readonly facets: Facets | undefined }>();
  const facets = ({ path }: Asked): Facets | undefined =>
    kept(known, JSON.stringify(path), () => ({ facets: facetsAt(top, path) })).facets;
  const fits: Room["fits"] = (_, members) => {
    validate ??= partValidator(schema);
    return validate(members);
  };
  return {
    fits,
    mayHold(read, value) {
      if (value === undefined) return !required.has(read.path.join("."));
      const known = facets(read);
      return known === undefined || isAllowed(value, known);
    },
    ends: (read) => rangeKeywords.flatMap((keyword) => facets(read)?.limits.get(keyword) ?? []),
    samples: (read) => samplesOf(facets(read)),
    values: (read) => valuesOf(facets(read)),
    lengths: (read) => lengthsOf(facets(read)),
    mayEqual(read, value) {
      const known = facets(read);
      if (known === undefined || !isRefinedText(known) || typeof value !== "string") return true;
      const document: JsonObject = {};
      place(document, read.path, value);
      return fits(read, document);
    },
  };
}

/** Values of a list that are tried one by one. */
const MAX_VALUES = 30;

/** Undefined where there are others than scalars, which are not tried, and of dates, which are stored in another form. */
function valuesOf(facets: Facets | undefined): readonly Scalar[] | undefined {
  if (facets?.values === undefined || facets.values.size > MAX_VALUES || facets.date) return undefined;
  const all = [...facets.values].map((text): JsonValue => JSON.parse(text)).filter((value) => value !== null);
  return all.every(isScalar) ? all.filter((value) => isAllowed(value, facets)) : undefined;
}

function lengthsOf(facets: Facets | undefined): readonly [number, number] {
  if (facets === undefined) return anyLength;
  const { types, limits } = facets;
  const lengths = [
    // Schemas count characters, of which each is one unit or two.
    ...(types.has("string")
      ? [[limits.get("minLength") ?? 0, 2 * (limits.get("maxLength") ?? Infinity)]]
      : []),
    ...(types.has("array") ? [[limits.get("minItems") ?? 0, limits.get("maxItems") ?? Infinity]] : []),
  ];
  if (lengths.length === 0) return anyLength;
  return [
    Math.min(...lengths.map(([least = 0]) => least)),
    Math.max(...lengths.map(([, most = Infinity]) => most)),
  ];
}

/** A text of which more is said than its type. */
function isRefinedText({ types, limits, patterns, formats, date }: Facets): boolean {
  if (date || types.has("object") || types.has("array")) return false;
  return limits.has("minLength") || limits.has("maxLength") || patterns.size + formats.size > 0;
}

const rangeKeywords = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] as const;

/** By its type and the range of numbers. Texts and booleans stand for objects and lists, too, which are not tried. */
function isAllowed(value: Scalar, { types, limits }: Facets): boolean {
  if (typeof value === "number") {
    const isKind = types.has("number") || (types.has("integer") && Number.isInteger(value));
    return isKind && isWithin(value, limits);
  }
  const own = typeof value === "boolean" ? "boolean" : "string";
  return types.has(own) || types.has("object") || types.has("array");
}

function isWithin(value: number, limits: Facets["limits"]): boolean {
  const [least, most, above, below] = rangeKeywords.map((keyword) => limits.get(keyword));
  return (
    (least === undefined || value >= least) &&
    (most === undefined || value <= most) &&
    (above === undefined || value > above) &&
    (below === undefined || value < below)
  );
}

/** What all values at a path fit; undefined where nothing declares it for all documents. */
export function facetsAt(top: Place, path: readonly string[]): Facets | undefined {
  let places: readonly Place[] | undefined = [top];
  for (const name of path) places = places && facetsOf(places).members.get(name);
  return places && facetsOf(places);
}

/** Characters that a sample is worth. */
const MAX_SAMPLE = 300;

function samplesOf(facets: Facets | undefined): JsonValue[] {
  if (facets === undefined) return [];
  const { limits, values, descriptions } = facets;
  const written = [...(values ?? []), descriptions.get("default"), descriptions.get("examples")];
  const named = written.flatMap((text): JsonValue[] => (text === undefined ? [] : [JSON.parse(text)].flat()));
  const ends = rangeKeywords.flatMap((keyword) => limits.get(keyword) ?? []);
  const length = Math.min(limits.get("minLength") ?? 0, MAX_SAMPLE);
  return [
    ...named.filter(isScalar),
    ...ends.flatMap((end) => [end, end - 1, end + 1]),
    ...(limits.has("multipleOf") ? [limits.get("multipleOf") ?? 0] : []),
    ...(length > 1 ? ["a".repeat(length), "b".repeat(length)] : []),
  ];
}

/** Levels of objects in which required members are looked for. */
const MAX_DEPTH = 4;

/** Dotted paths outside of arrays that every document has, and not as null. */
export function requiredPaths(top: Place): ReadonlySet<string> {
  const paths = new Set<string>();
  collect([top], "", 0);
  return paths;

  function collect(places: readonly Place[], prefix: string, depth: number): void {
    const { members, required } = facetsOf(places);
    for (const name of required) {
      const path = `${prefix}${name}`;
      const inner = members.get(name) ?? [];
      const { types } = facetsOf(inner);
      if (types.has("null")) continue;
      paths.add(path);
      if (depth < MAX_DEPTH && types.size === 1 && inner.some(isPart)) collect(inner, `${path}.`, depth + 1);
    }
  }
}
