import type { TextMatch } from "../../../filter/algebra.ts";
import { fold } from "../../../filter/fold.ts";
import { literalStart } from "../../../filter/like.ts";
import { weighing } from "../connection.ts";
import { type Test, withinType } from "../expressions.ts";
import type { Parameters } from "../parameters.ts";

/** Text matches as SQL. Without case both sides are compared folded: the parameter by us, the value by `svc_fold`. */

export function matching(op: TextMatch, text: string, ignoreCase: boolean, parameters: Parameters): Test {
  // Every text starts with the empty one.
  if (text === "" || (op === "startsWith" && !ignoreCase)) return prefix(text, parameters);
  const part = parameters.add(ignoreCase ? fold(text) : text);
  switch (op) {
    case "startsWith":
      return textTest(ignoreCase, (value) => `substr(${value}, 1, length(${part})) = ${part}`);
    case "endsWith":
      return textTest(ignoreCase, (value) => `substr(${value}, -length(${part})) = ${part}`);
    case "contains":
      return textTest(ignoreCase, (value) => `instr(${value}, ${part}) > 0`);
  }
}

/** A `$like` pattern: as one of the simpler matches where it is one, else by GLOB, which takes linear time for a row. */
export function patternMatching(pattern: string, ignoreCase: boolean, parameters: Parameters): Test {
  const start = literalStart(pattern);
  if (start === pattern) {
    const whole = parameters.add(ignoreCase ? fold(pattern) : pattern);
    if (ignoreCase) return textTest(true, (value) => `${value} = ${whole}`);
    return { type: "text", indexable: true, condition: (value) => `${value} = ${whole}` };
  }
  const [, opening, literal, closing] = /^(%*)([^%_]*)(%*)$/.exec(pattern) ?? [];
  if (literal !== undefined) {
    const op = closing === "" ? "endsWith" : opening === "" ? "startsWith" : "contains";
    return matching(op, literal, ignoreCase, parameters);
  }
  const whole = globbing(ignoreCase ? fold(pattern) : pattern, ignoreCase, parameters);
  if (ignoreCase || start === "") return whole;
  const beginning = prefix(start, parameters);
  return {
    ...beginning,
    condition: (value, strictness) =>
      `(${beginning.condition(value, strictness)} AND ${whole.condition(value, strictness)})`,
  };
}

/** A range, which an index serves. */
function prefix(start: string, parameters: Parameters): Test {
  const from = parameters.add(start);
  const end = successor(start);
  const to = end === undefined ? undefined : parameters.add(end);
  return {
    type: "text",
    indexable: true,
    condition: (value, strictness) =>
      withinType(
        "text",
        strictness,
        value,
        `${value} >= ${from}${to === undefined ? "" : ` AND ${value} < ${to}`}`,
      ),
  };
}

/** The first string after all that start so, by code point; undefined when there is none. */
function successor(start: string): string | undefined {
  const points = Array.from(start, (character) => character.codePointAt(0) ?? 0);
  for (let point = points.pop(); point !== undefined; point = points.pop()) {
    if (point === 0x10ffff) continue;
    const next = point === 0xd7ff ? 0xe000 : point + 1;
    return String.fromCodePoint(...points, next);
  }
  return undefined;
}

/** GLOB reads the last two of these as the first. */
const confused = ["\ufffd", "\ufffe", "\uffff"];

/**
 * In the pattern other characters stand for {@link confused} ones, and so they do in the value. Where the value has
 * such a character of its own, which the pattern then has not, any third one does as well.
 */
function globbing(pattern: string, ignoreCase: boolean, parameters: Parameters): Test {
  const present = confused.filter((character) => pattern.includes(character));
  const [other = "", ...standIns] = unused(pattern, present.length + 1);
  const exchanges = present.map((character, n) => ({ character, standIn: standIns[n] ?? "" }));
  const exchanged = exchanges.reduce((text, { character, standIn }) => {
    return text.replaceAll(character, standIn);
  }, pattern);
  const bound = exchanges.map(({ character, standIn }) => ({
    character: parameters.add(character),
    standIn: parameters.add(standIn),
    other: parameters.add(other),
  }));
  const glob = parameters.add(exchanged.replace(/[*?[]/g, "[$&]").replaceAll("%", "*").replaceAll("_", "?"));

  return textTest(ignoreCase, (value) => {
    const subject = bound.reduce((text, { character, standIn, other }) => {
      return `replace(replace(${text}, ${standIn}, ${other}), ${character}, ${standIn})`;
    }, value);
    return `${subject} GLOB ${glob}`;
  });
}

/** Characters that the pattern does not have. */
function unused(pattern: string, count: number): readonly string[] {
  const found: string[] = [];
  for (let point = 0xe000; found.length < count; point++) {
    const character = String.fromCodePoint(point);
    if (!pattern.includes(character)) found.push(character);
  }
  return found;
}

/** `svc_fold` gives NULL for what is no text. */
function textTest(ignoreCase: boolean, holds: (value: string) => string): Test {
  return {
    type: "text",
    indexable: false,
    condition: (value, strictness) => {
      // In a large document each match may take as long as many rows do.
      if (ignoreCase) return `(${weighing} AND ${holds(`svc_fold(${value})`)})`;
      const isText = strictness === "any" ? `typeof(${value}) = 'text' AND ` : "";
      return `(${weighing} AND ${isText}${holds(value)})`;
    },
  };
}
