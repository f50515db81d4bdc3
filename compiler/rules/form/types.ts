/** The types of values in rules. */
export type ValueKind = "text" | "number" | "boolean" | "date-time" | "date" | "object";

/** What a value may be; absent it may be besides. */
export interface ValueType {
  readonly kinds: readonly ValueKind[];
  /** Present where the value may be a list: what its elements may be. */
  readonly elements?: readonly ValueKind[];
  /** All texts allowed, of the value or of its elements. */
  readonly values?: readonly string[];
  /** Members of an object. */
  readonly members?: Readonly<Record<string, ValueType>>;
  /**
   * Nothing is declared: the value is of the type that it is used as, or else absent. Of an object with members, those are not
   * all. But for claims this is so beside mistakes elsewhere only.
   */
  readonly open?: true;
}

export const textType: ValueType = { kinds: ["text"] };
export const numberType: ValueType = { kinds: ["number"] };
export const booleanType: ValueType = { kinds: ["boolean"] };
export const scalarType: ValueType = { kinds: ["text", "number", "boolean"] };
/** A claim of an organization, or what a mistake elsewhere leaves open. */
export const openType: ValueType = { kinds: [], open: true };
/** An object of which nothing is known. */
export const openObject: ValueType = { kinds: ["object"], members: {}, open: true };
export const instantType: ValueType = { kinds: ["date-time"] };
export const dayType: ValueType = { kinds: ["date"] };

/** The type in words, for messages. */
export function describe(type: ValueType): string {
  if (type.open && type.members === undefined) return "a claim";
  const words = unique(type.kinds.map((kind) => kindWords[kind]));
  if (type.elements !== undefined) words.push("a list");
  const last = words.pop();
  if (last === undefined) return "a value without a type";
  return words.length === 0 ? last : `${words.join(", ")} or ${last}`;
}

const kindWords: Readonly<Record<ValueKind, string>> = {
  text: "a string",
  number: "a number",
  boolean: "a boolean",
  "date-time": "a date",
  date: "a date",
  object: "an object",
};

export function unique<T>(items: readonly T[]): T[] {
  return [...new Set(items)];
}
