import type { Value } from "./driver.ts";

/** Bound values, numbered, so that a condition can stand in a statement twice. */
export class Parameters {
  readonly values: Value[] = [];
  readonly #before: number;

  /** @param before how many parameters the statement has before these */
  constructor(before: number) {
    this.#before = before;
  }

  add(value: Value): string {
    this.values.push(value);
    return `?${this.#before + this.values.length}`;
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
