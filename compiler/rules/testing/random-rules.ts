/**
 * Random rules with their meaning beside them, written down independently of the compiler: each expression is a pair of
 * a text and a function.
 */
import fc from "fast-check";
import {
  type BooleanRule,
  booleans,
  claims,
  dates,
  ids,
  isScalar,
  lists,
  literal,
  membershipIn,
  type Names,
  numbers,
  only,
  own,
  pairOf,
  picked,
  read,
  texts,
  typed,
  type Value,
  type World,
} from "./random-values.ts";

const teamRolesIn = ({ context }: World, team: unknown): readonly unknown[] =>
  [...context.memberships.values()].flatMap(({ teamRoles }) =>
    [...teamRoles].flatMap(([id, roles]) => (id === team ? [...roles] : [])),
  );

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
