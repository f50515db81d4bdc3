/** A schema as writers fulfil it where defaults are applied: what has one may be left out. */
import { posix } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { Names } from "../../templates/print/names.ts";
import { pointerOf } from "../source/source.ts";
import { type Presets, presetsOf, reaches } from "./defaults.ts";
import {
  below,
  isPart,
  keyOf,
  type Part,
  type Place,
  placeOf,
  referred,
  type Schema,
  targetOf,
} from "./place.ts";
import { mapHeld, mentions } from "./walk.ts";

/**
 * A schema of its own beside the file of the other one, which it refers to for whatever stays the same. Where JSON Schema
 * cannot say that members may be left out (`not`, `if`, a `oneOf` of what is required), it says less.
 * @returns undefined where no member that may be left out is required
 */
export function inputSchema(schema: Schema): Schema | undefined {
  const root = presetsOf(schema);
  if (root === undefined || !reaches(root, loosens)) return undefined;
  const path = inputPath(schema);
  const document = new Input(path).whole(placeOf(schema), root);
  return { path, pointer: "", document, files: [...schema.files, { path, document }] };
}

function inputPath({ path }: Schema): string {
  return path.replace(/[^/]*$/, (name) => name.replace(/^([^.]*)/, "$1-input"));
}

class Input {
  readonly #path: string;
  readonly #names = new Map<string, string>();
  readonly #taken = new Names();
  readonly #definitions: JsonObject = {};

  /** @param path of the file that it would stand in */
  constructor(path: string) {
    this.#path = path;
  }

  whole(root: Place, node: Presets): JsonValue {
    const written = this.#written(root, node);
    const definitions = Object.keys(this.#definitions).length > 0 ? { $defs: this.#definitions } : {};
    return isJsonObject(written) ? { ...written, ...definitions } : written;
  }

  /** One of the schemas that look at a value together. */
  #written(place: Place, node: Presets): JsonValue {
    if (!reaches(node, loosens)) return this.#copied(place);
    if (!isPart(place)) return place.schema;
    const result: JsonObject = {};
    for (const [name, held] of Object.entries(place.schema)) {
      if (loosens(node) && lost.has(name)) continue;
      if (name === "$ref") result[name] = this.#reference(place, node);
      else if (name === "oneOf" && loosens(node)) result["anyOf"] = this.#held(place, name, held, node);
      else if (name === "required" && Array.isArray(held)) {
        const left = held.filter((each) => !isPreset(node, each));
        if (left.length > 0) result[name] = left;
      } else if (name === "dependentRequired" && isJsonObject(held))
        result[name] = Object.fromEntries(
          Object.entries(held).map(([each, needed]) => [
            each,
            Array.isArray(needed) ? needed.filter((other) => !isPreset(node, other)) : needed,
          ]),
        );
      else if (name !== "$defs") result[name] = this.#held(place, name, held, node);
    }
    return result;
  }

  #held(part: Part, name: string, held: JsonValue | undefined, node: Presets): JsonValue | undefined {
    return mapHeld(name, held, (schema, steps) => {
      const inner = below(part, steps, schema);
      const inside = name === "properties" ? node.members.get(steps.at(-1) ?? "")?.inside : undefined;
      if (inside !== undefined) return this.#written(inner, inside);
      if (name === "items" && node.items !== undefined && part.schema["prefixItems"] === undefined)
        return this.#written(inner, node.items);
      return ["allOf", "anyOf", "oneOf"].includes(name) ? this.#written(inner, node) : this.#copied(inner);
    });
  }

  /** What stays as it is, but that it stands in another file. */
  #copied(place: Place): JsonValue {
    if (!isPart(place)) return place.schema;
    const copy = Object.entries(place.schema).flatMap(([name, held]) => {
      if (name === "$defs") return [];
      if (name === "$ref") return [[name, this.#moved(place)] as const];
      const moved = mapHeld(name, held, (schema, steps) => this.#copied(below(place, steps, schema)));
      return [[name, moved] as const];
    });
    return Object.fromEntries(copy);
  }

  #moved({ path, schema: { $ref } }: Part): JsonValue {
    const target = typeof $ref === "string" ? targetOf($ref, path) : undefined;
    if (target === undefined) return $ref ?? null;
    const file = posix.relative(posix.dirname(this.#path), target.path);
    return `${encodeURI(file)}#${encodeURI(target.pointer)}`;
  }

  #reference(part: Part, node: Presets): JsonValue {
    const target = referred(part);
    if (target === undefined) return this.#moved(part);
    const key = `${keyOf(target)} ${node.key}`;
    const known = this.#names.get(key);
    if (known !== undefined) return `#/$defs/${known}`;
    const stem = target.at.at(-1) ?? posix.basename(target.path).split(".")[0] ?? "";
    const name = this.#taken.claim(`${stem.replace(/[^A-Za-z0-9_-]/g, "")}Input`);
    this.#names.set(key, name);
    this.#definitions[name] = this.#written(target, node);
    return `#${pointerOf(["$defs", name])}`;
  }
}

/** Keywords that cannot be weakened member by member. */
const lost: ReadonlySet<string> = new Set([
  ...[
    "not",
    "if",
    "then",
    "else",
    "unevaluatedProperties",
    "dependentSchemas",
    "minProperties",
    "const",
    "enum",
  ],
]);

function isPreset({ members }: Presets, name: JsonValue): boolean {
  return typeof name === "string" && members.get(name)?.preset !== undefined;
}

/** Whether what a schema asks of an object is said of what has a default. */
function loosens(node: Presets): boolean {
  const names = [...node.members.keys()].filter((name) => isPreset(node, name));
  if (names.length === 0) return false;
  return node.parts.some(({ schema }) =>
    Object.entries(schema).some(([keyword, held]) => {
      if (keyword === "minProperties") return true;
      if (!asking.has(keyword)) return false;
      const isOfMembers = keyword === "required" || keyword === "dependentRequired";
      return (isOfMembers || mentions(held, "required")) && names.some((name) => mentions(held, name));
    }),
  );
}

const asking: ReadonlySet<string> = new Set([
  ...["required", "dependentRequired", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas"],
]);
