/** Which members of documents are read as `document.a?.b`. */
import type { ValueType } from "../form/types.ts";

/**
 * Whether a path can be read as `document.a?.b`: no name on it is inherited by what may stand there, and only objects are
 * declared on the way. Other paths are read by the helper `member`.
 */
export function isPlain(type: ValueType, path: readonly string[]): boolean {
  let level: ValueType | undefined = type;
  return path.every((name, depth) => {
    const isInherited = ofObjects.has(name) || (depth > 0 && ofOthers.has(name));
    const isObject = depth === 0 || (level !== undefined && isOnlyObject(level));
    level = memberOf(level, name);
    return !isInherited && isObject && level !== undefined;
  });
}

function isOnlyObject({ kinds, elements }: ValueType): boolean {
  return elements === undefined && kinds.every((kind) => kind === "object");
}

function memberOf(type: ValueType | undefined, name: string): ValueType | undefined {
  const members = type?.members ?? {};
  return Object.hasOwn(members, name) ? members[name] : undefined;
}

/** Names that every object inherits. */
export const ofObjects: ReadonlySet<string> = new Set(
  (
    "constructor hasOwnProperty isPrototypeOf propertyIsEnumerable toLocaleString toString valueOf __defineGetter__ " +
    "__defineSetter__ __lookupGetter__ __lookupSetter__ __proto__"
  ).split(" "),
);

/** Names that texts, numbers and lists have beside, which may stand where an object is declared. */
export const ofOthers: ReadonlySet<string> = new Set(
  (
    "anchor at big blink bold charAt charCodeAt codePointAt concat copyWithin endsWith entries every fill filter find findIndex " +
    "findLast findLastIndex fixed flat flatMap fontcolor fontsize forEach includes indexOf isWellFormed italics join keys lastIndexOf " +
    "length link localeCompare map match matchAll normalize padEnd padStart pop push reduce reduceRight repeat replace replaceAll " +
    "reverse search shift slice small some sort splice split startsWith strike sub substr substring sup toExponential toFixed " +
    "toLowerCase toPrecision toReversed toSorted toSpliced toUpperCase toWellFormed toLocaleLowerCase toLocaleUpperCase trim trimEnd " +
    "trimLeft trimRight trimStart unshift values with"
  ).split(" "),
);
