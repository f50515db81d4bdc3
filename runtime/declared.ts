/** What the type of a document declares: for the types of rules and of the field table, which are checked against it. */

/** Names of the members that an object, or one of several, declares; not what an index signature lets in besides. */
export type MemberName<T> = T extends readonly unknown[]
  ? never
  : T extends object
    ? keyof { [Name in keyof T as string extends Name ? never : number extends Name ? never : Name]: unknown }
    : never;

/** What the member of this name may be, in whichever of several objects it is declared. */
export type MemberType<T, Name extends PropertyKey> = T extends object
  ? Name extends MemberName<T>
    ? T[Name]
    : never
  : never;
