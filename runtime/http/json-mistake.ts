/** Where a JSON text is broken: the parser's messages name no place in every version of Node. */

/** `line 3, column 5`, both from 1, of the first character that cannot stand where it does, or of the end. */
export function mistakePlace(text: string): string {
  const at = mistakeAt(text);
  const lines = text.slice(0, at).split(/\r\n|\r|\n/);
  return `line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`;
}

type Expected = "value" | "value or end" | "name" | "name or end" | "colon" | "rest";

/** In time linear in the text, whatever its depth. */
function mistakeAt(text: string): number {
  const open: ("}" | "]")[] = [];
  let expected: Expected = "value";
  let at = 0;
  for (;;) {
    at = endOf(/[ \t\r\n]*/y, text, at) ?? at;
    const character = text[at];
    if (character === undefined) return at;
    const closes = character === open.at(-1) && /^(?:rest|.* or end)$/.test(expected);
    if (closes) {
      open.pop();
      expected = "rest";
      at++;
    } else if (expected === "rest") {
      if (character !== "," || open.length === 0) return at;
      expected = open.at(-1) === "}" ? "name" : "value";
      at++;
    } else if (expected === "colon") {
      if (character !== ":") return at;
      expected = "value";
      at++;
    } else if (character === '"') {
      const end = stringEnd(text, at);
      if (text[end] !== '"') return end;
      expected = expected.startsWith("name") ? "colon" : "rest";
      at = end + 1;
    } else if (expected.startsWith("name")) {
      return at;
    } else if (character === "{" || character === "[") {
      open.push(character === "{" ? "}" : "]");
      expected = character === "{" ? "name or end" : "value or end";
      at++;
    } else {
      const end = endOf(/true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y, text, at);
      if (end === undefined) return at;
      expected = "rest";
      at = end;
    }
  }
}

function endOf(form: RegExp, text: string, at: number): number | undefined {
  form.lastIndex = at;
  return form.test(text) ? form.lastIndex : undefined;
}

/** Of the closing quote, or of what cannot stand in a string. */
function stringEnd(text: string, start: number): number {
  const escaped = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
  let at = start + 1;
  for (; at < text.length && text[at] !== '"'; at++) {
    if (text.charCodeAt(at) < 0x20) return at;
    if (text[at] !== "\\") continue;
    const end = endOf(escaped, text, at);
    if (end === undefined) return at;
    at = end - 1;
  }
  return at;
}
