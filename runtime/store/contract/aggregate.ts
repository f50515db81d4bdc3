import type { Filter, Scalar } from "../../filter/algebra.ts";
import type { BucketUnit } from "../../filter/buckets.ts";
import type { Field } from "../../filter/fields.ts";
import type { Visibility } from "./document.ts";

export interface Aggregate {
  readonly filter: Filter;
  readonly visibility: Visibility;
  /** None: exactly one group. */
  readonly groupBy: readonly GroupKey[];
  readonly metrics: readonly Metric[];
  /** Columns count the keys of `groupBy`, then the metrics, from 0. Ties come in the order of the group keys. */
  readonly order: readonly { readonly column: number; readonly descending: boolean }[];
  readonly limit: number;
}

export interface GroupKey {
  /**
   * Passes through no array, but may hold one: then a document is, once, in the group of each different element, in that
   * of null without any.
   */
  readonly field: Field;
  /** Of a date field that holds no array: groups by the start of the period, in an IANA time zone. */
  readonly bucket?: { readonly unit: BucketUnit; readonly zone: string };
}

export type Metric =
  | { readonly op: "count" }
  | { readonly op: "sum" | "avg" | "min" | "max"; readonly field: Field }
  /** Different values, or elements where the field holds an array; null is none. */
  | { readonly op: "distinct"; readonly field: Field };

/** Null groups missing and null together. A bucket is its start: an instant, or a day for fields that hold days. */
export interface Group {
  readonly key: readonly (Scalar | null)[];
  /** Sum of nothing is 0; average, minimum and maximum of nothing are null. */
  readonly metrics: readonly (string | number | null)[];
}

/** Groups, or distinct values in one of them, that an aggregation may make. */
export const MAX_GROUPS = 50_000;
