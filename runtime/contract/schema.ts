import type { JsonObject, JsonValue } from "../json.ts";
import type { CheckName } from "./checks.ts";
import type { RealmPart, RealmTraits, Varying } from "./traits.ts";

/** A schema of bodies and answers, in place or by the name under which OpenAPI documents and clients have it. */
export type Schema = PlainSchema | Named;

/**
 * The part of JSON Schema (2020-12) that contracts use, and words of our own:
 *
 * - `realm`: a part of the realm's configuration decides further, as for names of roles.
 * - `check`: a function judges, and normalises, a string or an array; what else is said of it is for readers alone.
 * - `told`: the one reason that is told, whatever is wrong here or below, in place of the ordinary words; `itself`: of what
 *   is wrong here alone.
 * - `when`: a member that only some realms, or collections, have.
 * - `made`: documents have what is made of the collections here ({@link Made}); names in it are judged by who reads it.
 * - `client`: what clients call its type, where that is not the name that it has here. An object of one or two members
 *   has a name in clients only by this; else it stands there in place.
 */
export interface PlainSchema {
  readonly type?: TypeName | readonly TypeName[];
  readonly enum?: readonly JsonValue[];
  readonly const?: JsonValue;
  readonly description?: string;
  readonly format?: string;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly default?: JsonValue;
  readonly examples?: readonly JsonValue[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly minProperties?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly anyOf?: readonly Schema[];
  readonly not?: Schema;
  readonly realm?: RealmPart;
  readonly check?: CheckName;
  readonly told?: string;
  readonly itself?: string;
  readonly made?: MadeName;
  readonly when?: (traits: RealmTraits) => boolean;
  readonly client?: string;
}

type TypeName = "string" | "integer" | "number" | "boolean" | "null" | "array" | "object";

/** A schema with a name of its own. */
export interface Named<S = Varying<PlainSchema>> {
  readonly named: string;
  readonly schema: S;
}

/** A schema that the compiler makes of the collections or the function that a route is about, by what its name ends in. */
export interface Made {
  readonly made: MadeName;
}

export type MadeName =
  | ("Create" | "Replace" | "Patch" | "Document" | "Page" | "Where" | "OrderBy" | "Expand")
  | "Version"
  | ("GroupBy" | "Metrics" | "GroupOrder" | "Groups")
  | ("Arguments" | "Result")
  | ("BatchRequest" | "BatchResponse" | "RealtimeRequest" | "RealtimeEvent" | "Filter");

export function isNamed(schema: Schema | Made): schema is Named {
  return "named" in schema;
}

export function isMade(schema: Schema | Made): schema is Made {
  return "made" in schema;
}

export function named<const S extends Varying<PlainSchema>>(name: string, schema: S): Named<S> {
  return { named: name, schema };
}

/** What a value of the schema is in TypeScript. */
export type Value<S> =
  S extends Named<infer Inner>
    ? Value<Inner>
    : S extends { readonly enum: readonly (infer Member)[] }
      ? Member
      : S extends { readonly type: readonly (infer Type)[] }
        ? Typed<S, Type>
        : S extends { readonly type: infer Type }
          ? Typed<S, Type>
          : JsonValue;

type Typed<S, Type> = Type extends "string"
  ? string
  : Type extends "integer" | "number"
    ? number
    : Type extends "boolean"
      ? boolean
      : Type extends "null"
        ? null
        : Type extends "array"
          ? S extends { readonly items: infer Item }
            ? readonly Value<Item>[]
            : readonly JsonValue[]
          : S extends { readonly properties: infer Members }
            ? ObjectOf<Members, S extends { readonly required: readonly (infer Name)[] } ? Name : never>
            : JsonObject;

type ObjectOf<Members, Required> = {
  readonly [Name in keyof Members as Name extends Required ? Name : never]: Value<Members[Name]>;
} & {
  readonly [Name in keyof Members as Name extends Required ? never : Name]?: Value<Members[Name]> | undefined;
};

export type Members = Readonly<Record<string, Schema>>;

/** An object with exactly these members, of which all are required, or those named. */
export function closed<const P extends Members>(properties: P): Closed<P, keyof P & string>;
export function closed<const P extends Members, const R extends keyof P & string>(
  properties: P,
  required: readonly R[],
): Closed<P, R>;
export function closed(
  properties: Members,
  required: readonly string[] = Object.keys(properties),
): PlainSchema {
  return {
    type: "object",
    ...(required.length > 0 && { required }),
    properties,
    additionalProperties: false,
  };
}

export interface Closed<P, R> {
  readonly type: "object";
  readonly required: readonly R[];
  readonly properties: P;
  readonly additionalProperties: false;
}

/** A page of a list outside documents (api-decisions: Shapes and statuses). */
export function page(name: string, entry: Named): Named<PlainSchema> {
  return named(name, {
    type: "object",
    required: ["items", "has_more"],
    properties: {
      items: { type: "array", items: entry },
      has_more: { type: "boolean" },
      next_cursor: { type: "string", description: "Present when there is more." },
    },
  });
}

export const id = { type: "string" } as const;
/** Of ids or names. */
export const strings = { type: "array", items: id, told: "must be an array of strings" } as const;
export const timestamp = { type: "string", format: "date-time" } as const;
