import { ApiError, type Detail } from "../errors.ts";
import { problemsNamed, readJson } from "../http/body.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Received } from "../realm/exchange.ts";

/**
 * Reads the members of a JSON body one by one, collecting what is wrong with them. `finish` throws it all together, so
 * nothing that was read may be used before.
 */
export class BodyReader {
  readonly #body: JsonObject;
  #problems: Detail[];
  readonly #known = new Set<string>();

  /** @throws ApiError as `readJson` */
  constructor(exchange: Received, media: "application/json" | "either") {
    const { value, problems } = readJson(exchange, media);
    this.#body = value;
    this.#problems = [...problems];
  }

  /** A required string. */
  string(name: string): string {
    const value = this.#member(name);
    if (value === undefined) this.problem(name, "is required");
    else if (typeof value !== "string") this.problem(name, "must be a string");
    return typeof value === "string" ? value : "";
  }

  optionalString(name: string): string | null | undefined {
    return this.#optional(name, "must be a string or null", (value) => typeof value === "string");
  }

  optionalObject(name: string): JsonObject | null | undefined {
    return this.#optional(name, "must be an object or null", isJsonObject);
  }

  optionalStrings(name: string): readonly string[] | undefined {
    const value = this.#member(name);
    if (value === undefined) return undefined;
    const strings = Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
    if (!Array.isArray(value) || strings.length < value.length)
      this.problem(name, "must be an array of strings");
    return strings;
  }

  /** An array of names, each of which is a known one; answers each once. */
  optionalNames(
    name: string,
    isKnown: (value: string) => boolean,
    reason: string,
  ): readonly string[] | undefined {
    const names = this.optionalStrings(name);
    for (const [at, value] of names?.entries() ?? []) {
      if (!isKnown(value)) this.problem(`${name}.${at}`, reason);
    }
    return names === undefined ? undefined : [...new Set(names)];
  }

  optionalBoolean(name: string): boolean | undefined {
    const value = this.#member(name);
    if (value === undefined || typeof value === "boolean") return value;
    this.problem(name, "must be true or false");
    return undefined;
  }

  /** A required object that is a `where`: names in it may start with `$` and contain dots, and are judged as its own. */
  where(name: string): JsonObject {
    const value = this.#member(name);
    this.#problems = this.#problems.filter(({ path }) => !path.startsWith(`${name}.`));
    if (isJsonObject(value)) return value;
    this.problem(name, value === undefined ? "is required" : "must be an object");
    return {};
  }

  /** Whatever there is, for members of several forms. */
  value(name: string): JsonValue | undefined {
    return this.#member(name);
  }

  /** Notes what is wrong with a member; only the first thing is told. */
  problem(path: string, reason: string): void {
    const told = this.#problems.some((problem) => problem.path === path);
    if (!told && this.#problems.length < problemsNamed) this.#problems.push({ path, reason });
  }

  /** @throws ApiError `validation_error` when anything was wrong, or the body has members that nobody asked for. */
  finish(): void {
    for (const name of Object.keys(this.#body)) {
      if (!this.#known.has(name)) this.problem(name, "unknown member");
    }
    if (this.#problems.length > 0) throw invalid(this.#problems);
  }

  #optional<T extends JsonValue>(
    name: string,
    reason: string,
    is: (value: JsonValue) => value is T,
  ): T | null | undefined {
    const value = this.#member(name);
    if (value === undefined || value === null || is(value)) return value;
    this.problem(name, reason);
    return undefined;
  }

  #member(name: string): JsonValue | undefined {
    this.#known.add(name);
    return Object.hasOwn(this.#body, name) ? this.#body[name] : undefined;
  }
}

export function invalid(details: readonly Detail[]): ApiError {
  return new ApiError("validation_error", "The request body is not valid.", { details });
}
