/** Conditions of stored documents asked of what a write leaves behind. */
import { type Condition, mapLeaves, mapOperands, type Read, type Value } from "../rules/form/form.ts";
import { simplify } from "../rules/form/simplify.ts";

/** What a collection's documents have beside what is written. */
export interface Kept {
  /** Fields that writes do not set: files, by their names. */
  readonly apart: readonly string[];
  /** Who creates a document may choose its id. */
  readonly choosesIds: boolean;
}

/** What a condition comes to for the document that a signed-in user has just created of `data`. */
export function ofCreated(condition: Condition, kept: Kept): Condition {
  return mapReads(condition, (read) => {
    const [name, inner] = read.path;
    if (name === undefined)
      return { kind: "literal", value: true, type: { kinds: ["boolean"] }, at: read.at };
    if (name === "id" && kept.choosesIds) return written(read);
    if (name !== "_meta") return kept.apart.includes(name) || name === "id" ? unknown(read) : written(read);
    if (inner === "owner" || inner === "created_by") return userId(read);
    if (inner === "org" || inner === "team") return written(read);
    if (inner === "version") return { kind: "literal", value: 1, type: { kinds: ["number"] }, at: read.at };
    return inner?.startsWith("deleted") ? { kind: "null", at: read.at } : unknown(read);
  });
}

/** What a condition comes to for the document that an update makes of `document` by writing `data`. */
export function ofUpdated(condition: Condition, { apart }: Kept): Condition {
  return mapReads(condition, (read) => {
    const [name, inner = ""] = read.path;
    if (name === undefined || name === "id") return read;
    if (name !== "_meta") return apart.includes(name) ? unknown(read) : written(read);
    return ["updated_at", "updated_by", "version"].includes(inner) ? unknown(read) : read;
  });
}

/** What a condition comes to where there is no document yet. */
export function withoutDocument(condition: Condition): Condition {
  return mapReads(condition, ({ at }) => ({ kind: "null", at }));
}

function written(read: Value & Read): Value {
  return { ...read, root: "data" };
}

/** Something of which nothing is known: rules of collections read no `previous`. */
function unknown(read: Value & Read): Value {
  return { ...read, root: "previous" };
}

function userId({ at }: Value): Value {
  return { kind: "read", root: "user", path: ["id"], type: { kinds: ["text"] }, at };
}

/** The same condition with everything that it reads of the document replaced. */
function mapReads(condition: Condition, change: (read: Value & Read) => Value): Condition {
  return simplify(mapLeaves(condition, (leaf) => mapOperands(leaf, (operand) => changed(operand, change))));
}

/** Conditions within are changed already. */
function changed(value: Value, change: (read: Value & Read) => Value): Value {
  const again = (inner: Value) => changed(inner, change);
  switch (value.kind) {
    case "read":
      return value.root === "document" ? change(value) : value;
    case "length":
    case "ends":
      return { ...value, of: again(value.of) };
    case "claim":
      return { ...value, org: again(value.org) };
    case "pick":
      return { ...value, yes: again(value.yes), no: again(value.no) };
    default:
      return value;
  }
}
