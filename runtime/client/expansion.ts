import type { Shape } from "./queries.ts";

/** A reference to a document. */
export interface One<Target extends Shape> {
  target: Target;
  many: false;
}

/** A reference to several. */
export interface Many<Target extends Shape> {
  target: Target;
  many: true;
}

type Reference = One<Shape> | Many<Shape>;

type ReferencesOf<S extends Shape> = {
  [Name in keyof S["references"]]: Extract<S["references"][Name], Reference>;
};
type NamesOf<S extends Shape> = keyof S["references"] & string;

/**
 * What `expand` may ask for: `author`, or `author.company` for a reference of the document referred to; either with the
 * fields that are wanted, `author(name,address.city)`.
 */
export type Expandable<S extends Shape> = {
  [Name in NamesOf<S>]: Selectable<Name | `${Name}.${NamesOf<ReferencesOf<S>[Name]["target"]>}`>;
}[NamesOf<S>];

type Selectable<Entry extends string> = Entry | `${Entry}(${string})`;

/** The entries whose selections name fields of the documents that they lead to. */
export type Checked<S extends Shape, Entry extends string> = Entry extends `${infer Path}(${infer Fields})`
  ? Split<Fields> extends FieldsAt<S, Path>
    ? Entry
    : never
  : Entry;

type FieldsAt<S extends Shape, Path extends string> = Path extends `${infer Name}.${infer Rest}`
  ? FieldsAt<TargetOf<S, Name>, Rest>
  : "_meta" | (keyof TargetOf<S, Path>["fields"] & string);

type TargetOf<S extends Shape, Name extends string> =
  Name extends NamesOf<S> ? ReferencesOf<S>[Name]["target"] : never;

type Split<List extends string> = List extends `${infer Head},${infer Rest}` ? Head | Split<Rest> : List;

/** A document with what was asked to be expanded. */
export type Expanded<S extends Shape, Entry extends string> = [Entry] extends [never]
  ? S["document"]
  : S["document"] & ExpandedPart<S, Entry>;

type ExpandedPart<S extends Shape, Entry extends string> = {
  _expanded: {
    [Name in NamesOf<S> & HeadOf<Entry>]: Reached<
      ReferencesOf<S>[Name],
      Target<ReferencesOf<S>[Name]["target"], SelectionOf<Entry, Name>, NestedOf<Entry, Name>>
    >;
  };
};

/** What stands for a reference: null where there is nothing, or nothing that the caller may read. */
type Reached<R extends Reference, Found> = R["many"] extends true
  ? (Found | null)[] | Cut<Found | null> | null
  : Found | null;

/** The first documents of more than are followed. */
export interface Cut<Found> {
  items: Found[];
  truncated: true;
}

type Target<S extends Shape, Selection extends string, Nested extends string> = ([Selection] extends [never]
  ? S["document"]
  : Select<S["document"], "id" | Selection>) &
  ([Nested] extends [never] ? unknown : ExpandedPart<S, Nested>);

/** `author` of `author`, `author(name)` and `author.company(name)`. */
type HeadOf<Entry extends string> = Before<Before<Entry, "(">, ".">;
type Before<Text extends string, Mark extends string> = Text extends `${infer Head}${Mark}${string}`
  ? Head
  : Text;

/** Fields wanted of the document itself; never: all. */
type SelectionOf<Entry extends string, Name extends string> = Entry extends `${Name}(${infer Fields})`
  ? Split<Fields>
  : never;

type NestedOf<Entry extends string, Name extends string> = Entry extends `${Name}.${infer Rest}`
  ? Rest
  : never;

/** The members that dotted paths lead through. */
type Select<T, Path extends string> = T extends readonly (infer Item)[]
  ? Select<Item, Path>[]
  : T extends object
    ? {
        [Name in keyof T as Name & Before<Path, ".">]: Name extends Path
          ? T[Name]
          : Select<T[Name], RestOf<Path, Name>>;
      }
    : T;

type RestOf<Path extends string, Name> = Path extends `${Name & string}.${infer Rest}` ? Rest : never;

/** Content of which the caller may not see these paths: what is required there may be missing all the same. */
export type Partly<T, Path extends string> = [Path] extends [never]
  ? T
  : T extends object
    ? { [Name in keyof T as Name extends Path ? never : Name]: Partly<T[Name], RestOf<Path, Name>> } & {
        [Name in keyof T as Name extends Path ? Name : never]?: T[Name];
      }
    : T;
