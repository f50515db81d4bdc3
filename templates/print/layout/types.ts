/** Types of emitted modules: how they are read, and how they are laid out. */
import {
  broken,
  type Doc,
  following,
  group,
  hardLine,
  indented,
  line,
  separated,
  softLine,
  whereBroken,
} from "./document.ts";
import type { Tokens } from "./tokens.ts";
import { commentsBefore, keyText, numberText, stringText } from "./words.ts";

export interface Type {
  readonly kind: "object" | "name" | "keyword" | "union" | "intersection" | "prefixed" | "other";
  readonly doc: Doc;
  /** Of a union; laid out as they stand apart. */
  readonly members?: readonly Doc[];
  /** It keeps to the brackets around it: nothing is won by a line of its own. */
  readonly hugs: boolean;
}

/** @throws SyntaxError */
export function typeOf(tokens: Tokens): Type {
  tokens.takes("|");
  const first = intersectionOf(tokens);
  if (tokens.peek() !== "|") return first;
  const types = [first];
  while (tokens.takes("|")) types.push(intersectionOf(tokens));
  const given = types.filter(({ doc }) => doc !== "null" && doc !== "void");
  const [only] = given;
  const hugs = given.length === 1 && (only?.kind === "object" || only?.kind === "name");
  const members = types.map((type) => bracketed(type, ["union", "intersection"]));
  if (hugs) return { kind: "union", doc: separated(members, " | "), hugs };
  const inner = members.map((member) => indented(member));
  return { kind: "union", doc: group(apart(inner)), members: inner, hugs };
}

/** A type behind `:` or `=`: a union that does not fit there stands apart on the lines below. */
export function typeBehind(type: Type, canMove: boolean): Doc {
  if (type.members === undefined) return canMove ? following(type.doc) : [" ", type.doc];
  return group(indented(line, apart(type.members)));
}

function intersectionOf(tokens: Tokens): Type {
  tokens.takes("&");
  const first = prefixedOf(tokens);
  if (tokens.peek() !== "&") return first;
  const types = [first];
  while (tokens.takes("&")) types.push(prefixedOf(tokens));
  let isIndented = false;
  const parts = types.map((type, at): Doc => {
    const doc = bracketed(type, ["union", "intersection"]);
    const before = types[at - 1];
    if (before === undefined) return doc;
    const objects = [before, type].filter(({ kind }) => kind === "object").length;
    if (objects === 0) return indented(" &", line, doc);
    if (objects === 1 && at > 1) isIndented = true;
    return [" & ", isIndented ? indented(doc) : doc];
  });
  return { kind: "intersection", doc: group(parts), hugs: false };
}

function prefixedOf(tokens: Tokens): Type {
  const word = tokens.peek();
  if (!["readonly", "keyof", "typeof"].includes(word)) return postfixedOf(tokens);
  tokens.next();
  const of = prefixedOf(tokens);
  return { kind: "prefixed", doc: [word, " ", bracketed(of, ["union", "intersection"])], hugs: false };
}

function postfixedOf(tokens: Tokens): Type {
  let type = primaryOf(tokens);
  // At the start of a line it would be the key of a member.
  while (tokens.peek() === "[" && tokens.linesBefore === 0) {
    tokens.next();
    const of = bracketed(type, ["union", "intersection", "prefixed"]);
    const index = tokens.peek() === "]" ? "" : typeOf(tokens).doc;
    tokens.expect("]");
    type = { kind: "other", doc: [of, "[", index, "]"], hugs: false };
  }
  return type;
}

function primaryOf(tokens: Tokens): Type {
  const word = tokens.peek();
  if (word === "(") {
    tokens.next();
    const type = typeOf(tokens);
    tokens.expect(")");
    return type;
  }
  if (word === "{") return objectType(tokens);
  if (word === "[") {
    const items = listed(tokens, "[", "]", (each) => typeOf(each).doc);
    return { kind: "other", doc: inLines("[", items, whereBroken(","), "]"), hugs: false };
  }
  if (/^["'\d-]/.test(word)) {
    const text = tokens.takes("-") ? `-${tokens.next()}` : tokens.next();
    return { kind: "other", doc: numberText(stringText(text)), hugs: false };
  }
  let name = tokens.name();
  while (tokens.takes(".")) name += `.${tokens.next()}`;
  if (tokens.peek() !== "<") return { kind: keywords.has(name) ? "keyword" : "name", doc: name, hugs: true };
  return { kind: "name", doc: [name, typeArguments(tokens)], hugs: false };
}

const keywords: ReadonlySet<string> = new Set(
  "any boolean never null number object string undefined unknown void".split(" "),
);

/** `<…>`, which the next word begins. */
export function typeArguments(tokens: Tokens): Doc {
  const types = listed(tokens, "<", ">", typeOf);
  const [only] = types;
  const docs = types.map(({ doc }) => doc);
  return types.length === 1 && (only?.hugs || only?.kind === "object")
    ? ["<", docs, ">"]
    : inLines("<", docs, "", ">");
}

function objectType(tokens: Tokens): Type {
  const { isOver, members } = membersOf(tokens);
  if (members.length === 0) return { kind: "object", doc: "{}", hugs: true };
  const inner: Doc = [indented(line, separated(members, [";", line])), whereBroken(";"), line];
  return { kind: "object", doc: (isOver ? broken : group)("{", inner, "}"), hugs: true };
}

/** Members on lines of their own. */
export function interfaceBody(tokens: Tokens): Doc {
  const { members } = membersOf(tokens);
  if (members.length === 0) return "{}";
  return ["{", indented(members.map((member) => [hardLine, member, ";"])), hardLine, "}"];
}

function membersOf(tokens: Tokens): { readonly isOver: boolean; readonly members: readonly Doc[] } {
  tokens.expect("{");
  const isOver = tokens.linesBefore > 0;
  const members: Doc[] = [];
  while (!tokens.takes("}")) {
    const comments = commentsBefore(tokens);
    const isFixed = tokens.peek() === "readonly" && ![":", "?"].includes(tokens.peek(1));
    if (isFixed) tokens.next();
    const key = tokens.takes("[") ? indexKey(tokens) : keyText(tokens.next());
    const mark = tokens.takes("?") ? "?" : "";
    tokens.expect(":");
    members.push([comments, isFixed ? "readonly " : "", key, mark, ":", typeBehind(typeOf(tokens), false)]);
    if (!tokens.takes(";")) tokens.takes(",");
  }
  return { isOver, members };
}

function indexKey(tokens: Tokens): Doc {
  const name = stringText(tokens.next());
  const type = tokens.takes(":") ? [": ", typeOf(tokens).doc] : "";
  tokens.expect("]");
  return ["[", name, type, "]"];
}

/** What stands between brackets, by commas. */
export function listed<T>(tokens: Tokens, open: string, close: string, item: (tokens: Tokens) => T): T[] {
  tokens.expect(open);
  const items: T[] = [];
  while (!tokens.takes(close)) {
    items.push(item(tokens));
    if (tokens.peek() !== close) tokens.expect(",");
  }
  return items;
}

/** On one line where they fit, else each on its own. */
export function inLines(
  open: string,
  items: readonly Doc[],
  last: Doc,
  close: string,
  together: typeof group = group,
): Doc {
  if (items.length === 0) return open + close;
  return together(open, indented(softLine, separated(items, [",", line])), last, softLine, close);
}

/** The type where types of these kinds stand in brackets. */
function bracketed({ kind, doc, members }: Type, kinds: readonly Type["kind"][]): Doc {
  if (!kinds.includes(kind)) return doc;
  return ["(", members === undefined ? doc : group(indented(softLine, apart(members)), softLine), ")"];
}

/** Members of a union, in a group that may break. */
function apart(members: readonly Doc[]): Doc {
  return [whereBroken("| "), separated(members, [line, "| "])];
}
