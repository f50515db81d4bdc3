/** What the parser says of a rule, in the words of those who write rules. */

export interface SyntaxProblem {
  readonly problem: string;
  readonly hint?: string;
}

/** `message` as TypeScript has it, of the character at `offset` in the rule's text. */
export function syntaxProblem(message: string, text: string, offset: number): SyntaxProblem {
  const word = operatorWord(text, offset);
  if (word !== undefined)
    return { problem: `'${word}' is no operator`, hint: `write ${operatorWords[word.toLowerCase()]}` };
  // The rule stands in brackets when it is parsed: before the end of its text, it is not they that are missing.
  if (message === "')' expected." && offset < text.length)
    return { problem: "an operator such as && is expected here" };
  if (message === "Unterminated string literal." && offset >= text.length)
    return {
      problem: "the text that starts before this has no closing quote",
      hint: "close it; if a ' #' stands in the text, YAML took the rest for a comment: put the rule in double quotes",
    };
  const plain = message.replace(/^[A-Z]/, (first) => first.toLowerCase()).replace(/\.$/, "");
  return { problem: wordings[message] ?? plain };
}

const operatorWords: Readonly<Record<string, string>> = { and: "&&", or: "||", not: "!" };

/** Other languages write operators as words: the parser stumbles over `and`, and over what follows `not`. */
function operatorWord(text: string, offset: number): string | undefined {
  const [after] = /^(?:and|or|not)\b/i.exec(text.slice(offset)) ?? [];
  const [before] = /\bnot(?=\s+$)/i.exec(text.slice(0, offset)) ?? [];
  return after ?? before;
}

const wordings: Readonly<Record<string, string>> = {
  "Expression expected.": "a value is expected here",
  "Identifier expected.": "a name is expected here",
  "')' expected.": "a ')' is missing",
  "']' expected.": "a ']' is missing",
  "':' expected.": "a ':' is expected here",
  "',' expected.": "a ',' is expected here",
};
