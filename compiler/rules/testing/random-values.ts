/** What random rules compare: values of each type with their meaning beside them, written down independently of the compiler. */
import fc from "fast-check";
import { isJsonObject, type JsonObject } from "../../../runtime/json.ts";
import type { RuleUser } from "../../../runtime/realm/caller.ts";
import type { Membership } from "../../../runtime/realm/memberships.ts";
import type { RuleContext } from "../../../runtime/realm/rule.ts";

export interface World {
  readonly context: RuleContext;
  readonly document: JsonObject;
  readonly data: JsonObject;
}

export interface Expression<T> {
  readonly text: string;
  readonly of: (world: World) => T;
}

export type BooleanRule = Expression<boolean>;
export interface Value extends Expression<unknown> {
  /** Of claims, which are of the type that they are used as: whatever stands there. */
  readonly claim?: (world: World) => unknown;
}

export interface Names {
  /** Whether `data` may be used. */
  readonly data: boolean;
}

export const own = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (reached, name) => (isJsonObject(reached) && Object.hasOwn(reached, name) ? reached[name] : undefined),
    value,
  );

export const only = (type: string, value: unknown): unknown => (typeof value === type ? value : undefined);

export function read(root: "document" | "data", ...path: readonly string[]): Value {
  const text = path.map((name) => (/^\w+$/.test(name) ? `.${name}` : `['${name}']`)).join("");
  return { text: `${root}${text}`, of: (world) => own(world[root], ...path) };
}

function ofUser(name: keyof RuleUser): Value {
  return { text: `user.${name}`, of: ({ context }) => context.user?.[name] };
}

function ofProfile(type: string, ...path: readonly string[]): Value {
  return {
    text: `user.profile.${path.join(".")}`,
    of: ({ context }) => only(type, own(context.user?.profile, ...path)),
  };
}

function ofConfig(type: string, ...path: readonly string[]): Value {
  return {
    text: `appConfig.${path.join(".")}`,
    of: ({ context }) => only(type, own(context.appConfig, ...path)),
  };
}

/** An organization or team by a value that may name one. */
export function ids({ data }: Names, kind: "org" | "team"): fc.Arbitrary<Value> {
  return fc.constantFrom(
    read("document", "_meta", kind),
    read("document", `${kind}_id`),
    ofProfile("string", kind === "org" ? "org" : "unit"),
    literal(kind === "org" ? "o1" : "t1"),
    ...(data ? [read("data", "_meta", kind)] : []),
  );
}

/** The organization or team of the caller that a value names, if it names one. */
export const membershipIn = ({ context }: World, org: unknown): Membership | undefined =>
  [...context.memberships.values()].find((membership) => membership.org === org);

/** A claim as a value of some type; one of another type is absent. */
export function claims(
  names: Names,
  path: readonly string[],
  form: (claim: unknown) => unknown,
): fc.Arbitrary<Value> {
  return ids(names, "org").map((id) => {
    const claim = (world: World) => own(membershipIn(world, id.of(world))?.claims, ...path);
    return { text: `orgClaims(${id.text}).${path.join(".")}`, of: (world) => form(claim(world)), claim };
  });
}

/** Two claims that are compared with each other have no type. */
export function pairOf(a: Value, b: Value, world: World): readonly [unknown, unknown] | undefined {
  return a.claim && b.claim && [a.claim(world), b.claim(world)];
}

export const typed = (type: string) => (claim: unknown) => only(type, claim);

export function literal(value: string | number | boolean): Value {
  return { text: typeof value === "string" ? `'${value}'` : String(value), of: () => value };
}

export const isScalar = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value);

export function texts(names: Names): fc.Arbitrary<Value> {
  const { data } = names;
  const roots: Value[] = [
    read("document", "title"),
    read("document", "status"),
    read("document", "needed_role"),
    read("document", "address", "city"),
    read("document", "constructor"),
    read("document", "_meta", "owner"),
    ofUser("id"),
    ofUser("email"),
    ofUser("locale"),
    ofProfile("string", "team"),
    ofProfile("string", "address", "city"),
    ofConfig("string", "banner"),
    literal("open"),
    literal("a"),
    literal(""),
    ...(data ? [read("data", "title"), read("data", "status")] : []),
  ];
  return fc.oneof(
    { weight: roots.length, arbitrary: fc.constantFrom(...roots) },
    { weight: 3, arbitrary: claims(names, ["plan"], typed("string")) },
  );
}

export function numbers(names: Names): fc.Arbitrary<Value> {
  const { data } = names;
  const others = fc.constantFrom(
    read("document", "count"),
    read("document", "address", "length"),
    read("document", "_meta", "version"),
    ofProfile("number", "level"),
    ofConfig("number", "trial_days"),
    ofConfig("number", "limits", "max"),
    literal(0),
    literal(3),
    literal(-1.5),
    ...(data
      ? [
          read("data", "count"),
          { text: "document.tags.length", of: ({ document }: World) => lengthOf(own(document, "tags")) },
          { text: "data.title.length", of: (world: World) => lengthOf(own(world.data, "title")) },
        ]
      : []),
    { text: "user.roles.length", of: ({ context }) => context.user?.roles.length },
  );
  return fc.oneof(
    { weight: 10, arbitrary: others },
    { weight: 2, arbitrary: claims(names, ["limits", "seats"], typed("number")) },
    {
      weight: 1,
      arbitrary: claims(names, ["features"], lengthOf).map(({ text, of }) => ({
        text: `${text}.length`,
        of,
      })),
    },
  );
}

function lengthOf(value: unknown): unknown {
  return typeof value === "string" || Array.isArray(value) ? value.length : undefined;
}

export function dates(names: Names): fc.Arbitrary<Value> {
  const { data } = names;
  const now = (milliseconds: number) => (world: World) =>
    new Date(Date.parse(world.context.now) + milliseconds).toISOString();
  const others = fc.constantFrom<Value>(
    read("document", "due_at"),
    read("document", "due-at"),
    read("document", "day"),
    read("document", "_meta", "created_at"),
    ofUser("created_at"),
    { text: "now", of: now(0) },
    { text: "ago('2d')", of: now(-172_800_000) },
    { text: "ahead('12h')", of: now(43_200_000) },
    ...(data ? [read("data", "due_at"), read("data", "day")] : []),
  );
  return fc.oneof(
    { weight: 10, arbitrary: others },
    { weight: 2, arbitrary: claims(names, ["until"], storedDate) },
  );
}

/** What profiles and claims hold may be anything: what is no date is absent. */
function storedDate(value: unknown): unknown {
  return typeof value === "string" && /^\d{4}-\d\d-\d\d(T[\d:.]+Z)?$/.test(value) ? value : undefined;
}

export function booleans(names: Names): fc.Arbitrary<Value> {
  const { data } = names;
  const others = fc.constantFrom(
    read("document", "public"),
    read("document", "shared"),
    ofUser("email_verified"),
    ofUser("mfa"),
    ofProfile("boolean", "vip"),
    ofConfig("boolean", "frozen"),
    ...(data ? [read("data", "public")] : []),
  );
  return fc.oneof(
    { weight: 6, arbitrary: others },
    { weight: 1, arbitrary: claims(names, ["beta"], typed("boolean")) },
  );
}

export function lists(names: Names): fc.Arbitrary<Value> {
  return fc.oneof(
    { weight: 5, arbitrary: otherLists },
    { weight: 1, arbitrary: claims(names, ["features"], knownList) },
  );
}

const otherLists: fc.Arbitrary<Value> = fc.constantFrom<Value>(
  read("document", "tags"),
  ofUser("roles"),
  { text: "user.profile.skills", of: ({ context }) => knownList(own(context.user?.profile, "skills")) },
  { text: "appConfig.open_to", of: ({ context }) => knownList(own(context.appConfig, "open_to")) },
  { text: "['a', 'open', 'admin']", of: () => ["a", "open", "admin"] },
);

function knownList(value: unknown): unknown {
  return Array.isArray(value) ? value.filter(isScalar) : undefined;
}

/** Sometimes one of two values, by a condition. */
export function picked(
  values: fc.Arbitrary<Value>,
  condition: fc.Arbitrary<BooleanRule>,
): fc.Arbitrary<Value> {
  const pick = fc.tuple(condition, values, values).map(([when, yes, no]) => ({
    text: `((${when.text}) ? ${yes.text} : ${no.text})`,
    of: (world: World) => (when.of(world) ? yes.of(world) : no.of(world)),
    ...(yes.claim === undefined || no.claim === undefined
      ? {}
      : { claim: (world: World) => (when.of(world) ? yes.claim?.(world) : no.claim?.(world)) }),
  }));
  return fc.oneof({ weight: 6, arbitrary: values }, { weight: 1, arbitrary: pick });
}
