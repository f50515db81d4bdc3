/** What files give, read by our published JSON Schemas: what is absent or faulty is at the default that the schema states. */
import collectionSchema from "../../docs/schemas/collection.schema.json" with { type: "json" };
import functionSchema from "../../docs/schemas/function.schema.json" with { type: "json" };
import indexesSchema from "../../docs/schemas/indexes.schema.json" with { type: "json" };
import realmSchema from "../../docs/schemas/realm.schema.json" with { type: "json" };
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { parseDuration, parseRate, parseSize } from "../../runtime/units.ts";
import { valueAt } from "../schema/place.ts";

/** What a value is taken for; undefined where it is something else: validation has said so. */
export type Kind<T> = (value: JsonValue) => T | undefined;

export const text: Kind<string> = (value) => (typeof value === "string" ? value : undefined);
export const number: Kind<number> = (value) => (typeof value === "number" ? value : undefined);
export const flag: Kind<boolean> = (value) => (typeof value === "boolean" ? value : undefined);
export const object: Kind<JsonObject> = (value) => (isJsonObject(value) ? value : undefined);
export const anything: Kind<JsonValue> = (value) => value;
export const texts: Kind<string[]> = (value) =>
  Array.isArray(value) ? value.filter((each: JsonValue) => typeof each === "string") : undefined;
/** Milliseconds. */
export const duration = parsed(parseDuration);
export const rate = parsed(parseRate);
/** Bytes. */
export const size = parsed(parseSize);

function parsed<T>(parse: (text: string) => T | undefined): Kind<T> {
  return (value) => (typeof value === "string" ? parse(value) : undefined);
}

export function oneOf<T extends string>(...values: readonly T[]): Kind<T> {
  return (value) => values.find((each) => each === value);
}

/** What of a list is among `values`, in their order. */
export function someOf<T extends string>(...values: readonly T[]): Kind<T[]> {
  return (value) => (Array.isArray(value) ? values.filter((each) => value.includes(each)) : undefined);
}

export const publishedSchemas = {
  realm: realmSchema,
  collection: collectionSchema,
  indexes: indexesSchema,
  function: functionSchema,
} as const satisfies Readonly<Record<string, JsonObject>>;

/** An object of a file with what its schema says of it. */
export class Given {
  readonly value: JsonObject;
  readonly #schema: JsonObject;
  readonly #root: JsonObject;

  /** `root`: the schema of the file, which `$ref`s are resolved against. */
  constructor(value: JsonObject, schema: JsonObject, root: JsonObject = schema) {
    this.value = value;
    this.#schema = schema;
    this.#root = root;
  }

  /** What is given under a key. */
  find<T>(key: string, kind: Kind<T>): T | undefined {
    const value = this.value[key];
    return value === undefined ? undefined : kind(value);
  }

  /**
   * What is given under a key, or its default.
   * @throws Error where the schema states none
   */
  read<T>(key: string, kind: Kind<T>): T {
    const fallback = this.#member(key).default;
    const value = this.find(key, kind) ?? (fallback === undefined ? undefined : kind(fallback));
    if (value === undefined) throw new Error(`the schema states no default of ${key}`);
    return value;
  }

  /** The object under a key; empty where there is none. */
  in(key: string): Given {
    const schema = this.#member(key);
    return new Given(objectOf(this.value[key] ?? schema.default), schema, this.#root);
  }

  /** The objects under the names that an object holds, sorted by name. */
  named(): [string, Given][] {
    const schema = this.#resolved(this.#schema.additionalProperties);
    return Object.keys(this.value)
      .sort()
      .map((name) => [name, new Given(objectOf(this.value[name]), schema, this.#root)]);
  }

  /** The objects in the list under a key; empty ones for what is something else. */
  items(key: string): Given[] {
    const schema = this.#resolved(this.#member(key).items);
    const list = this.read(key, (value) => (Array.isArray(value) ? value : undefined));
    return list.map((item: JsonValue) => new Given(objectOf(item), schema, this.#root));
  }

  #member(key: string): JsonObject {
    return this.#resolved(objectOf(this.#schema.properties)[key]);
  }

  #resolved(schema: JsonValue | undefined): JsonObject {
    const own = objectOf(schema);
    const target = typeof own.$ref === "string" ? valueAt(this.#root, own.$ref.slice(1)) : undefined;
    return { ...objectOf(target), ...own };
  }
}

export function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** What of these is given. */
export function present<T extends Readonly<Record<string, unknown>>>(
  values: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const found: { [K in keyof T]?: Exclude<T[K], undefined> } = {};
  for (const key in values) {
    const value = values[key];
    if (isGiven(value)) found[key] = value;
  }
  return found;
}

function isGiven<T>(value: T): value is Exclude<T, undefined> {
  return value !== undefined;
}
