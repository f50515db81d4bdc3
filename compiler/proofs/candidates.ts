/** Values worth trying for what two rules read: those that some comparison of theirs treats differently. */
import type { Scalar } from "../../runtime/filter/algebra.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import { member } from "../../runtime/rules/index.ts";
import { isScalar } from "../../runtime/rules/values.ts";
import type { Asked } from "../rules/form/evaluate.ts";
import {
  asksMemberships,
  type Claim,
  type Condition,
  type Leaf,
  leavesIn,
  operands,
  readKey,
  type Value,
  valuesIn,
} from "../rules/form/form.ts";
import { ofEveryUser } from "../rules/form/simplify.ts";
import { textType, type ValueType } from "../rules/form/types.ts";
import { momentHelpers } from "../rules/helpers/moments.ts";
import { choicesOf } from "./choices.ts";
import { type Group, Groups, nothing } from "./groups.ts";
import { idsIn, membershipCandidates, org } from "./memberships.ts";
import { place } from "./place.ts";
import type { Room } from "./room.ts";

/** What a rule reads, and what may stand there; undefined stands for absent. */
export interface Unknown extends Asked {
  readonly candidates: readonly (JsonValue | undefined)[];
}

export interface Circumstances {
  /** `app_config` of both sides. */
  readonly appConfig: readonly JsonObject[];
  /** It may be anything else, too, as administrators may make it. */
  readonly replaced: boolean;
  /** The documents that there may be, and what may be written. */
  readonly room: Room;
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
  const reads = new Map<string, Asked & { readonly types: ValueType[] }>();
  const groups = new Groups();
  for (const [at, condition] of conditions.entries()) {
    for (const leaf of leavesIn(condition)) {
      for (const read of readsOf(leaf)) {
        const known = reads.get(readKey(read)) ?? { ...read, types: [] };
        known.types.push(read.type);
        reads.set(readKey(read), known);
      }
      const named = (values: readonly Scalar[]) => new Map(values.map((value) => [value, new Set([at])]));
      const claims = claimsIn(leaf);
      for (const claim of claims)
        groups.add(readsIn(claim.org).map(readKey), { ...nothing, scalars: named([org]) });
      const ofClaims = new Set(claims.flatMap((claim) => [...valuesIn(claim.org)]));
      const compared = [...readsOf(leaf, ofClaims)];
      groups.add(compared.map(readKey), {
        scalars: named(scalarsOf(leaf, circumstances)),
        parts: new Set(leaf.kind === "text" ? operands(leaf).flatMap(namedBy) : []),
        sizes: new Set(sizesOf(leaf)),
      });
    }
  }
  const asks = conditions.some(asksMemberships);
  const isRead = (wanted: Asked["root"]): boolean => [...reads.values()].some(({ root }) => root === wanted);
  const entries = [...reads].map(([key, read]): [string, Unknown] => [
    key,
    { root: read.root, path: read.path, candidates: candidatesOf(read, groups.of(key), circumstances) },
  ]);
  const memberships: Unknown = { ...membershipsRead, candidates: membershipCandidates(conditions) };
  return new Map([
    // Whoever has members, or is a member, is somebody.
    ...(asks || isRead("user") ? [[userKey, anybody] as const] : []),
    ...(asks ? [[membershipsKey, memberships] as const] : []),
    ...(circumstances.creating && isRead("document") ? [[documentKey, anyDocument] as const] : []),
    ...entries,
  ]);
}

export const userKey = readKey({ root: "user", path: [] });
export const documentKey = readKey({ root: "document", path: [] });
const anyDocument: Unknown = { root: "document", path: [], candidates: [{}, undefined] };
const anybody: Unknown = { root: "user", path: [], candidates: [undefined, {}] };

const membershipsRead = { root: "memberships", path: [] } as const;
export const membershipsKey = readKey(membershipsRead);

type TypedRead = Asked & { readonly type: ValueType };

function* readsOf(leaf: Leaf, without?: ReadonlySet<Value>): Generator<TypedRead> {
  for (const operand of operands(leaf)) yield* readsIn(operand, without);
  if (leaf.kind === "hasRole")
    yield { root: "user", path: ["roles"], type: { kinds: [], elements: ["text"] } };
}

/** What is read in a value, but in some of its parts. */
function readsIn(of: Value, without: ReadonlySet<Value> = new Set()): readonly TypedRead[] {
  return [...valuesIn(of)].flatMap((value): readonly TypedRead[] => {
    if (without.has(value)) return [];
    if (value.kind === "read") return [value];
    return value.kind === "claim" && value.path.length > 0 ? [{ ...value, root: "claims" }] : [];
  });
}

function claimsIn(leaf: Leaf): readonly Claim[] {
  return operands(leaf).flatMap((operand) =>
    [...valuesIn(operand)].filter((value) => value.kind === "claim"),
  );
}

/** The values that a comparison names, and those beside them. */
function scalarsOf(leaf: Leaf, circumstances: Circumstances): Scalar[] {
  const values = operands(leaf).flatMap((operand) => [...valuesIn(operand)]);
  const named = values.flatMap((value) => [...namedBy(value), ...configuredBy(value, circumstances)]);
  if (leaf.kind === "membership") return [...idsIn(leaf), ...named];
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
      return [momentHelpers[value.helper](now, value.milliseconds)];
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
  { root, path, types }: Asked & { readonly types: readonly ValueType[] },
  group: Group,
  { appConfig, replaced, room }: Circumstances,
): readonly (JsonValue | undefined)[] {
  if (root === "user" && path.join(".") === "roles") return rolesOf(group);
  if (path.length === 0) return root === "document" || root === "user" ? [undefined, {}] : [{}];
  const configured =
    root === "appConfig" ? appConfig.flatMap((config) => valueOrNothing(member(config, ...path))) : [];
  if (configured.length > 0 && !replaced) return telling(configured, group);
  const read = { root, path };
  const made = [...types.flatMap((type) => typed(type.open ? textType : type, group)), ...room.samples(read)];
  const found = [...configured, ...made.filter((value) => room.fits(read, objectWith(path, value)))];
  const certain = isAlwaysThere(root, path) || !room.mayHold(read, undefined);
  return [...telling(found, group), ...(certain ? [] : [undefined])];
}

function objectWith(path: readonly string[], value: JsonValue): JsonObject {
  const object: JsonObject = {};
  place(object, path, value);
  return object;
}

/** Of what documents call a role no other than that has a meaning here. */
function rolesOf(group: Group): readonly JsonValue[] {
  const texts = [...group.values.scalars.keys()].filter((value) => typeof value === "string");
  const roles = telling(texts, group).slice(0, MAX_CANDIDATES - 2);
  return choicesOf(roles.length > 0 ? roles : ["a"]);
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
function isAlwaysThere(root: Asked["root"], path: readonly string[]): boolean {
  const text = path.join(".");
  if (root === "user") return ofEveryUser.includes(text);
  return (
    root === "document" &&
    ["_meta", "_meta.created_at", "_meta.updated_at", "_meta.version", "id"].includes(text)
  );
}
