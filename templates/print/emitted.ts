/** Values as they are emitted: plain data, with code where something has a name. */
import { array, type Code, isCode, literal, object, property } from "./code.ts";
import type { Literal } from "./literals.ts";

/** What stands for a `T` in emitted code. Members that are undefined are left out. */
export type Emitted<T> =
  | Code
  | (T extends (...parameters: never) => unknown
      ? never
      : T extends readonly (infer Item)[]
        ? readonly Emitted<Item>[]
        : T extends object
          ? { readonly [K in keyof T]: Emitted<T[K]> | (object extends Pick<T, K> ? undefined : never) }
          : T);

type Value = Code | Literal | readonly Value[] | { readonly [member: string]: Value };

/** The code of a value: on lines of its own what holds code, a literal what does not. */
export function emitted(value: Value): Code {
  if (isCode(value)) return value;
  if (isData(value)) return literal(value);
  if (isList(value)) return array(value.map(emitted));
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return object(members.map(([name, member]) => property(name, emitted(member))));
}

/** The code of an object whose members stand in an order; those that are not in it come after. */
export function emittedInOrder(
  order: readonly string[],
  members: { readonly [member: string]: Value },
): Code {
  const place = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return emitted(
    Object.fromEntries(Object.entries(members).sort(([one], [other]) => place(one) - place(other))),
  );
}

/** Whether there is no code in it. */
function isData(value: Value): value is Literal {
  if (typeof value !== "object" || value === null) return true;
  return !isCode(value) && Object.values(value).every(isData);
}

function isList(value: object): value is readonly Value[] {
  return Array.isArray(value);
}
