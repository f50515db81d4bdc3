import { type Incoming, NoDocument } from "../../documents/importing/incoming.ts";
import { ApiError } from "../../errors.ts";
import { type JsonBody, readObject, textOf } from "../../http/body.ts";
import { InputRefused, requireShort } from "./input.ts";
import { isBlank, type TextLine, textLines } from "./text-lines.ts";

const bracket = 0x5b;

/**
 * One document a line, in UTF-8 with or without a mark; empty lines are none.
 * @param name of the input, for messages
 * @throws InputRefused
 */
export async function* ndjsonDocuments(
  name: string,
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly Incoming[]> {
  for await (const lines of textLines(name, chunks)) {
    const [first] = lines;
    if (first?.line === 1 && first.raw[0] === bracket)
      throw new InputRefused(
        `${name}: holds an array; one document a line is needed (jq -c '.[]' makes it so)`,
      );
    yield lines
      .filter((line) => !isBlank(line))
      .map((line) => ({ line: line.line, raw: line.raw, read: () => documentIn(line) }));
  }
}

/** @throws NoDocument */
function documentIn({ raw, isLong, isCut }: TextLine): JsonBody {
  requireShort(isLong);
  try {
    return readObject(textOf(raw));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const reason = noObject(error);
    throw new NoDocument(
      isCut ? `${reason}; the file ends in it, without an end of line: is it whole?` : reason,
    );
  }
}

/** Why a text is no object, of what says so of a request's body. */
export function noObject({ message }: ApiError): string {
  return message.replace(/^The body is not a valid JSON object: (.*)\.$/, "is no JSON object: $1");
}
