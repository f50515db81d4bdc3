import { ApiError, type Detail } from "../../errors.ts";
import { and, type Filter, or, search, TRUE } from "../../filter/algebra.ts";
import type { Field } from "../../filter/fields.ts";
import { isJsonObject, type JsonObject, type JsonValue, objectIn } from "../../json.ts";
import type { QueryFields } from "./fields.ts";
import { operators } from "./operators.ts";
import { Remembered } from "./remembered.ts";
import { readText } from "./values.ts";

/** Spec: Limits. Bytes of UTF-8; conditions over all groups; levels of groups. */
const whereBytes = 4096;
const conditions = 32;
const levels = 4;

/** A `where` as it was read; `searches` says whether it asks for `$search`, also where nothing is left of the filter. */
export type ReadWhere =
  | { readonly filter: Filter; readonly searches: boolean }
  | { readonly problems: readonly Detail[] };

/**
 * Reads a `where` (spec: where): all that is wrong with it at once, each with its path from `where` on.
 *
 * @param text the parameter, decoded
 * @param language answers the language of `$search`: a locale code; undefined: the index's own
 * @throws ApiError `search_not_enabled`
 */
export function readWhere(text: string, fields: QueryFields, language: () => string | undefined): ReadWhere {
  const known = remembered.get(fields, text);
  if (known !== undefined) return known;
  const where = readAnew(text, fields, language);
  // A search depends on the language as well.
  if ("filter" in where && !where.searches) remembered.set(fields, text, where);
  return where;
}

const remembered = new Remembered<ReadWhere>(200);

function readAnew(text: string, fields: QueryFields, language: () => string | undefined): ReadWhere {
  if (Buffer.byteLength(text) > whereBytes) {
    return { problems: [{ path: "where", reason: `must have at most ${whereBytes} bytes` }] };
  }
  const where = objectIn(text);
  if (where === undefined) return { problems: [{ path: "where", reason: "must be a JSON object" }] };
  return new WhereReader(fields, language).read(where);
}

class WhereReader {
  readonly #fields: QueryFields;
  readonly #language: () => string | undefined;
  readonly #problems: Detail[] = [];
  #conditions = 0;
  #searches = false;

  constructor(fields: QueryFields, language: () => string | undefined) {
    this.#fields = fields;
    this.#language = language;
  }

  read(where: JsonObject): ReadWhere {
    const filter = this.#object(where, "where", 0);
    if (this.#conditions > conditions) this.#refuse("where", `must have at most ${conditions} conditions`);
    const problems = this.#problems;
    return problems.length > 0 ? { problems } : { filter, searches: this.#searches };
  }

  /** @param level of the groups around it: 0 at the top */
  #object(object: JsonObject, path: string, level: number): Filter {
    const parts = Object.entries(object).map(([key, value = null]) =>
      this.#member(key, value, `${path}.${key}`, level),
    );
    return and(...parts);
  }

  #member(key: string, value: JsonValue, path: string, level: number): Filter {
    switch (key) {
      case "$and":
        return and(...this.#group(value, path, level + 1));
      case "$or":
        return or(...this.#group(value, path, level + 1));
      case "$search":
        return this.#search(value, path, level);
      default:
        return key.startsWith("$") ? this.#refuse(path, "unknown operator") : this.#field(key, value, path);
    }
  }

  #group(value: JsonValue, path: string, level: number): readonly Filter[] {
    if (level > levels) return [this.#refuse(path, `groups must nest at most ${levels} levels`)];
    if (!Array.isArray(value) || value.length === 0) {
      return [this.#refuse(path, "must be a non-empty array of conditions")];
    }
    return value.map((member, at) => {
      const place = `${path}.${at}`;
      return isJsonObject(member) && Object.keys(member).length > 0
        ? this.#object(member, place, level)
        : this.#refuse(place, "must be a non-empty object");
    });
  }

  #search(value: JsonValue, path: string, level: number): Filter {
    this.#conditions += 1;
    this.#searches = true;
    if (level > 0) return this.#refuse(path, "must stand at the top of where, not in a group");
    const { text } = this.#fields;
    if (text === "not-enabled") {
      throw new ApiError("search_not_enabled", "The collection has no text index.", {
        details: [{ path, reason: "is not available: the collection has no text index" }],
      });
    }
    if (text === "not-asked") return this.#refuse(path, "is not available here");
    if (text === "hidden")
      return this.#refuse(path, "is not available: it reads fields that are hidden from you");
    const reading = readText(value);
    if ("problem" in reading) return this.#refuse(path, reading.problem);
    const terms = text.parse(reading.value, this.#language());
    return "problem" in terms ? this.#refuse(path, terms.problem) : search(text, terms);
  }

  #field(name: string, value: JsonValue, path: string): Filter {
    const field = this.#fields.field(name);
    if (!isJsonObject(value)) {
      this.#conditions += 1;
      return field === undefined ? this.#unknown(name, path) : this.#condition("$eq", field, value, path);
    }
    const asked = Object.entries(value);
    this.#conditions += asked.length;
    if (field === undefined) return this.#unknown(name, path);
    if (asked.length === 0) return this.#refuse(path, "must have an operator");
    return and(
      ...asked.map(([operator, operand = null]) =>
        this.#condition(operator, field, operand, `${path}.${operator}`),
      ),
    );
  }

  #condition(name: string, field: Field, value: JsonValue, path: string): Filter {
    const operator = this.#fields.operators.get(name);
    if (operator === undefined) return this.#refuse(path, this.#unknownOperator(name, field));
    return operator(field, value, (reason) => this.#refuse(path, reason)) ?? TRUE;
  }

  /** Operators without their `$`, and fields inside an object written as its members, are common mistakes. */
  #unknownOperator(name: string, field: Field): string {
    if (operators.has(name)) return "is not available here";
    const inside = `${field.path}.${name}`;
    if (this.#fields.operators.has(`$${name}`)) return `unknown operator: write $${name}`;
    return this.#fields.field(inside) === undefined
      ? "unknown operator"
      : `unknown operator: write "${inside}" for the field`;
  }

  #unknown(name: string, path: string): Filter {
    const [first = ""] = name.split(".");
    if (!this.#fields.references.includes(first)) return this.#refuse(path, "unknown field");
    return this.#refuse(path, `leads through the reference ${first}, which queries cannot follow`);
  }

  /** Notes a problem; nothing is done with the filter any more. */
  #refuse(path: string, reason: string): Filter {
    this.#problems.push({ path, reason });
    return TRUE;
  }
}
