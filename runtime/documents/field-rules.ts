import type { Detail } from "../errors.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import { type FieldRule, holds, type RuleContext } from "../realm/rule.ts";
import { equal } from "../validation/equal.ts";
import { nothing } from "./access.ts";
import { type Path, valueAt, withoutValue, withValue } from "./paths.ts";

/**
 * Field-level rules of a collection (configuration.md, collection.yaml): what a caller's view of a document leaves out,
 * and what their writes may set.
 */
export class FieldRules {
  /** Shorter paths first, so that what is kept of an object is kept before its members are looked at. */
  readonly #rules: readonly FieldRule[];

  /** Of members that the schema does not declare (any more). */
  readonly #retired: readonly Path[];

  constructor({ fieldRules = [], fields }: Pick<CollectionDefinition, "fieldRules" | "fields">) {
    this.#rules = fieldRules.toSorted((one, other) => one.path.length - other.path.length);
    this.#retired = this.#rules.flatMap(({ path }) => (Object.hasOwn(fields, path.join(".")) ? [] : [path]));
  }

  /** The paths hidden from the caller in this document, whether or not the document has them. */
  hidden(context: RuleContext, document: JsonObject): readonly Path[] {
    const hidden: Path[] = [];
    for (const { path, read } of this.#rules) {
      const unreadable = read !== undefined && !holds(read, context, document, nothing);
      if (unreadable || hidden.some((outer) => startsWith(path, outer))) hidden.push(path);
    }
    return hidden;
  }

  /**
   * The members of a document after a write: hidden fields that the caller left out, or removed with the object around
   * them, keep what is stored.
   * @param sent what the caller sent: a document or a patch
   * @param members what would be written
   */
  keep(context: RuleContext, stored: JsonObject, sent: JsonObject, members: JsonObject): JsonObject {
    let kept = members;
    for (const path of this.hidden(context, stored)) {
      const value = valueAt(stored, path);
      if (value === undefined || valueAt(sent, path) !== undefined) continue;
      kept = withValue(kept, path, value) ?? kept;
    }
    return kept;
  }

  /**
   * The members of a document after a write in two: those that the schema is asked of, and those that it declares no longer
   * and that the caller did not name, which stay as they are stored.
   */
  apart(
    sent: JsonObject,
    members: JsonObject,
  ): readonly [JsonObject, readonly (readonly [Path, JsonValue])[]] {
    let judged = members;
    const retired: (readonly [Path, JsonValue])[] = [];
    for (const path of this.#retired) {
      const value = valueAt(judged, path);
      if (value === undefined || valueAt(sent, path) !== undefined) continue;
      judged = withoutValue(judged, path);
      retired.push([path, value]);
    }
    return [judged, retired];
  }

  /**
   * The fields that a create sets without the right to. Defaults are the server's: nobody is asked for them.
   * @param sent what the caller says of the document
   * @param data the document as it would be
   */
  refusedInCreate(context: RuleContext, sent: JsonObject, data: JsonObject): readonly Detail[] {
    return this.#unwritable(context, nothing, data)
      .filter((path) => valueAt(sent, path) !== undefined)
      .map((path) => refused(path));
  }

  /**
   * The fields that an update changes without the right to. A hidden one counts as changed when it is named, whatever
   * the value, and when something that is no object replaces the object around it: the answer tells nothing of it.
   */
  refusedInUpdate(
    context: RuleContext,
    stored: JsonObject,
    sent: JsonObject,
    data: JsonObject,
  ): readonly Detail[] {
    const hidden = new Set(this.hidden(context, stored));
    const unwritable = new Set(this.#unwritable(context, stored, data));
    const paths = this.#rules.map(({ path }) => path);
    return paths
      .filter((path) => {
        const isPreset = valueAt(sent, path) === undefined && valueAt(stored, path) === undefined;
        if (!hidden.has(path)) return unwritable.has(path) && !isPreset && changed(path, stored, data);
        if (valueAt(sent, path) !== undefined) return unwritable.has(path);
        return isDisplaced(path, stored, data);
      })
      .map((path) => refused(path));
  }

  #unwritable(context: RuleContext, document: JsonObject, data: JsonObject): readonly Path[] {
    return this.#rules
      .filter(({ write }) => write !== undefined && !holds(write, context, document, data))
      .map(({ path }) => path);
  }
}

/** The members with what was taken from them. */
export function together(members: JsonObject, taken: readonly (readonly [Path, JsonValue])[]): JsonObject {
  return taken.reduceRight((whole, [path, value]) => withValue(whole, path, value) ?? whole, members);
}

/** A caller's view of a document. */
export function without(document: JsonObject, hidden: readonly Path[]): JsonObject {
  return hidden.reduce<JsonObject>(withoutValue, document);
}

function refused(path: Path): Detail {
  return { path: path.join("."), reason: "may not be written" };
}

function startsWith(path: Path, beginning: Path): boolean {
  return beginning.length < path.length && beginning.every((name, at) => path[at] === name);
}

function changed(path: Path, stored: JsonObject, data: JsonObject): boolean {
  const [before, after] = [valueAt(stored, path), valueAt(data, path)];
  if (before === undefined || after === undefined) return before !== after;
  return !equal(before, after);
}

/** Whether an object around the field would make room for something that cannot hold it. */
function isDisplaced(path: Path, stored: JsonObject, data: JsonObject): boolean {
  return path.some((_, length) => {
    if (length === 0) return false;
    const container = path.slice(0, length);
    const after = valueAt(data, container);
    const isRoom = after === undefined || after === null || isJsonObject(after);
    return !isRoom && isJsonObject(valueAt(stored, container));
  });
}
