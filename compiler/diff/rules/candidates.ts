/** Values worth trying for what two rules read: those that some comparison of theirs treats differently. */
import type { Scalar } from "../../../runtime/filter/algebra.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../../runtime/json.ts";
import { ahead, member } from "../../../runtime/rules/index.ts";
import { isScalar } from "../../../runtime/rules/values.ts";
import {
  type Condition,
  type Leaf,
  leavesIn,
  operands,
  type Read,
  type Value,
  valuesIn,
} from "../../rules/form.ts";
import { readKey } from "../../rules/print/values.ts";
import type { ValueType } from "../../rules/types.ts";
import { type Group, Groups } from "./groups.ts";

/** What a rule reads, and what may stand there; undefined stands for absent. */
export interface Unknown {
  readonly root: Read["root"];
  readonly path: readonly string[];
  readonly candidates: readonly (JsonValue | undefined)[];
}

export interface Circumstances {
  /** `app_config` of both sides. */
  readonly appConfig: readonly JsonObject[];
  /** It may be anything else, too, as administrators may make it. */
  readonly replaced: boolean;
  /** Dotted paths that valid documents have. */
  readonly required: ReadonlySet<string>;
  /** There may be no document yet. */
  readonly creating?: true;
}

/** When witnesses act. */
export const now = "2026-01-15T12:00:00.000Z";

/** Values of one kind tried for one thing, so that the search stays small. */
const MAX_CANDIDATES = 12;

/** By `readKey`: everything that the rules read. */
export function unknownsOf(
  conditions: readonly Condition[],
  circumstances: Circumstances,
): ReadonlyMap<string, Unknown> {
  const reads = new Map<string, Read & { readonly types: ValueType[] }>();
  const groups = new Groups();
  for (const [at, condition] of conditions.entries()) {
    for (const leaf of leavesIn(condition)) {
      const own = [...readsOf(leaf)];
      for (const read of own) {
        const known = reads.get(readKey(read)) ?? { ...read, types: [] };
        known.types.push(read.type);
        reads.set(readKey(read), known);
      }
      groups.add(own.map(readKey), {
        scalars: new Map(scalarsOf(leaf, circumstances).map((value) => [value, new Set([at])])),
        parts: new Set(leaf.kind === "text" ? operands(leaf).flatMap(namedBy) : []),
        sizes: new Set(sizesOf(leaf)),
      });
    }
  }
  const isRead = (wanted: Read["root"]): boolean => [...reads.values()].some(({ root }) => root === wanted);
  const entries = [...reads].map(([key, read]): [string, Unknown] => [
    key,
    { root: read.root, path: read.path, candidates: candidatesOf(read, groups.of(key), circumstances) },
  ]);
  return new Map([
    // Whoever has members is somebody.
    ...(isRead("user") ? [[userKey, anybody] as const] : []),
    ...(circumstances.creating && isRead("document") ? [[documentKey, anyDocument] as const] : []),
    ...entries,
  ]);
}

export const userKey = readKey({ root: "user", path: [] });
export const documentKey = readKey({ root: "document", path: [] });
const anyDocument: Unknown = { root: "document", path: [], candidates: [{}, undefined] };
const anybody: Unknown = { root: "user", path: [], candidates: [undefined, {}] };

function* readsOf(leaf: Leaf): Generator<Read> {
  for (const operand of operands(leaf))
    for (const value of valuesIn(operand)) if (value.kind === "read") yield value;
  if (leaf.kind === "hasRole")
    yield { kind: "read", root: "user", path: ["roles"], type: { kinds: [], elements: ["text"] } };
}

/** The values that a comparison names, and those beside them. */
function scalarsOf(leaf: Leaf, circumstances: Circumstances): Scalar[] {
  const values = operands(leaf).flatMap((operand) => [...valuesIn(operand)]);
  const named = values.flatMap((value) => [...namedBy(value), ...configuredBy(value, circumstances)]);
  if (leaf.kind === "text")
    return named.flatMap((part): Scalar[] =>
      typeof part === "string" ? [part, `${part}x`, `x${part}`] : [part],
    );
  if (leaf.kind !== "order") return named;
  return named.flatMap((value) => [value, ...neighbours(value)]);
}

function configuredBy(value: Value, { appConfig }: Circumstances): Scalar[] {
  if (value.kind !== "read" || value.root !== "appConfig") return [];
  return appConfig.flatMap((config) => {
    const held = member(config, ...value.path);
    return (Array.isArray(held) ? held : [held]).filter(isScalar);
  });
}

/** The values that stand in a comparison. */
export function namedBy(value: Value): Scalar[] {
  switch (value.kind) {
    case "literal":
      return [value.value];
    case "list":
      return [...value.items];
    case "now":
      return [now];
    case "moment":
      return [ahead(now, value.helper === "ago" ? -value.milliseconds : value.milliseconds)];
    default:
      return [];
  }
}

export function neighbours(value: Scalar): Scalar[] {
  if (typeof value === "number") return [value - 1, value + 1];
  if (typeof value !== "string") return [];
  const time = Date.parse(value);
  if (!/^\d{4}-\d\d-\d\d/.test(value) || Number.isNaN(time)) return [`${value}a`];
  return [-86_400_000, -1, 1, 86_400_000].map((by) => new Date(time + by).toISOString());
}

/** Lengths that a comparison speaks of. */
function sizesOf(leaf: Leaf): number[] {
  const values = operands(leaf).flatMap((operand) => [...valuesIn(operand)]);
  if (!values.some(({ kind }) => kind === "length")) return [];
  return values.flatMap((value) =>
    value.kind === "literal" && typeof value.value === "number"
      ? [value.value - 1, value.value, value.value + 1]
      : [],
  );
}

function candidatesOf(
  { root, path, types }: Read & { readonly types: readonly ValueType[] },
  group: Group,
  { appConfig, replaced, required }: Circumstances,
): readonly (JsonValue | undefined)[] {
  if (root === "user" && path.join(".") === "roles") return rolesOf(group);
  if (path.length === 0) return root === "document" || root === "user" ? [undefined, {}] : [{}];
  const configured =
    root === "appConfig" ? appConfig.flatMap((config) => valueOrNothing(member(config, ...path))) : [];
  if (configured.length > 0 && !replaced) return telling(configured, group);
  const found = [...configured, ...types.flatMap((type) => typed(type, group))];
  const certain =
    isAlwaysThere(root, path) || ((root === "document" || root === "data") && required.has(path.join(".")));
  return [...telling(found, group), ...(certain ? [] : [undefined])];
}

/** Roles of which every choice is tried. */
const MAX_COMBINED = 5;

/** None, each, all, then those between; of what documents call a role no other than that has a meaning here. */
function rolesOf(group: Group): readonly JsonValue[] {
  const texts = [...group.values.scalars.keys()].filter((value) => typeof value === "string");
  const roles = telling(texts, group).slice(0, MAX_CANDIDATES - 2);
  const named = roles.length > 0 ? roles : ["a"];
  const few = named.slice(0, MAX_COMBINED).sort();
  const choices = Array.from({ length: 2 ** few.length }, (_, choice) =>
    few.filter((_role, at) => (choice >> at) & 1),
  );
  const between = choices.filter((some) => some.length > 1 && some.length < named.length);
  return [[], ...named.map((role) => [role]), ...(named.length > 1 ? [named] : []), ...between];
}

/** Where there are too many, those that one rule alone names come first, then those that none does. */
function telling<T extends JsonValue>(values: readonly T[], { values: { scalars } }: Group): T[] {
  const known = [...new Map(values.map((value) => [JSON.stringify(value), value])).values()];
  if (known.length <= MAX_CANDIDATES) return known;
  const rank = (value: JsonValue): number => {
    const [only, ...others]: readonly JsonValue[] = Array.isArray(value) ? value : [value];
    const by = others.length > 0 || !isScalar(only) ? undefined : scalars.get(only);
    return by === undefined ? 1 : by.size === 1 ? 0 : 2;
  };
  return known.sort((a, b) => rank(a) - rank(b)).slice(0, MAX_CANDIDATES);
}

function valueOrNothing(value: unknown): JsonValue[] {
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return [value];
  return Array.isArray(value) || isJsonObject(value) ? [value] : [];
}

/** Values of a type, those that the rules name first. */
function typed(type: ValueType, group: Group): JsonValue[] {
  const scalars = type.kinds.flatMap((kind) => ofKind(kind, type, group));
  if (type.elements === undefined) return scalars;
  const elements = telling(
    type.elements.flatMap((kind) => ofKind(kind, type, group)),
    group,
  ).slice(0, MAX_CANDIDATES - 3);
  const sized = [...group.values.sizes].filter((size) => size >= 0 && size <= 100);
  const [one = "a"] = elements;
  return [
    ...elements.map((element) => [element]),
    [],
    ...sized.map((size) => new Array<JsonValue>(size).fill(one)),
    elements,
    ...scalars,
  ];
}

function ofKind(kind: ValueType["kinds"][number], { values }: ValueType, group: Group): JsonValue[] {
  const named = [...group.values.scalars.keys()];
  switch (kind) {
    case "boolean":
      return [true, false];
    case "number":
      return [...named.filter((value) => typeof value === "number"), 0, 1];
    case "object":
      return [{}];
    case "date-time":
      return [...named.filter(isDateText), now, "2026-01-01T00:00:00.000Z"].map((value) =>
        /T/.test(value) ? value : `${value}T00:00:00.000Z`,
      );
    case "date":
      return [...named.filter(isDateText), now].map((value) => value.slice(0, 10));
    case "text": {
      const texts = named.filter((value) => typeof value === "string");
      if (values !== undefined) return [...texts.filter((value) => values.includes(value)), ...values];
      const sized = [...group.values.sizes]
        .filter((size) => size >= 0 && size <= 100)
        .map((size) => "x".repeat(size));
      const [one, other] = group.keys.has(userId) ? ["u1", "u2"] : ["a", "b"];
      return [...texts, ...sized, one, other, ...joinedTexts(group)];
    }
  }
}

/** Texts that begin with one part and end with another. */
function joinedTexts({ values: { parts } }: Group): string[] {
  const few = [...parts].slice(0, 3);
  return few.flatMap((one) => few.flatMap((other) => (one === other ? [] : [`${one}${other}`])));
}

const userId = readKey({ root: "user", path: ["id"] });

function isDateText(value: JsonValue): value is string {
  return typeof value === "string" && /^\d{4}-\d\d-\d\d(T|$)/.test(value);
}

/** What the server gives to every user and document. */
function isAlwaysThere(root: Read["root"], path: readonly string[]): boolean {
  const text = path.join(".");
  if (root === "user") return ["id", "email", "email_verified", "roles", "mfa", "created_at"].includes(text);
  return (
    root === "document" &&
    ["_meta", "_meta.created_at", "_meta.updated_at", "_meta.version", "id"].includes(text)
  );
}
