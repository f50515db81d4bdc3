/** The field table of a collection, checked by types alone against what its `types.ts` says of documents. */
import type { MemberName, MemberType } from "../declared.ts";
import { type Field, type FieldTable, type FieldType, field } from "./fields.ts";

type Types = FieldType | readonly FieldType[];

/**
 * What the field at a path holds: `"string"`, `["string", "null"]`, or of an array, `{ array: "string" }`. Fields of the
 * server come ready made.
 */
export type FieldDeclaration = Types | { readonly array: Types } | Field;

type Declarations = Readonly<Record<string, FieldDeclaration>>;

/**
 * Declares the fields of a collection by their paths: `fieldsOf<TicketsDocument>()({ ...documentFields, status: "string" })`.
 * A path that documents do not have, and what stands there otherwise, do not compile.
 */
export function fieldsOf<Document>(): <const Table extends Declarations>(
  declarations: [Misfit<Document, Table>] extends [never] ? Table : Fitting<Document, Table>,
) => { readonly [Path in keyof Table]: Field };
export function fieldsOf(): (declarations: never) => FieldTable {
  return declaredFields;
}

function declaredFields(declarations: Declarations): FieldTable {
  const arrays = Object.keys(declarations).filter((path) => isArray(declarations[path]));
  return Object.fromEntries(
    Object.entries(declarations).map(([path, declaration]) => {
      if (isField(declaration)) return [path, declaration];
      return [path, field(path, isArray(declaration) ? declaration.array : declaration, arrays)];
    }),
  );
}

function isField(declaration: FieldDeclaration): declaration is Field {
  return typeof declaration === "object" && "path" in declaration;
}

function isArray(declaration: FieldDeclaration | undefined): declaration is { readonly array: Types } {
  return typeof declaration === "object" && "array" in declaration;
}

/** Paths that the document does not have or that are declared as something else. */
type Misfit<Document, Table> = {
  [Path in keyof Table]: Fits<At<Document, Path>, Table[Path]> extends true ? never : Path;
}[keyof Table];

/** What should stand at each path; of those that the document does not have, only for fields that are ready made. */
type Fitting<Document, Table> = {
  readonly [Path in keyof Table as At<Document, Path> extends Missing
    ? Extract<Table[Path], Field> extends never
      ? never
      : Path
    : Path]: Fits<At<Document, Path>, Table[Path]> extends true ? Table[Path] : Declared<At<Document, Path>>;
};

/** What stands at a path of a document, in a tuple; whichever it is in where there are arrays on the way. */
type At<T, Path> = Path extends `${infer Name}.${infer Rest}`
  ? Inside<Member<T, Name>, Rest>
  : Member<T, Path>;

type Inside<Reached, Rest> = Reached extends readonly [infer T] ? At<Objects<T>, Rest> : Missing;

type Missing = undefined;

type Member<T, Name> =
  Name extends MemberName<T>
    ? readonly [Exclude<MemberType<T, Name>, undefined>]
    : Name extends Undeclared<T>
      ? readonly [unknown]
      : Missing;

/** What `types.ts` leaves to the index signature, since its generator cannot declare it. */
type Undeclared<T> = string extends keyof T ? "hasOwnProperty" : never;

/** The objects among values and in arrays among them. */
type Objects<T> = T extends readonly (infer Element)[] ? Objects<Element> : T extends object ? T : never;

/** What schemas without a type are declared as, of which `types.ts` may say less. */
type Anything = "string" | "number" | "boolean" | "object";

type Fits<Reached, Declaration> = Reached extends readonly [infer T]
  ? Declaration extends Field
    ? true
    : unknown extends T
      ? true
      : [T] extends [never]
        ? true
        : [Anything] extends [Named<Declaration>]
          ? true
          : Declaration extends Declared<Reached>
            ? true
            : false
  : false;

type Named<Declaration> = Declaration extends { readonly array: infer Of }
  ? Named<Of>
  : Declaration extends readonly (infer Type)[]
    ? Type
    : Declaration;

type Declared<Reached> = Reached extends readonly [infer T]
  ? [Extract<T, readonly unknown[]>] extends [never]
    ? OneOf<TypeOf<T>>
    : { readonly array: OneOf<TypeOf<T>> }
  : never;

type OneOf<Type> = Type | readonly Type[];

/** Null alone is declared as an object, which it is compared like. */
type TypeOf<T> = [T] extends [null] ? "null" | "object" : ScalarType<T> | ElementType<T>;

type ElementType<T> = T extends readonly (infer Element)[]
  ? (Element extends readonly unknown[] ? "object" : never) | TypeOf<Element>
  : never;

type ScalarType<T> = T extends string
  ? "string" | "date-time" | "date"
  : T extends number
    ? "integer" | "number"
    : T extends boolean
      ? "boolean"
      : T extends null
        ? "null"
        : T extends readonly unknown[]
          ? never
          : T extends object
            ? "object"
            : never;
