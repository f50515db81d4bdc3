/** The rule form written down again in the language of rules, on one line: for messages, and for what is left of a rule. */
import { printDuration } from "../../../runtime/units.ts";
import { type Condition, isLeaf, type Leaf, operands, type Value } from "./form.ts";

/** `document.public || hasRole('editor')`. */
export function written(condition: Condition): string {
  switch (condition.kind) {
    case "constant":
      return `${condition.holds}`;
    case "and":
    case "or": {
      const { kind, of } = condition;
      const inner = of.map((term) =>
        (term.kind === "or" && kind === "and") || term.kind === "choice"
          ? `(${written(term)})`
          : written(term),
      );
      return inner.join(kind === "and" ? " && " : " || ");
    }
    case "not":
      return isLeaf(condition.of) ? writtenDenied(condition.of) : `!(${written(condition.of)})`;
    case "choice":
      return chosen(condition.when, condition.yes, condition.no, written);
    default:
      return writtenLeaf(condition);
  }
}

function chosen(
  when: Condition,
  yes: Condition,
  no: Condition,
  branch: (condition: Condition) => string,
): string {
  return `${inBrackets(when, written(when))} ? ${inBrackets(yes, branch(yes))} : ${inBrackets(no, branch(no))}`;
}

/** A choice within another. */
function inBrackets(part: Condition, text: string): string {
  return part.kind === "choice" ? `(${text})` : text;
}

/** Where a value is wanted: in brackets alone a boolean value would be itself, which may be absent, and a condition is not. */
function definite(condition: Condition): string {
  if (condition.kind === "truth") return `${writtenValue(condition.of)} == true`;
  return condition.kind === "choice"
    ? chosen(condition.when, condition.yes, condition.no, definite)
    : written(condition);
}

function writtenLeaf(leaf: Leaf): string {
  const [a = "", b = ""] = operands(leaf).map(writtenValue);
  switch (leaf.kind) {
    case "truth":
      return a;
    case "absent":
      return `${a} == null`;
    case "nonEmpty":
      return `${a}.length > 0`;
    case "equal":
      return `${a} == ${b}`;
    case "order":
      return `${a} ${leaf.op} ${b}`;
    case "text":
      return `${a}.${leaf.op === "contains" ? "includes" : leaf.op}(${b})`;
    case "includes":
      // A text's own beginnings have a part among them where it starts with that.
      return leaf.list.kind === "ends"
        ? `${writtenValue(leaf.list.of)}.${leaf.list.op}(${b})`
        : `${a}.includes(${b})`;
    case "hasRole":
      return `hasRole(${leaf.roles.map(writtenValue).join(", ")})`;
    case "membership":
      return `${leaf.helper}(${[a, ...leaf.roles.map(writtenValue)].join(", ")})`;
  }
}

/** The opposite. */
function writtenDenied(leaf: Leaf): string {
  const [a = "", b = ""] = operands(leaf).map(writtenValue);
  if (leaf.kind === "absent") return `${a} != null`;
  if (leaf.kind === "equal") return `${a} != ${b}`;
  if (leaf.kind === "order" || leaf.kind === "nonEmpty") return `!(${writtenLeaf(leaf)})`;
  return `!${writtenLeaf(leaf)}`;
}

/** As a rule would have it. */
export function writtenValue(value: Value): string {
  switch (value.kind) {
    case "null":
      return "null";
    case "literal":
      return literal(value.value);
    case "list":
      return `[${value.items.map(literal).join(", ")}]`;
    case "now":
      return "now";
    case "moment":
      return `${value.helper}('${printDuration(value.milliseconds)}')`;
    case "length":
      return `${writtenValue(value.of)}.length`;
    case "ends":
      return `the ${value.op === "startsWith" ? "beginnings" : "endings"} of ${writtenValue(value.of)}`;
    case "pick":
      return `(${inBrackets(value.when, written(value.when))} ? ${writtenValue(value.yes)} : ${writtenValue(value.no)})`;
    case "condition":
      return `(${definite(value.of)})`;
    case "read":
      return value.path.reduce((text, name) => `${text}${member(name)}`, value.root);
    case "claim":
      return value.path.reduce(
        (text, name) => `${text}${member(name)}`,
        `orgClaims(${writtenValue(value.org)})`,
      );
  }
}

function member(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${literal(name)}]`;
}

function literal(value: unknown): string {
  return typeof value === "string"
    ? `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
    : `${value}`;
}
