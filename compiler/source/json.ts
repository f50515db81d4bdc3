/**
 * Strict JSON (RFC 8259) with positions. `JSON.parse` judges the same but does not say where (its messages have no
 * positions in Node 20), and YAML parsers accept more than JSON.
 */
import type { Member, SourceNode } from "./node.ts";

/** Thrown at the first mistake. */
export class JsonProblem extends Error {
  readonly offset: number;
  readonly kind: "syntax" | "depth";

  constructor(message: string, offset: number, kind: "syntax" | "depth" = "syntax") {
    super(message);
    this.offset = offset;
    this.kind = kind;
  }
}

export const MAX_DEPTH = 128;

/** Duplicate keys are kept: the caller reports them all. @throws JsonProblem */
export function parseJson(text: string): SourceNode {
  let at = 0;

  const value = document();
  return value;

  function document(): SourceNode {
    space();
    const node = parse(0);
    space();
    if (text[at] === "/" || text[at] === "#") throw unexpected("the end");
    if (at < text.length) throw new JsonProblem("there is more text after the value", at);
    return node;
  }

  function parse(depth: number): SourceNode {
    if (depth > MAX_DEPTH) throw new JsonProblem("too deep", at, "depth");
    const start = at;
    switch (text[at]) {
      case "{":
        return { kind: "object", members: members(depth), start, end: at };
      case "[":
        return { kind: "list", items: items(depth), start, end: at };
      case '"':
        return { kind: "scalar", style: "double", value: string(), start, end: at };
      default:
        return { kind: "scalar", style: "plain", value: literal(), start, end: at };
    }
  }

  function members(depth: number): Member[] {
    const found: Member[] = [];
    at++;
    space();
    if (text[at] === "}") {
      at++;
      return found;
    }
    for (;;) {
      const start = at;
      if (text[at] !== '"') throw unexpected("a key in double quotes", found.length > 0);
      const name = string();
      const key = { start, end: at };
      space();
      if (text[at] !== ":") throw unexpected("':' after the key");
      at++;
      space();
      found.push({ name, key, value: parse(depth + 1) });
      if (!more("}", "',' or '}'")) return found;
    }
  }

  function items(depth: number): SourceNode[] {
    const found: SourceNode[] = [];
    at++;
    space();
    if (text[at] === "]") {
      at++;
      return found;
    }
    for (;;) {
      if (text[at] === "]") throw unexpected("a value", true);
      found.push(parse(depth + 1));
      if (!more("]", "',' or ']'")) return found;
    }
  }

  /** Passes over what follows an element: true when another must come. */
  function more(close: string, expected: string): boolean {
    space();
    if (text[at] === close) {
      at++;
      return false;
    }
    if (text[at] !== ",") throw unexpected(expected);
    at++;
    space();
    return true;
  }

  function string(): string {
    const start = at;
    for (at++; text[at] !== '"'; at++) {
      const code = text.charCodeAt(at);
      if (Number.isNaN(code)) throw new JsonProblem("the string that starts here does not end", start);
      if (code === 0x0a)
        throw new JsonProblem(
          "the string does not end on its line; a line break in it is written \\n",
          start,
        );
      if (code < 0x20)
        throw new JsonProblem(`a control character in a string is written as ${escapeOf(code)}`, at);
      if (code === 0x5c) passEscape();
    }
    at++;
    const parsed: unknown = JSON.parse(text.slice(start, at));
    const result = typeof parsed === "string" ? parsed : "";
    if (/[\ud800-\udfff]/u.test(result))
      throw new JsonProblem("half of a surrogate pair is not a character", start);
    return result;
  }

  function passEscape(): void {
    const pattern = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
    pattern.lastIndex = at;
    if (!pattern.test(text)) {
      const problem =
        text[at + 1] === "u"
          ? "\\u is followed by four hexadecimal digits"
          : `'${text.slice(at, at + 2)}' is no escape of JSON; a backslash is written \\\\`;
      throw new JsonProblem(problem, at);
    }
    at = pattern.lastIndex - 1;
  }

  function literal(): number | boolean | null {
    const pattern = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.+-])|true\b|false\b|null\b/y;
    pattern.lastIndex = at;
    const word = pattern.exec(text)?.[0];
    if (word === undefined) throw unexpected("a value");
    at += word.length;
    if (word === "null") return null;
    if (word === "true" || word === "false") return word === "true";
    const number = Number(word);
    if (!Number.isFinite(number)) throw new JsonProblem("the number is too large", at - word.length);
    return number;
  }

  function space(): void {
    while (at < text.length && " \t\n\r".includes(text.charAt(at))) at++;
  }

  function unexpected(expected: string, afterComma = false): JsonProblem {
    const found = text[at];
    if (found === undefined) return new JsonProblem(`the file ends where ${expected} is expected`, at);
    if (found === "/" || found === "#") return new JsonProblem("JSON has no comments", at);
    if (found === "'") return new JsonProblem("strings stand in double quotes", at);
    if (afterComma && (found === "}" || found === "]")) {
      return new JsonProblem("a comma before the end is not allowed", text.lastIndexOf(",", at));
    }
    const word = /^[\p{L}\p{N}_$+.-]+/u.exec(text.slice(at, at + 40))?.[0];
    const what = word ?? `'${String.fromCodePoint(text.codePointAt(at) ?? 0)}'`;
    return new JsonProblem(`${expected} is expected here, not ${what}`, at);
  }
}

function escapeOf(code: number): string {
  return code === 9 ? "\\t" : code === 13 ? "\\r" : `\\u${code.toString(16).padStart(4, "0")}`;
}
