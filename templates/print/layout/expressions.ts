/** Expressions of emitted modules: how they are read, and how they are laid out. */
import {
  breaks,
  broken,
  type Doc,
  firstFitting,
  following,
  group,
  indented,
  line,
  separated,
  softLine,
  whereBroken,
} from "./document.ts";
import type { Tokens } from "./tokens.ts";
import { inLines, listed, typeArguments, typeOf } from "./types.ts";
import { commentsBefore, keyText, numberText, stringText } from "./words.ts";

export interface Expression {
  readonly kind:
    | ("object" | "array" | "numbers" | "arrow" | "call" | "string" | "number" | "path" | "other")
    | ("conditional" | "logical" | "comparison");
  readonly doc: Doc;
  /** Of objects and lists: how many members. */
  readonly size?: number;
  /** As the last argument of a call whose brackets it keeps to. */
  readonly last?: Doc;
  /** Of operations: without an indent of its own; of conditions: without a group. */
  readonly bare?: Doc;
  /** Of logical operations: in another one. */
  readonly nested?: Doc;
  readonly operator?: Operator;
  /** Behind a name it starts on the next line if it does not fit: an operation, or a condition that begins with one. */
  readonly startsBelow?: boolean;
  /** Nothing is won by breaking it: a name, a short literal, or calls that are given no more than one of these. */
  readonly isShort?: boolean;
  readonly holdsFunction?: boolean;
}

type Operator = "||" | "&&" | "??" | "===" | "!==";

/** From loosely to tightly binding. */
const operators: readonly (readonly Operator[])[] = [["||", "??"], ["&&"], ["===", "!=="]];

/** @throws SyntaxError */
export function expressionOf(tokens: Tokens): Expression {
  if (isArrow(tokens)) return arrowOf(tokens);
  const test = operationOf(tokens, 0);
  if (!tokens.takes("?")) return test;
  const yes = expressionOf(tokens);
  tokens.expect(":");
  const no = expressionOf(tokens);
  const first = yes.kind === "conditional" ? bracketedOnOneLine(yes.doc) : yes.doc;
  const second = (no.kind === "conditional" ? no.bare : undefined) ?? no.doc;
  const bare: Doc = [
    test.doc,
    indented(line, "? ", indented(first), line, ": ", no.kind === "conditional" ? second : indented(second)),
  ];
  return { kind: "conditional", doc: group(bare), bare, startsBelow: test.startsBelow === true };
}

function bracketedOnOneLine(doc: Doc): Doc {
  return [whereBroken("", "("), doc, whereBroken("", ")")];
}

function operationOf(tokens: Tokens, level: number): Expression {
  const of = operators[level];
  if (of === undefined) return unaryOf(tokens);
  const first = operationOf(tokens, level + 1);
  const operator = of.find((each) => each === tokens.peek());
  if (operator === undefined) return first;
  const operands = [first];
  while (tokens.takes(operator)) operands.push(operationOf(tokens, level + 1));
  const [start = "", ...rest] = operands.map((operand) => operandDoc(operand, operator));
  const apart = rest.map((doc): Doc => [` ${operator}`, line, doc]);
  // Of two, the second stays beside the operator where only the first has to break.
  const isPair = operands.length === 2 && operands.every(({ kind }) => kind !== "logical");
  const parts = isPair ? rest.map((doc): Doc => [` ${operator}`, group(line, doc)]) : apart;
  return {
    kind: operator.endsWith("=") ? "comparison" : "logical",
    doc: group(start, indented(parts)),
    bare: group(start, parts),
    nested: group(start, indented(operator.endsWith("=") ? parts : apart)),
    operator,
    startsBelow: true,
  };
}

/** Conditions and other logical operations stand in brackets in an operation. */
function operandDoc({ kind, doc, operator, nested = doc }: Expression, of: Operator): Doc {
  const isLoose = kind === "conditional" || kind === "arrow" || (kind === "logical" && operator !== of);
  return isLoose ? ["(", nested, ")"] : nested;
}

function unaryOf(tokens: Tokens): Expression {
  const sign = tokens.peek();
  if (!["!", "-", "await", "new", "..."].includes(sign)) return memberOf(tokens);
  tokens.next();
  if (sign === "...") return { kind: "other", doc: ["...", expressionOf(tokens).doc] };
  const { kind, doc, isShort } = unaryOf(tokens);
  if (sign === "-") return { kind: "number", doc: ["-", doc] };
  if (sign === "new" || sign === "await")
    return { kind: sign === "new" ? "call" : "other", doc: [sign, " ", doc] };
  const isLoose = kind === "logical" || kind === "comparison" || kind === "conditional";
  const inner = isLoose ? ["(", indented(softLine, doc), softLine, ")"] : doc;
  return { kind: "other", doc: ["!", group(inner)], ...(isShort === undefined ? {} : { isShort }) };
}

function memberOf(tokens: Tokens): Expression {
  let value = primaryOf(tokens);
  for (;;) {
    const sign = tokens.peek();
    if (sign === "." || (sign === "?." && tokens.peek(1) !== "[")) {
      tokens.next();
      value = {
        ...value,
        kind: value.kind === "call" ? "call" : "path",
        doc: [value.doc, sign, tokens.next()],
      };
    } else if (sign === "[" || sign === "?.") {
      const opening = tokens.takes("?.") ? "?.[" : "[";
      const [index] = listed(tokens, "[", "]", expressionOf);
      value = {
        ...value,
        kind: value.kind === "call" ? "call" : "path",
        doc: [value.doc, opening, index?.doc ?? "", "]"],
      };
    } else if (sign === "<") value = { ...value, doc: [value.doc, typeArguments(tokens)] };
    else if (sign === "(") value = callOf(value, listed(tokens, "(", ")", expressionOf));
    else if (sign === "satisfies" || sign === "as") {
      tokens.next();
      value = { kind: value.kind, doc: [value.doc, ` ${sign} `, typeOf(tokens).doc] };
    } else return value;
  }
}

function primaryOf(tokens: Tokens): Expression {
  const word = tokens.peek();
  if (word === "(") {
    const [inner] = listed(tokens, "(", ")", expressionOf);
    return inner ?? { kind: "other", doc: "()" };
  }
  if (word === "{") return objectOf(tokens);
  if (word === "[") return arrayOf(tokens);
  tokens.next();
  if (/^["']/.test(word)) {
    const text = stringText(word);
    return { kind: "string", doc: text, isShort: text.length <= shortest };
  }
  if (/^\d/.test(word)) return { kind: "number", doc: numberText(word), isShort: true };
  return { kind: word.startsWith("/") ? "other" : "path", doc: word, isShort: word.length <= shortest };
}

/** Columns of what is not worth breaking. */
const shortest = 27;

function objectOf(tokens: Tokens): Expression {
  tokens.expect("{");
  const isOver = tokens.linesBefore > 0;
  const members: Doc[] = [];
  while (!tokens.takes("}")) {
    members.push([commentsBefore(tokens), memberText(tokens)]);
    if (tokens.peek() !== "}") tokens.expect(",");
  }
  if (members.length === 0) return { kind: "object", doc: "{}", size: 0, isShort: true };
  const inner: Doc = [indented(line, separated(members, [",", line])), whereBroken(","), line];
  return { kind: "object", doc: (isOver ? broken : group)("{", inner, "}"), size: members.length };
}

function memberText(tokens: Tokens): Doc {
  if (tokens.peek() === "...") return unaryOf(tokens).doc;
  const key = tokens.takes("[") ? `[${tokens.next()}${tokens.next()}` : keyText(tokens.next());
  return tokens.takes(":") ? assigned(`${key}:`, expressionOf(tokens)) : key;
}

function arrayOf(tokens: Tokens): Expression {
  const items = listed(tokens, "[", "]", expressionOf);
  const [first, ...others] = items;
  if (first === undefined) return { kind: "array", doc: "[]", size: 0, isShort: true };
  if (items.every(({ kind }) => kind === "number")) {
    // As many on a line as fit.
    const filled = [first.doc, others.map(({ doc }) => [",", group(line, doc)])];
    return { kind: "numbers", doc: inLines("[", [filled], whereBroken(","), "]"), size: items.length };
  }
  const isOver = others.length > 0 && items.every(({ kind, size = 0 }) => kind === first.kind && size > 1);
  const docs = items.map(({ doc }) => doc);
  return {
    kind: "array",
    doc: inLines("[", docs, whereBroken(","), "]", isOver ? broken : group),
    size: items.length,
  };
}

/** What stands behind a name and `:` or `=`. */
export function assigned(left: Doc, value: Expression): Doc {
  const { kind, doc, bare = doc, isShort, startsBelow } = value;
  if (startsBelow) return group(left, indented(line, group(bare)));
  if (kind === "string" || (kind === "call" && isShort)) return group(left, group(indented(line, doc)));
  return [group(left), kind === "arrow" ? [" ", doc] : following(doc)];
}

function callOf(callee: Expression, values: readonly Expression[]): Expression {
  const [only] = values;
  return {
    kind: "call",
    doc: [callee.doc, argumentsDoc(values)],
    isShort: callee.isShort === true && values.length < 2 && (only === undefined || only.isShort === true),
    holdsFunction: values.some(({ kind }) => kind === "arrow"),
  };
}

function argumentsDoc(values: readonly Expression[]): Doc {
  const docs = values.map(({ doc }) => doc);
  const last = values.at(-1);
  if (last === undefined) return "()";
  const before = docs.slice(0, -1);
  const apart = inLines("(", docs, whereBroken(","), ")", broken);
  if (areComposed(values) || before.some(breaks)) return apart;
  const isAlone = values.length === 1;
  const holdsMany =
    (last.size ?? 0) > 0 && values.at(-2)?.kind !== last.kind && (isAlone || last.kind !== "numbers");
  if (last.last === undefined && !holdsMany) return inLines("(", docs, whereBroken(","), ")");
  const hugged = last.last ?? last.doc;
  const start = before.map((doc) => [doc, ", "]);
  return firstFitting([["(", start, hugged, ")"], ["(", start, broken(hugged), ")"], apart]);
}

/** Functions that are given side by side. */
function areComposed(values: readonly Expression[]): boolean {
  if (values.length < 2) return false;
  const functions = values.filter(({ kind }) => kind === "arrow");
  return (
    functions.length > 1 ||
    values.some(({ kind, holdsFunction }) => kind === "call" && holdsFunction === true)
  );
}

function isArrow(tokens: Tokens): boolean {
  return tokens.peek() === "(" && ["=>", ":"].includes(tokens.afterBracket());
}

function arrowOf(tokens: Tokens): Expression {
  const parameters = listed(tokens, "(", ")", parameterOf);
  const result = tokens.takes(":") ? [": ", typeOf(tokens).doc] : "";
  tokens.expect("=>");
  const body = expressionOf(tokens);
  const head: Doc = [group(parametersDoc(parameters), result), " =>"];
  if (body.kind === "object" || body.kind === "array") {
    const doc = group(head, " ", body.kind === "object" ? ["(", body.doc, ")"] : body.doc);
    return { kind: "arrow", doc, last: doc };
  }
  const inner = body.kind === "conditional" ? bracketedOnOneLine(body.doc) : group(body.bare ?? body.doc);
  const doc = group(head, group(indented(line, inner)));
  const isLast = body.kind === "call" || body.kind === "conditional";
  if (!isLast) return { kind: "arrow", doc };
  return {
    kind: "arrow",
    doc,
    last: group(head, group(indented(line, inner), [whereBroken(","), softLine])),
  };
}

export interface Parameter {
  readonly doc: Doc;
  readonly isPattern: boolean;
}

/** `{ user, now }: RuleContext`, `options?: Options`. */
export function parameterOf(tokens: Tokens): Parameter {
  const isPattern = tokens.peek() === "{";
  const name = isPattern ? objectOf(tokens).doc : tokens.next();
  const mark = tokens.takes("?") ? "?" : "";
  const type = tokens.takes(":") ? [": ", typeOf(tokens).doc] : "";
  return { doc: [name, mark, type], isPattern };
}

export function parametersDoc(parameters: readonly Parameter[]): Doc {
  const docs = parameters.map(({ doc }) => doc);
  const [only] = parameters;
  return parameters.length === 1 && only?.isPattern
    ? ["(", docs, ")"]
    : inLines("(", docs, whereBroken(","), ")");
}
