import type { WhereOperator, WhereOperators } from "../filter/operators.ts";

/** What may be said of a field that holds values `V`: a value, or operators that must all hold. */
export type Condition<V> = V | Operators<V>;

/** Of a field that holds text. */
export type TextCondition<V> = V | (Operators<V> & TextOperators);

/** Of a field that holds objects, which are compared by what is in them. */
export type PresenceCondition = PresenceOperators;

/** Of a field that holds objects or null. */
export type NullCondition = null | OperatorsOn<"all" | "values", null>;

type Operators<V> = OperatorsOn<"all" | "values" | "ordered", V>;

type PresenceOperators = OperatorsOn<"all", never>;

export type TextOperators = OperatorsOn<"text", string>;

/** Those for some fields, with what each takes where fields hold values `V`. */
type OperatorsOn<On extends WhereOperator["on"], V> = {
  -readonly [Name in keyof WhereOperators as WhereOperators[Name]["on"] extends On ? Name : never]?:
    | Operands<V>[WhereOperators[Name]["takes"]]
    | undefined;
};

/** By what an operator takes. */
interface Operands<V> {
  value: V;
  values: readonly V[];
  bound: Ordered<V>;
  range: readonly [Ordered<V>, Ordered<V>];
  boolean: boolean;
  part: string;
  pattern: string;
}

type Ordered<V> = Extract<V, string | number | Date>;

/** Fields of every document. */
export interface DocumentFields {
  id: TextCondition<string>;
  "_meta.created_at": Condition<string | Date>;
  "_meta.updated_at": Condition<string | Date>;
  "_meta.version": Condition<number>;
}

/** In realms with accounts. */
export interface OwnershipFields extends DocumentFields {
  "_meta.owner": TextCondition<string | null>;
  "_meta.created_by": TextCondition<string>;
  "_meta.updated_by": TextCondition<string>;
}

/** In collections with a trash. */
export interface DeletionFields {
  "_meta.deleted_at": Condition<string | Date>;
  "_meta.deleted_by": TextCondition<string>;
  "_meta.purge_at": Condition<string | Date>;
}

/** In collections whose documents belong to organizations. */
export interface OrganizationFields extends OwnershipFields {
  "_meta.org": TextCondition<string | null>;
}

/** In collections whose documents belong to teams. */
export interface TeamFields extends OrganizationFields {
  "_meta.team": TextCondition<string | null>;
}

/** In realms whose functions have triggers. */
export interface ChainFields {
  "_meta.chain": PresenceCondition;
}

/** What a collection is: its types, and what it can do. */
export interface Shape {
  document: { id: string; _meta: object };
  content: object;
  create: object;
  patch: object;
  /** Path of each field that queries may name, with what they may say of it. */
  fields: object;
  references: object;
  traits: Trait;
  /** How documents may be aggregated: values of the keys, how they may be asked for, values of the metrics. */
  aggregation: { keys: object; by: string; metrics: object };
}

export type Trait =
  | "accounts"
  | "custom_id"
  | "search"
  | "trash"
  | "unique"
  | "aggregate"
  | "organization"
  | "organization_required"
  | "team"
  | "team_required";

/** `Then` for a collection with the trait, else `Otherwise`. */
export type IfTrait<S extends Shape, T extends Trait, Then, Otherwise = never> = T extends S["traits"]
  ? Then
  : Otherwise;

type FieldsOf<S extends Shape> = keyof S["fields"] & string;

export type Where<S extends Shape> = Conditions<S> & IfTrait<S, "search", Search, unknown>;

type Conditions<S extends Shape> = { [Path in keyof S["fields"]]?: S["fields"][Path] | undefined } & {
  /** Any of these holds. */
  $or?: readonly Conditions<S>[] | undefined;
  /** All of these hold. */
  $and?: readonly Conditions<S>[] | undefined;
};

interface Search {
  /** Words (any of them), `"phrases"` (all of them) and `-excluded` words. */
  $search?: string | undefined;
}

type Directed<Name extends string> = Name | `-${Name}`;

/** A field, `-` in front for descending; `_relevance`, alone, for the best matches of a search. */
export type OrderKey<S extends Shape> = Directed<FieldsOf<S>> | IfTrait<S, "search", "_relevance">;

/** `T` as other parameters have it: nothing is inferred for it here. */
type Given<T extends string> = [T][T extends unknown ? 0 : never];

/** The start of which period a date is grouped by; weeks start on Monday. */
export type Periods<Path extends string> = Path | `${Path}:${"day" | "week" | "month" | "quarter" | "year"}`;

export interface AggregateOptions<S extends Shape, By extends string, Metric extends string> {
  /** At most 4; without any there is one group of all. */
  group_by?: readonly By[] | undefined;
  /** At most 10; `count` when left out. */
  metrics?: readonly Metric[] | undefined;
  where?: Where<S> | undefined;
  order_by?: readonly Directed<Given<KeyOf<S, By> | Metric>>[] | undefined;
  limit?: number | undefined;
  /** Time zone of the periods, such as `Europe/Berlin`; default UTC. */
  tz?: string | undefined;
  language?: string | undefined;
}

export interface Groups<S extends Shape, By extends string, Metric extends string> {
  groups: Group<S, By, Metric>[];
  /** Whether there are groups beyond the limit. */
  has_more: boolean;
}

type Group<S extends Shape, By extends string, Metric extends string> = {
  /** Null where documents have none; a period is named by its start. */
  key: { [Key in KeyOf<S, By>]: S["aggregation"]["keys"][Key] | null };
} & { [Name in Metric & keyof S["aggregation"]["metrics"]]: S["aggregation"]["metrics"][Name] };

/** The field of `due_at:month`. */
type KeyOf<S extends Shape, By extends string> = keyof S["aggregation"]["keys"] &
  (By extends `${infer Path}:${string}` ? Path | By : By) &
  string;
