/**
 * Random rules with their meaning beside them, written down independently of the compiler: each expression is a pair of
 * a text and a function.
 */
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
interface Value extends Expression<unknown> {
  /** Of claims, which are of the type that they are used as: whatever stands there. */
  readonly claim?: (world: World) => unknown;
}

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

/** An organization or team by a value that may name one. */
function ids({ data }: Names, kind: "org" | "team"): fc.Arbitrary<Value> {
  return fc.constantFrom(
    read("document", "_meta", kind),
    read("document", `${kind}_id`),
    ofProfile("string", kind === "org" ? "org" : "unit"),
    literal(kind === "org" ? "o1" : "t1"),
    ...(data ? [read("data", "_meta", kind)] : []),
  );
}

/** The organization or team of the caller that a value names, if it names one. */
const membershipIn = ({ context }: World, org: unknown): Membership | undefined =>
  [...context.memberships.values()].find((membership) => membership.org === org);

const teamRolesIn = ({ context }: World, team: unknown): readonly unknown[] =>
  [...context.memberships.values()].flatMap(({ teamRoles }) =>
    [...teamRoles].flatMap(([id, roles]) => (id === team ? [...roles] : [])),
  );

/** A claim as a value of some type; one of another type is absent. */
function claims(
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
function pairOf(a: Value, b: Value, world: World): readonly [unknown, unknown] | undefined {
  return a.claim && b.claim && [a.claim(world), b.claim(world)];
}

const typed = (type: string) => (claim: unknown) => only(type, claim);

/** What callers are in organizations and teams. */
function memberships(names: Names): fc.Arbitrary<BooleanRule> {
  const [org, team] = [ids(names, "org"), ids(names, "team")];
  const named: fc.Arbitrary<Value> = fc.oneof(
    fc.constant(read("document", "needed_role")),
    claims(names, ["role"], typed("string")),
  );
  const roles = (...declared: readonly string[]) =>
    fc.array(fc.oneof(fc.constantFrom(...declared.map(literal)), named), { minLength: 1, maxLength: 2 });
  const call = (helper: string, values: readonly Value[]) =>
    `${helper}(${values.map(({ text }) => text).join(", ")})`;
  return fc.oneof(
    org.map((id) => ({
      text: call("inOrg", [id]),
      of: (world: World) => membershipIn(world, id.of(world)) !== undefined,
    })),
    team.map((id) => ({
      text: call("inTeam", [id]),
      of: (world: World) =>
        [...world.context.memberships.values()].some(({ teams }) =>
          [...teams].some((own) => own === id.of(world)),
        ),
    })),
    fc.tuple(org, roles("clerk", "owner")).map(([id, wanted]) => ({
      text: call("hasOrgRole", [id, ...wanted]),
      of: (world: World) => {
        const held: readonly unknown[] = [...(membershipIn(world, id.of(world))?.roles ?? [])];
        return wanted.some((role) => held.includes(role.of(world)));
      },
    })),
    fc.tuple(team, roles("lead", "reviewer")).map(([id, wanted]) => ({
      text: call("hasTeamRole", [id, ...wanted]),
      of: (world: World) => {
        const held = teamRolesIn(world, id.of(world));
        return wanted.some((role) => held.includes(role.of(world)));
      },
    })),
    org.map((id) => ({
      text: `orgClaims(${id.text}) != null`,
      of: (world: World) => membershipIn(world, id.of(world)) !== undefined,
    })),
  );
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

function texts(names: Names): fc.Arbitrary<Value> {
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

function numbers(names: Names): fc.Arbitrary<Value> {
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

function dates(names: Names): fc.Arbitrary<Value> {
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

function booleans(names: Names): fc.Arbitrary<Value> {
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

function lists(names: Names): fc.Arbitrary<Value> {
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
function picked(values: fc.Arbitrary<Value>, condition: fc.Arbitrary<BooleanRule>): fc.Arbitrary<Value> {
  const pick = fc.tuple(condition, values, values).map(([when, yes, no]) => ({
    text: `((${when.text}) ? ${yes.text} : ${no.text})`,
    of: (world: World) => (when.of(world) ? yes.of(world) : no.of(world)),
    ...(yes.claim === undefined || no.claim === undefined
      ? {}
      : { claim: (world: World) => (when.of(world) ? yes.claim?.(world) : no.claim?.(world)) }),
  }));
  return fc.oneof({ weight: 6, arbitrary: values }, { weight: 1, arbitrary: pick });
}

function equality(left: Value, right: Value, form: (value: unknown) => unknown): BooleanRule {
  return {
    text: `${left.text} == ${right.text}`,
    of: (world) => {
      const [a, b] = pairOf(left, right, world) ?? [form(left.of(world)), form(right.of(world))];
      return isScalar(a) && a === b;
    },
  };
}

/** By what stands there: two numbers have an order even where texts are declared. */
function ordering(a: Value, op: keyof typeof comparisons, b: Value): BooleanRule {
  return {
    text: `${a.text} ${op} ${b.text}`,
    of: (world) => {
      const claimed = pairOf(a, b, world);
      if (claimed !== undefined) return numbersOrdered(claimed, op);
      const [left, right] = [a.of(world), b.of(world)];
      if (typeof left === "number" && typeof right === "number") return comparisons[op](left - right);
      return bothText(left, right, (x, y) => comparisons[op](byCodePoint(x, y)));
    },
  };
}

function numbersOrdered([a, b]: readonly [unknown, unknown], op: keyof typeof comparisons): boolean {
  return typeof a === "number" && typeof b === "number" && comparisons[op](a - b);
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
      of: (world: World) => {
        const claimed = pairOf(a, b, world);
        if (claimed !== undefined) return numbersOrdered(claimed, op);
        return bothText(instant(a.of(world)), instant(b.of(world)), (left, right) =>
          comparisons[op](byCodePoint(left, right)),
        );
      },
    })),
    any.map((value) => ({
      text: `${value.text} == null`,
      of: (world: World) => ((value.claim ?? value.of)(world) ?? null) === null,
    })),
    fc.constant({ text: "user == null", of: ({ context }: World) => context.user === undefined }),
    fc.constant({
      text: "document.address == null",
      of: ({ document }: World) => (own(document, "address") ?? null) === null,
    }),
    fc.tuple(text, method, text).map(([a, name, b]) => ({
      text: `${a.text}.${name}(${b.text})`,
      of: (world: World) => {
        if (name === "includes" && a.claim !== undefined) {
          const [list, item] = pairOf(a, b, world) ?? [a.claim(world), b.of(world)];
          return isScalar(item) && Array.isArray(list) && list.includes(item);
        }
        return bothText(a.of(world), b.of(world), (whole, part) => whole[name](part));
      },
    })),
    memberships(names),
    fc.tuple(lists(names), text).map(([list, item]) => ({
      text: `${list.text}.includes(${item.text})`,
      of: (world: World) => {
        const elements = list.of(world);
        const [, value] = pairOf(list, item, world) ?? [undefined, item.of(world)];
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
