import type { Value } from "./driver.ts";

/** A value that a statement is given only when it is run: that of a key at a position. */
export interface Blank {
  /** Number of the key. */
  readonly key: number;
  /** Given as JSON text (see {@link bind}). */
  readonly json: boolean;
}

/** Bound values, numbered, so that a condition can stand in a statement twice. */
export class Parameters {
  readonly values: Value[] = [];
  /** Where values are still to be filled in: places in `values`, where null stands so far. */
  readonly blanks: { readonly at: number; readonly blank: Blank }[] = [];
  readonly #before: number;

  /** @param before how many parameters the statement has before these */
  constructor(before: number) {
    this.#before = before;
  }

  add(value: Value): string {
    this.values.push(value);
    return `?${this.#before + this.values.length}`;
  }

  addBlank(blank: Blank): string {
    this.blanks.push({ at: this.values.length, blank });
    const parameter = this.add(null);
    return blank.json ? `json_extract(${parameter}, '$')` : parameter;
  }
}

/**
 * Fractions and large integers go through the parser that stored documents go through: SQLite's conversion of decimal
 * text is not always the nearest double, JavaScript's is.
 */
export function bind(value: string | number, parameters: Parameters): string {
  if (typeof value === "string" || Number.isSafeInteger(value)) return parameters.add(value);
  return `json_extract(${parameters.add(JSON.stringify(value))}, '$')`;
}
