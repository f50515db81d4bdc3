import { posix } from "node:path";
import type { OpenAPIV3_1 } from "openapi-types";
import { isPart, keyOf, type Place, referred } from "../../../compiler/schema/place.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../runtime/json.ts";
import { kept } from "../../../runtime/kept.ts";
import { Names, pascalCase } from "../../print/names.ts";
import { mapKeyword } from "./keywords.ts";

/** A `$ref` to a component. */
export type Ref = { $ref: string };

/** Collects `components.schemas`: those of the service, of the collections, and whatever these refer to. */
export class SchemaPool {
  readonly #names = new Names();
  /** By the wishes: names kept free, and which of them are not taken yet. */
  readonly #reserved = new Map<string, string>();
  readonly #free = new Set<string>();
  readonly #components = new Map<string, JsonObject>();
  readonly #places = new Map<string, Ref>();
  readonly #shared = new Map<string, Ref>();
  readonly #stems: ReadonlyMap<string, string>;

  /** @param stems Stem of the names of what stands in a file, by its path; others are named after their file. */
  constructor(stems: ReadonlyMap<string, string>) {
    this.#stems = stems;
  }

  /**
   * Keeps a name for `add` or `addPlace`, so that no definition in configuration takes it first; references to the place
   * lead there from now on.
   */
  reserve(name: string, place?: Place): void {
    this.#reserved.set(name, this.#names.claim(name));
    this.#free.add(name);
    if (place) this.#places.set(keyOf(place), this.reserved(name));
  }

  /** Adds a component under a name like the wish; answers the reference to it. */
  add(wish: string, schema: JsonObject): Ref {
    const name = this.#claim(wish);
    this.#components.set(name, schema);
    return reference(name);
  }

  /** The reference to what is, or will be, added under a name that has been reserved. */
  reserved(name: string): Ref {
    return reference(this.#reserved.get(name) ?? name);
  }

  /** As `add` the first time; afterwards the reference to what was then added under this name. */
  share(name: string, make: () => JsonObject): Ref {
    return kept(this.#shared, name, () => this.add(name, make()));
  }

  /** Adds the component for a place: the schema as written. */
  addPlace(wish: string, place: Place): Ref {
    return this.#make(this.#claim(wish), place, "", (at) => this.embed(at));
  }

  /** The reference to the component for a place, made by `build` the first time. `variant` ends its name. */
  component(place: Place, variant: string, build: (place: Place) => JsonObject): Ref {
    const known = this.#places.get(variant + keyOf(place));
    return known ?? this.#make(this.#names.claim(this.#wish(place) + variant), place, variant, build);
  }

  #claim(wish: string): string {
    const reserved = this.#free.delete(wish) ? this.#reserved.get(wish) : undefined;
    return reserved ?? this.#names.claim(wish);
  }

  #make(name: string, place: Place, variant: string, build: (place: Place) => JsonObject): Ref {
    // Known before it is built: schemas may refer to themselves.
    this.#places.set(variant + keyOf(place), reference(name));
    this.#components.set(name, build(place));
    return reference(name);
  }

  /** The schema as written, with its references leading to components. */
  embed(place: Place): JsonObject {
    const embedded = this.embedValue(place);
    if (embedded === true) return {};
    return isJsonObject(embedded) ? embedded : { not: {} };
  }

  /** As `embed`; `true` and `false` stay what they are. */
  embedValue(place: Place): JsonValue {
    if (!isPart(place)) return place.schema;
    const result: JsonObject = {};
    for (const keyword of Object.keys(place.schema)) {
      if (keyword === "$ref") {
        const there = referred(place);
        if (there)
          Object.assign(
            result,
            this.component(there, "", (at) => this.embed(at)),
          );
      } else {
        const embedded = mapKeyword(place, keyword, (inner) => this.embedValue(inner));
        if (embedded !== undefined) result[keyword] = embedded;
      }
    }
    return result;
  }

  #wish(place: Place): string {
    const stem = this.#stems.get(place.path) ?? pascalCase(posix.basename(place.path).split(".")[0] ?? "");
    const below = place.at.filter((segment) => !structural.has(segment));
    const words = [stem, ...below.map(pascalCase)];
    return words.filter((word, at) => word !== words[at - 1]).join("") || "Schema";
  }

  /** Sorted by name. */
  toObject(): Record<string, OpenAPIV3_1.SchemaObject> {
    const sorted = [...this.#components].sort(([left], [right]) => (left < right ? -1 : 1));
    const result: Record<string, OpenAPIV3_1.SchemaObject> = {};
    for (const [name, schema] of sorted) if (isSchemaObject(schema)) result[name] = schema;
    return result;
  }
}

/** The dialect of OpenAPI 3.1 is draft 2020-12: every schema of ours that is an object is a Schema Object. */
function isSchemaObject(schema: JsonObject): schema is JsonObject & OpenAPIV3_1.SchemaObject {
  return isJsonObject(schema);
}

/** Pointer segments that say nothing in a name. */
const structural: ReadonlySet<string> = new Set(["$defs", "definitions", "properties"]);

function reference(name: string): Ref {
  return { $ref: `#/components/schemas/${name}` };
}
