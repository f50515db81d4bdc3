/** TypeScript's own messages in as many words as fit. */
import { ts } from "@ts-morph/common";

export interface Words {
  readonly message: string;
  /** What it takes to be meant. */
  readonly hint?: string;
}

/** Characters that a message may have. */
const longest = 200;

/**
 * A message says in a chain what is wrong and why: where that is too long the start and the end stay, and of what a handler
 * is as a whole the end, which names the member that does not fit.
 */
export function wordsOf({ messageText }: ts.Diagnostic): Words {
  const [first = "", ...reasons] = ts
    .flattenDiagnosticMessageText(messageText, "\n")
    .split("\n")
    .map((line) => line.trim().replace(/\s+/g, " ").replace(/\.$/, ""));
  const [, meant] = didYouMean.exec(first) ?? [];
  const start = first.replace(didYouMean, "");
  return {
    message: told(start, reasons),
    ...(meant === undefined ? {} : { hint: `did you mean '${meant}'?` }),
  };
}

const didYouMean = /\.? Did you mean(?: to write)? '([^']+)'\??$/;

function told(start: string, reasons: readonly string[]): string {
  const end = endOf(reasons).join("; ");
  const whole = [start, ...reasons].join("; ");
  if (ofWhole.test(start) && end !== "" && end.length < longest - handlerWords.length)
    return `${handlerWords}${end}`;
  return [whole, `${start}; ${end}`, start, end].find((text) => text.length <= longest) ?? start;
}

/** Of a handler, or of all that it returns. */
const ofWhole = /to type '(?:Handler|(?:WebhookResponse|Output) \| .*)'$/;

const handlerWords = "what the handler takes or returns is not what 'Handler' has: ";

/** The last reason, with the members that lead to it. */
function endOf(reasons: readonly string[]): readonly string[] {
  const leading = reasons
    .slice(0, -1)
    .findLastIndex((line) => !/^(?:Types of|The types of|Types of parameters) /.test(line));
  return reasons.slice(leading + 1);
}
