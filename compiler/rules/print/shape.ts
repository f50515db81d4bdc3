/** Which members of documents the rules of a module read, and how each is read and typed. */
import { type Code, code, importedType, join, propertyKey } from "../../../templates/print/code.ts";
import { type Condition, type Root, valuesIn } from "../form.ts";
import type { ValueKind, ValueType } from "../types.ts";

/** The members of `document` or `data` that some rules read. */
export interface Shape {
  /** The type of the value itself, where it is read as one. */
  type?: ValueType;
  readonly members: Map<string, Shape>;
}

export function shapeOf(root: Root, conditions: readonly Condition[]): Shape {
  const shape: Shape = { members: new Map() };
  for (const condition of conditions) {
    for (const value of valuesIn(condition)) {
      if (value.kind === "read" && value.root === root) shapeAt(shape, value.path).type = value.type;
    }
  }
  return shape;
}

function shapeAt(shape: Shape, path: readonly string[]): Shape {
  let reached = shape;
  for (const name of path) {
    const member: Shape = reached.members.get(name) ?? { members: new Map() };
    reached.members.set(name, member);
    reached = member;
  }
  return reached;
}

/**
 * Whether a path can be read as `document.a?.b`: no name on it is inherited by what may stand there, and no value on
 * the way is also read as a scalar. Other paths are read by the helper `member`.
 */
export function isPlain(shape: Shape, path: readonly string[]): boolean {
  let level = shape;
  return path.every((name, depth) => {
    const inherited = ofObjects.has(name) || (depth > 0 && ofOthers.has(name));
    const scalar = depth > 0 && (level.type?.kinds.some((kind) => kind !== "object") ?? false);
    level = level.members.get(name) ?? { members: new Map() };
    return !inherited && !scalar;
  });
}

/** The type of `document` or `data` as the rules see it: what is read plainly; any member may be absent. */
export function shapeType(shape: Shape): Code {
  return membersType(shape, shape, []) ?? jsonObject;
}

function membersType(top: Shape, shape: Shape, path: readonly string[]): Code | undefined {
  const members = [...shape.members]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, member]) => {
      if (!isPlain(top, [...path, name])) return [];
      const type = membersType(top, member, [...path, name]) ?? ownType(member);
      return type === undefined ? [] : [code`readonly ${propertyKey(name)}?: ${type} | null;`];
    });
  return members.length === 0 ? undefined : code`{\n${join(members, code`\n`)}\n}`;
}

function ownType({ type }: Shape): Code | undefined {
  if (type === undefined) return undefined;
  const parts = type.kinds.map(kindType);
  if (type.elements !== undefined) {
    parts.push(code`readonly (${join(distinct(type.elements.map(kindType)), code` | `)})[]`);
  }
  // A value without a type can only be null.
  return parts.length === 0 ? code`null` : join(distinct(parts), code` | `);
}

const [text, number, boolean] = [code`string`, code`number`, code`boolean`];
const jsonObject = importedType("JsonObject", "realmc/runtime");

function kindType(kind: ValueKind): Code {
  switch (kind) {
    case "text":
    case "date-time":
    case "date":
      return text;
    case "number":
      return number;
    case "boolean":
      return boolean;
    case "object":
      return jsonObject;
  }
}

function distinct(codes: readonly Code[]): Code[] {
  return [...new Set(codes)];
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
