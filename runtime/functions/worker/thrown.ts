/** What handlers throw on purpose, told from everything else by what nobody can forge. */
import { isJsonObject, type JsonObject } from "../../json.ts";
import { parseDuration } from "../../units.ts";
import type { Result } from "../invocation.ts";

/** An error that says what comes of its run. */
class Deliberate extends Error {
  readonly #result: Result;

  /** @param shown members of it: what tests of handlers look at */
  constructor(message: string, result: Result, shown: object) {
    super(message);
    this.#result = result;
    Object.assign(this, shown);
  }

  static resultOf(thrown: object): Result | undefined {
    return #result in thrown ? thrown.#result : undefined;
  }
}

/** What comes of a run whose handler threw this; undefined: it is none of what `ctx` makes. */
export function deliberateResult(thrown: unknown): Result | undefined {
  return typeof thrown === "object" && thrown !== null ? Deliberate.resultOf(thrown) : undefined;
}

const codes = /^[a-z][a-z0-9_]{0,63}$/;

/**
 * `ctx.error`.
 * @throws RangeError where the status, the code or the details are none
 */
export function refusal(
  status: number,
  code: string,
  message: string,
  details: readonly JsonObject[] = [],
): Error {
  if (!Number.isInteger(status) || status < 400 || status > 499) {
    throw new RangeError(`ctx.error: the status must be from 400 to 499; it is ${String(status)}`);
  }
  const shown = { status, code: checked("ctx.error", code), details: detailsOf(details) };
  const text = String(message);
  return new Deliberate(text, { kind: "refused", ...shown, message: text }, shown);
}

function detailsOf(details: readonly JsonObject[]): readonly JsonObject[] {
  const text = JSON.stringify(details);
  const plain: unknown = text === undefined ? undefined : JSON.parse(text);
  if (!Array.isArray(plain) || !plain.every(isJsonObject)) {
    throw new RangeError("ctx.error: details must be a list of objects");
  }
  return plain;
}

/**
 * `ctx.retry`.
 * @throws RangeError where `after` is no duration
 */
export function again({ after }: { readonly after?: string } = {}): Error {
  const wait = after !== undefined && { after: milliseconds("ctx.retry: after", after) };
  return new Deliberate("the run is to be tried again", { kind: "retry", ...wait }, { code: "retry", after });
}

/**
 * `ctx.fail`.
 * @throws RangeError where the code is none
 */
export function failure(code: string, message: string): Error {
  const text = String(message);
  const shown = { code: checked("ctx.fail", code) };
  return new Deliberate(text, { kind: "ended", ...shown, message: text }, shown);
}

function checked(what: string, code: unknown): string {
  if (typeof code === "string" && codes.test(code)) return code;
  throw new RangeError(`${what}: the code must be like out_of_stock; it is ${JSON.stringify(code)}`);
}

/** @throws RangeError for what is no duration */
export function milliseconds(what: string, text: string): number {
  const value = typeof text === "string" ? parseDuration(text) : undefined;
  if (value !== undefined) return value;
  throw new RangeError(`${what} must be a duration such as 10m; it is ${JSON.stringify(text)}`);
}
