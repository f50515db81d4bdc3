import type { Filter } from "../../../filter/algebra.ts";
import { byVisibility, type Visibility } from "../../contract/document.ts";
import type { Value } from "../driver.ts";

/** A statement made for a filter, and what the filter binds, after the parameters of its place. */
export interface Lowered {
  readonly sql: string;
  readonly values: readonly Value[];
}

/** Statements by filter: rules give the same caller the same filter again, and spelling one out costs as much as a read. */
export type Statements = Readonly<Record<Visibility, WeakMap<Filter, Lowered>>>;

export const noStatements = (): Statements => byVisibility(() => new WeakMap());
