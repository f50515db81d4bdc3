/** The rule form in words: an outline of conditions, a line each, and values as rules write them. */
import { type Condition, isLeaf, type Leaf, operands, type Value } from "../rules/form/form.ts";
import { writtenValue } from "../rules/form/written.ts";
import { membershipHelpers } from "../rules/helpers/memberships.ts";

/** Lines, indented by two blanks for each level. */
export function outline(condition: Condition): readonly string[] {
  const inner = (title: string, parts: readonly (readonly string[])[]) => [
    title,
    ...parts.flat().map((line) => `  ${line}`),
  ];
  switch (condition.kind) {
    case "and":
      return inner("all of", condition.of.map(outline));
    case "or":
      return inner("one of", condition.of.map(outline));
    case "not":
      return isLeaf(condition.of) ? [denied(condition.of)] : inner("not", [outline(condition.of)]);
    case "choice": {
      const { when, yes, no } = condition;
      return [
        ...inner("if", [outline(when)]),
        ...inner("then", [outline(yes)]),
        ...inner("else", [outline(no)]),
      ];
    }
    case "constant":
      return [condition.holds ? "always" : "never"];
    default:
      return [told(condition)];
  }
}

function told(leaf: Leaf): string {
  const [a = "", b = ""] = operands(leaf).map(writtenValue);
  switch (leaf.kind) {
    case "truth":
      return `${a} is true`;
    case "absent":
      return `${a} is absent`;
    case "nonEmpty":
      return `${a} has an element`;
    case "equal":
      return `${a} equals ${b}`;
    case "order":
      return `${a} ${leaf.op} ${b}`;
    case "text":
      return `${a} ${{ startsWith: "starts with", endsWith: "ends with", contains: "contains" }[leaf.op]} ${b}`;
    case "includes":
      return `${b} is one of ${a}`;
    case "hasRole":
      return `the caller has the role ${anyOf(leaf.roles)}`;
    case "membership": {
      const place = `the ${membershipHelpers[leaf.helper].in} ${a}`;
      return leaf.roles.length === 0
        ? `the caller is a member of ${place}`
        : `the caller holds the role ${anyOf(leaf.roles)} in ${place}`;
    }
  }
}

/** The opposite. A comparison with what is absent is false, and so its opposite true. */
function denied(leaf: Leaf): string {
  const [a = "", b = ""] = operands(leaf).map(writtenValue);
  switch (leaf.kind) {
    case "truth":
      return `${a} is not true`;
    case "absent":
      return `${a} is present`;
    case "equal":
      return `${a} does not equal ${b}, or is absent`;
    case "includes":
      return `${b} is not one of ${a}, or is absent`;
    default:
      return `not: ${told(leaf)}`;
  }
}

function anyOf(values: readonly Value[]): string {
  return values.map(writtenValue).join(" or ");
}
