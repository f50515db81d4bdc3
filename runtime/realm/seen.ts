import type { MemberName, MemberType } from "../declared.ts";
import type { Scalar } from "../filter/algebra.ts";
import type { JsonValue } from "../json.ts";

/**
 * What a rule may meet where a `T` is declared: every member may be absent, since stored documents may be older than
 * their schema, and the members of several objects are one object's, since rules read them without telling those apart.
 * No member is optional: what another collection declares is not a document of this one.
 */
export type Seen<T> = unknown extends T ? JsonValue | undefined : SeenValue<T> | SeenObject<ObjectIn<T>>;

type Absent = null | undefined;

type SeenValue<T> = T extends Scalar | Absent
  ? T
  : T extends readonly (infer Element)[]
    ? readonly Seen<Element>[]
    : never;

type ObjectIn<T> = T extends Scalar | Absent | readonly unknown[] ? never : T;

type SeenObject<T> = [T] extends [never]
  ? never
  : { readonly [Name in MemberName<T>]: Seen<MemberType<T, Name>> | Absent };
