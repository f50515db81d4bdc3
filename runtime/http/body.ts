import { isAscii, isUtf8 } from "node:buffer";
import { ApiError, type Detail } from "../errors.ts";
import { beyondSafeIntegers, isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Received } from "../realm/exchange.ts";
import { mistakePlace } from "./json-mistake.ts";
import { type Media, requireMediaType } from "./media-type.ts";

/** What of a request is looked at here. */
type Sent = Pick<Received, "body" | "headers">;

export interface JsonBody {
  readonly value: JsonObject;
  /** What is well-formed JSON but no document may hold; the caller answers it as `validation_error` with the schema's. */
  readonly problems: readonly Detail[];
  /** Integers beyond ±(2^53 - 1), which only what is declared as a number takes. */
  readonly large: LargeIntegers;
}

export interface LargeIntegers {
  /** Where they are, as problems. */
  readonly problems: readonly Detail[];
  readonly values: ReadonlySet<number>;
}

export const noLargeIntegers: LargeIntegers = { problems: [], values: new Set() };

/** What is said of a body in which nothing is wrong. */
export const faultless: Pick<JsonBody, "problems" | "large"> = { problems: [], large: noLargeIntegers };

/** All that is wrong with a body whose members take no large integers. */
export function problemsIn({ problems, large }: JsonBody): readonly Detail[] {
  return [...problems, ...large.problems].slice(0, problemsNamed);
}

const deepest = 64;
/** Problems named in one answer. */
export const problemsNamed = 100;

/**
 * The request's body: a single JSON object (spec: Common request rules 2 and 3).
 *
 * @throws ApiError `unsupported_media_type` (also for a `Content-Encoding`), `payload_too_large`, or `invalid_json`: no
 * body, not UTF-8, not JSON, not an object, nested deeper than 64, a lone surrogate or NUL in a string, a number that
 * overflows.
 */
export function readJson({ body, headers }: Sent, media: Media): JsonBody {
  if (body === "none") throw new ApiError("invalid_json", "A JSON object is needed as the request body.");
  requireMediaType(headers["content-type"], media);
  requireIdentity(headers["content-encoding"]);
  if (body === "too-large") throw new ApiError("payload_too_large", "The request body is too large.");
  return readObject(textOf(body));
}

/**
 * A text that is a single JSON object.
 * @throws ApiError `invalid_json`
 */
export function readObject(text: string): JsonBody {
  const value = parsed(text);
  if (!isJsonObject(value)) throw invalid("it is not an object");
  const walk = new Walk(text);
  walk.object(value);
  return { value, problems: walk.problems, large: walk.large };
}

/** How large it is; 0 where it was not read. */
export function bodyBytes({ body }: Pick<Received, "body">): number {
  return typeof body === "string" ? 0 : body.length;
}

/**
 * The body of a POST that needs none: one that comes all the same must be well-formed (spec: Common request rules 2, 3).
 * @throws ApiError as `readJson`
 */
export function checkNeedlessBody(sent: Sent): void {
  if (sent.body !== "none") readJson(sent, "json");
}

/** @throws ApiError `invalid_json` where it is not UTF-8 */
export function textOf(body: Buffer): string {
  // The same text, by a copy rather than a conversion.
  if (isAscii(body)) return body.toString("latin1");
  if (!isUtf8(body)) throw invalid("it is not UTF-8");
  return body.toString("utf8");
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid(`it cannot be parsed at ${mistakePlace(text)}`, cause);
  }
}

function invalid(why: string, cause?: unknown): ApiError {
  return new ApiError("invalid_json", `The body is not a valid JSON object: ${why}.`, { cause });
}

/**
 * Bodies come as they are: nothing is decompressed.
 * @throws ApiError `unsupported_media_type`
 */
export function requireIdentity(encodings: string | undefined): void {
  if (encodings === undefined || /^[\s,]*(?:identity(?:[\s,]+|$))*$/i.test(encodings)) return;
  throw new ApiError("unsupported_media_type", "The body must have no Content-Encoding.", {
    headers: { "accept-encoding": "identity" },
  });
}

/** The one walk over a parsed body. */
class Walk {
  readonly problems: Detail[] = [];
  readonly #largeProblems: Detail[] = [];
  readonly #largeValues = new Set<number>();
  readonly #text: string;
  readonly #strings: boolean;
  /** Where the walk is; joined only where something is wrong. */
  readonly #path: (string | number)[] = [];
  #integers: ReadonlySet<number> | undefined;

  constructor(text: string) {
    this.#text = text;
    // In valid UTF-8, only an escape can spell a lone surrogate or NUL: without one, no string needs a look.
    this.#strings = text.includes("\\u");
  }

  get large(): LargeIntegers {
    return { problems: this.#largeProblems, values: this.#largeValues };
  }

  object(object: JsonObject): void {
    for (const name in object) {
      if (name.charCodeAt(0) === dollar || name.includes(".")) {
        this.#add(name, "member names must not start with $ or contain a dot");
      }
      if (this.#strings) checkString(name);
      this.#value(object[name], name);
    }
  }

  #array(array: readonly JsonValue[]): void {
    for (let at = 0; at < array.length; at += 1) this.#value(array[at], at);
  }

  #value(value: JsonValue | undefined, name: string | number): void {
    switch (typeof value) {
      case "string":
        if (this.#strings) checkString(value);
        return;
      case "number":
        if (!Number.isSafeInteger(value)) this.#number(value, name);
        return;
      case "object":
        if (value !== null) this.#inside(value, name);
    }
  }

  #inside(value: JsonObject | readonly JsonValue[], name: string | number): void {
    this.#path.push(name);
    if (this.#path.length >= deepest) throw invalid(`it is nested deeper than ${deepest}`);
    if (isJsonObject(value)) this.object(value);
    else this.#array(value);
    this.#path.pop();
  }

  #number(value: number, name: string | number): void {
    if (!Number.isFinite(value)) throw invalid(`the number at ${this.#pathTo(name)} is too large`);
    if (!Number.isInteger(value)) return;
    // Beyond 2^53 no double has a fraction, `6.02e23` neither. Refused is what was written as an integer, and what we
    // would write as one (below 1e21): a document read must be a document that can be written back.
    if (Math.abs(value) >= 1e21) {
      this.#integers ??= integersIn(this.#text);
      if (!this.#integers.has(value)) return;
    }
    this.#largeValues.add(value);
    add(this.#largeProblems, this.#pathTo(name), beyondSafeIntegers);
  }

  #add(name: string | number, reason: string): void {
    add(this.problems, this.#pathTo(name), reason);
  }

  #pathTo(name: string | number): string {
    return [...this.#path, name].join(".");
  }
}

function add(problems: Detail[], path: string, reason: string): void {
  if (problems.length < problemsNamed) problems.push({ path, reason });
}

/** The values of numbers in a JSON text that are written without fraction and exponent. */
function integersIn(text: string): ReadonlySet<number> {
  const integers = new Set<number>();
  for (const [token] of text.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g)) {
    if (/^-?\d+$/.test(token)) integers.add(Number(token));
  }
  return integers;
}

const dollar = "$".charCodeAt(0);

function checkString(text: string): void {
  if (text.includes("\0")) throw invalid("a string holds NUL");
  if (/\p{Surrogate}/u.test(text)) throw invalid("a string holds a lone surrogate");
}
