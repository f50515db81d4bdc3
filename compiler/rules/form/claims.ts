/**
 * Values of which nothing is declared, so that each is of the type that it is used as: claims of organizations, which are any
 * JSON, and fields that mistakes elsewhere leave open.
 */
import {
  type Claim,
  type Condition,
  type Read,
  readKey,
  readsDocument,
  type Value,
  valuesIn,
} from "./form.ts";
import { scalarType, type ValueType } from "./types.ts";
import { classOf, typeOf } from "./values.ts";

/** Such a value, or a choice with one, that is not used as anything yet. */
export function isOpen(value: Value): boolean {
  if (value.kind === "pick") return isOpen(value.yes) || isOpen(value.no);
  return isUnused(value);
}

function isUnused(value: Value): value is Value & (Claim | Read) {
  return (
    (value.kind === "claim" || value.kind === "read") &&
    value.type.open === true &&
    value.type.members === undefined
  );
}

/** Open values as values of a type. */
export function usedAs(value: Value, type: ValueType): Value {
  if (value.kind === "pick") return { ...value, yes: usedAs(value.yes, type), no: usedAs(value.no, type) };
  return isUnused(value) ? { ...value, type } : value;
}

/** Open values take the type of what they are compared with; two of them the one given. */
export function usedAlike(a: Value, b: Value, ofBoth: ValueType): readonly [Value, Value] {
  const kinds = [a, b].flatMap((value) => typeOf(value).kinds).filter((kind) => kind !== "object");
  const dates = kinds.filter((kind) => classOf(kind) === "date");
  // Texts beside dates are dates.
  const common = dates.length > 0 ? dates : kinds;
  const type = common.length === 0 ? ofBoth : { kinds: [...new Set(common)] };
  return [usedAs(a, type), usedAs(b, type)];
}

/** Open values as a list and as one of its elements. */
export function usedWithin(list: Value, item: Value): readonly [Value, Value] {
  const { elements = [] } = typeOf(list);
  const { kinds } = typeOf(item);
  return [
    usedAs(list, { kinds: [], elements: isOpen(item) || kinds.length === 0 ? scalarType.kinds : kinds }),
    usedAs(item, { kinds: elements.length === 0 ? scalarType.kinds : elements }),
  ];
}

/** Organizations, named by fields of the document, whose claims a condition or value asks for. */
export function claimedOrgs(part: Condition | Value): readonly (Value & Read)[] {
  const orgs = [...valuesIn(part)].flatMap((value) =>
    value.kind === "claim" && readsDocument(value.org) ? [value.org] : [],
  );
  return [...new Map(orgs.map((org) => [readKey(org), org])).values()];
}

/** Whether it is known once claims of organizations that the document names are. */
export function isGiven(part: Condition | Value): boolean {
  const values = [...valuesIn(part)];
  const orgs = new Set(values.flatMap((value) => (value.kind === "claim" ? [value.org] : [])));
  return values.every((value) => !readsDocument(value) || orgs.has(value));
}
