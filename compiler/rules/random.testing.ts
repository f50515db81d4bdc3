/**
 * Random rules with their meaning beside them, written down independently of the compiler: each expression is a pair of
 * a text and a function. Documents, data and callers of any shape.
 */
import fc from "fast-check";
import { isJsonObject, type JsonObject, type JsonValue } from "../../runtime/json.ts";
import type { RuleUser } from "../../runtime/realm/caller.ts";
import type { RuleContext } from "../../runtime/realm/rule.ts";

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
type Value = Expression<unknown>;

interface Names {
  /** Whether `data` may be used. */
  readonly data: boolean;
}

const own = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (reached, name) => (isJsonObject(reached) && Object.hasOwn(reached, name) ? reached[name] : undefined),
    value,
  );

const only = (type: string, value: unknown): unknown => (typeof value === type ? value : undefined);

function read(root: "document" | "data", ...path: readonly string[]): Value {
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

function literal(value: string | number | boolean): Value {
  return { text: typeof value === "string" ? `'${value}'` : String(value), of: () => value };
}

const isScalar = (value: unknown): boolean => ["string", "number", "boolean"].includes(typeof value);
const bothText = (a: unknown, b: unknown, test: (a: string, b: string) => boolean): boolean =>
  typeof a === "string" && typeof b === "string" && test(a, b);

const byCodePoint = (a: string, b: string): number => {
  const [left, right] = [Array.from(a), Array.from(b)];
  const at = left.findIndex((point, index) => point !== right[index]);
  if (at === -1) return left.length - right.length;
  return (left[at]?.codePointAt(0) ?? -1) - (right[at]?.codePointAt(0) ?? -1);
};

/** Anything but a text is no date. */
const instant = (value: unknown): unknown =>
  typeof value === "string" && /^\d{4}-\d\d-\d\d$/.test(value)
    ? `${value}T00:00:00.000Z`
    : only("string", value);

const comparisons = {
  "<": (difference: number) => difference < 0,
  "<=": (difference: number) => difference <= 0,
  ">": (difference: number) => difference > 0,
  ">=": (difference: number) => difference >= 0,
};

const operator = fc.constantFrom<keyof typeof comparisons>("<", "<=", ">", ">=");

function texts({ data }: Names): fc.Arbitrary<Value> {
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
  return fc.constantFrom(...roots);
}

function numbers({ data }: Names): fc.Arbitrary<Value> {
  return fc.constantFrom(
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
}

function lengthOf(value: unknown): unknown {
  return typeof value === "string" || Array.isArray(value) ? value.length : undefined;
}

function dates({ data }: Names): fc.Arbitrary<Value> {
  const now = (milliseconds: number) => (world: World) =>
    new Date(Date.parse(world.context.now) + milliseconds).toISOString();
  return fc.constantFrom<Value>(
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
}

function booleans({ data }: Names): fc.Arbitrary<Value> {
  return fc.constantFrom(
    read("document", "public"),
    read("document", "shared"),
    ofUser("email_verified"),
    ofUser("mfa"),
    ofProfile("boolean", "vip"),
    ofConfig("boolean", "frozen"),
    ...(data ? [read("data", "public")] : []),
  );
}

const lists: fc.Arbitrary<Value> = fc.constantFrom<Value>(
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
function picked(values: fc.Arbitrary<Value>, condition: fc.Arbitrary<BooleanRule>): fc.Arbitrary<Value> {
  const pick = fc.tuple(condition, values, values).map(([when, yes, no]) => ({
    text: `((${when.text}) ? ${yes.text} : ${no.text})`,
    of: (world: World) => (when.of(world) ? yes.of(world) : no.of(world)),
  }));
  return fc.oneof({ weight: 6, arbitrary: values }, { weight: 1, arbitrary: pick });
}

function equality(left: Value, right: Value, form: (value: unknown) => unknown): BooleanRule {
  return {
    text: `${left.text} == ${right.text}`,
    of: (world) => {
      const value = form(left.of(world));
      return isScalar(value) && value === form(right.of(world));
    },
  };
}

/** By what stands there: two numbers have an order even where texts are declared. */
function ordering(a: Value, op: keyof typeof comparisons, b: Value): BooleanRule {
  return {
    text: `${a.text} ${op} ${b.text}`,
    of: (world) => {
      const [left, right] = [a.of(world), b.of(world)];
      if (typeof left === "number" && typeof right === "number") return comparisons[op](left - right);
      return bothText(left, right, (x, y) => comparisons[op](byCodePoint(x, y)));
    },
  };
}

function leaves(names: Names, condition: fc.Arbitrary<BooleanRule>): fc.Arbitrary<BooleanRule> {
  const text = picked(texts(names), condition);
  const number = picked(numbers(names), condition);
  const date = picked(dates(names), condition);
  const boolean = booleans(names);
  const any = fc.oneof(text, number, date, boolean);
  const plain = (value: unknown): unknown => value;
  const method = fc.constantFrom<"startsWith" | "endsWith" | "includes">(
    "startsWith",
    "endsWith",
    "includes",
  );
  return fc.oneof(
    boolean.map((value) => ({ text: value.text, of: (world: World) => value.of(world) === true })),
    fc.tuple(text, text).map(([a, b]) => equality(a, b, plain)),
    fc.tuple(number, number).map(([a, b]) => equality(a, b, plain)),
    fc.tuple(date, date).map(([a, b]) => equality(a, b, instant)),
    fc.tuple(boolean, fc.constantFrom(literal(true), literal(false))).map(([a, b]) => equality(a, b, plain)),
    // An operation is never absent; brackets alone would leave a value what it is.
    fc
      .tuple(boolean, condition)
      .map(([a, b]) => equality(a, { text: `((${b.text}) && true)`, of: b.of }, plain)),
    fc.tuple(number, operator, number).map(([a, op, b]) => ordering(a, op, b)),
    fc.tuple(text, operator, text).map(([a, op, b]) => ordering(a, op, b)),
    fc.tuple(date, operator, date).map(([a, op, b]) => ({
      text: `${a.text} ${op} ${b.text}`,
      of: (world: World) =>
        bothText(instant(a.of(world)), instant(b.of(world)), (left, right) =>
          comparisons[op](byCodePoint(left, right)),
        ),
    })),
    any.map((value) => ({
      text: `${value.text} == null`,
      of: (world: World) => (value.of(world) ?? null) === null,
    })),
    fc.constant({ text: "user == null", of: ({ context }: World) => context.user === undefined }),
    fc.constant({
      text: "document.address == null",
      of: ({ document }: World) => (own(document, "address") ?? null) === null,
    }),
    fc.tuple(text, method, text).map(([a, name, b]) => ({
      text: `${a.text}.${name}(${b.text})`,
      of: (world: World) => bothText(a.of(world), b.of(world), (whole, part) => whole[name](part)),
    })),
    fc.tuple(lists, text).map(([list, item]) => ({
      text: `${list.text}.includes(${item.text})`,
      of: (world: World) => {
        const elements = list.of(world);
        const value = item.of(world);
        return isScalar(value) && (Array.isArray(elements) ? elements : [elements]).includes(value);
      },
    })),
    fc
      .array(
        fc.oneof(
          fc.constantFrom(literal("admin"), literal("editor")),
          fc.constant(read("document", "needed_role")),
        ),
        { minLength: 1, maxLength: 2 },
      )
      .map((roles) => ({
        text: `hasRole(${roles.map((role) => role.text).join(", ")})`,
        of: (world: World) => {
          const held: readonly unknown[] = world.context.user?.roles ?? [];
          return roles.some((role) => held.includes(role.of(world)));
        },
      })),
  );
}

/** Conditions of any shape; `data` may be named in update rules. */
export function ruleArbitrary(names: Names, depth = 3): fc.Arbitrary<BooleanRule> {
  if (depth === 0)
    return booleans(names).map((value) => ({ text: value.text, of: (world) => value.of(world) === true }));
  const inner = ruleArbitrary(names, depth - 1);
  const leaf = leaves(names, inner);
  const pair = fc.tuple(inner, inner);
  return fc.oneof(
    { weight: 4, arbitrary: leaf },
    {
      weight: 2,
      arbitrary: pair.map(([a, b]) => ({
        text: `(${a.text}) && (${b.text})`,
        of: (world: World) => a.of(world) && b.of(world),
      })),
    },
    {
      weight: 2,
      arbitrary: pair.map(([a, b]) => ({
        text: `(${a.text}) || (${b.text})`,
        of: (world: World) => a.of(world) || b.of(world),
      })),
    },
    {
      weight: 2,
      arbitrary: inner.map((a) => ({ text: `!(${a.text})`, of: (world: World) => !a.of(world) })),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(inner, inner, inner).map(([when, yes, no]) => ({
        text: `(${when.text}) ? (${yes.text}) : (${no.text})`,
        of: (world: World) => (when.of(world) ? yes.of(world) : no.of(world)),
      })),
    },
  );
}

const someTexts = fc.constantFrom(
  "a",
  "open",
  "closed",
  "admin",
  "editor",
  "u1",
  "a@b.c",
  "",
  "b.c",
  "hello",
  "\u{1f600}",
  "\ufb01",
  "ab",
);
const someDates = fc.constantFrom(
  "2026-03-01T00:00:00.000Z",
  "2026-03-01",
  "2026-02-27T00:00:00.000Z",
  "2026-02-27",
  "2026-03-01T12:00:00.000Z",
  "2026-02-28T23:59:59.999Z",
);
const someNumbers = fc.constantFrom(0, -0, 1, 3, 14, -1.5);
const anything: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constant(null),
  someTexts,
  someDates,
  someNumbers,
  fc.boolean(),
  fc.array(fc.oneof(someTexts, someNumbers, fc.constant(null)), { maxLength: 3 }),
  fc.array(fc.array(someTexts, { maxLength: 2 }), { maxLength: 2 }),
  fc.record({ city: someTexts, length: someNumbers, name: someTexts }, { requiredKeys: [] }),
  fc.record({ city: fc.array(someTexts), length: fc.constant({}) }, { requiredKeys: [] }),
);

/** Mostly what is declared, sometimes missing, sometimes anything. */
function mostly(declared: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonValue | undefined> {
  return fc.oneof(
    { weight: 6, arbitrary: declared },
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: anything },
  );
}

function members(shape: Readonly<Record<string, fc.Arbitrary<JsonValue>>>): fc.Arbitrary<JsonObject> {
  const entries = Object.entries(shape).map(([name, declared]) =>
    mostly(declared).map((value) => [name, value] as const),
  );
  return fc
    .tuple(...entries)
    .map((pairs) => Object.fromEntries(pairs.filter(([, value]) => value !== undefined)));
}

const address = members({ city: someTexts, length: someNumbers });
const documentShape = {
  title: someTexts,
  status: fc.constantFrom("open", "closed"),
  needed_role: fc.constantFrom("admin", "editor"),
  constructor: someTexts,
  count: someNumbers,
  public: fc.boolean(),
  shared: fc.boolean(),
  tags: fc.array(someTexts, { maxLength: 3 }),
  due_at: someDates,
  "due-at": someDates,
  day: someDates,
  address,
  _meta: members({ owner: fc.constantFrom("u1", "u2"), created_at: someDates, version: someNumbers }),
};

export const documentArbitrary: fc.Arbitrary<JsonObject> = members(documentShape);

const userArbitrary: fc.Arbitrary<RuleUser> = fc.record({
  id: fc.constantFrom("u1", "u2"),
  email: fc.constantFrom("a@b.c", "open"),
  email_verified: fc.boolean(),
  roles: fc.subarray(["admin", "editor"]),
  locale: fc.constantFrom(null, "a"),
  mfa: fc.boolean(),
  created_at: fc.constantFrom("2026-03-01T00:00:00.000Z", "2026-02-27T10:00:00.000Z"),
  profile: fc.oneof(
    fc.constant(null),
    members({
      team: someTexts,
      level: someNumbers,
      vip: fc.boolean(),
      skills: fc.array(someTexts, { maxLength: 2 }),
      address,
    }),
  ),
});

export const contextArbitrary: fc.Arbitrary<RuleContext> = fc.record({
  user: fc.oneof({ weight: 1, arbitrary: fc.constant(undefined) }, { weight: 3, arbitrary: userArbitrary }),
  now: fc.constantFrom("2026-03-01T00:00:00.000Z", "2026-03-01T12:00:00.000Z", "2026-02-27T08:30:00.000Z"),
  appConfig: members({
    banner: someTexts,
    trial_days: someNumbers,
    limits: members({ max: someNumbers }),
    frozen: fc.boolean(),
    open_to: fc.array(someTexts, { maxLength: 2 }),
  }),
});
