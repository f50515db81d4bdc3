/** What emitted rules compare, by its types: a value that can never be there is refused, as `===` refuses it. */

/** The second of two values that are compared: `never` where the types of both have no value in common. */
export type ComparedWith<A, B> = [NonNullable<A>] extends [never]
  ? B
  : [Extract<A, B>] extends [never]
    ? Possible<B, A>
    : B;

type Possible<B, A> = [Extract<B, A>] extends [never] ? never : B;

/**
 * An item that a list is asked for, or a value where a list is declared: of a list spelled out, each element has to be
 * one that the item may be.
 */
export type ItemOf<List, Item> = [NonNullable<List>] extends [never]
  ? Item
  : OfPresent<NonNullable<List>, Item>;

type OfPresent<List, Item> = List extends readonly unknown[]
  ? number extends List["length"]
    ? ComparedWith<List[number], Item>
    : SpelledOut<List[number], Item>
  : ComparedWith<List, Item>;

type SpelledOut<Element, Item> = false extends IsPossible<Element, Item> ? never : Item;

/** For each of the elements by itself. */
type IsPossible<Element, Item> = Element extends unknown
  ? [ComparedWith<Element, Item>] extends [never]
    ? false
    : true
  : never;
