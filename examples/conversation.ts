import { deepStrictEqual } from "node:assert";

/**
 * A README's conversation with a server: pairs of fenced `http` blocks, a request and the answer to it. In answers
 * `<name>` stands for a value that the first use binds and later ones repeat, and `…` for any value.
 */
export interface Turn {
  /** Of the request block in the README, for messages. */
  readonly line: number;
  readonly request: Message;
  readonly answer: Message;
}

interface Message {
  /** `GET /path` or `HTTP/1.1 200 OK`. */
  readonly start: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** @throws Error when a request has no answer. */
export function readConversation(markdown: string): Turn[] {
  const blocks = [...markdown.matchAll(/^```http\n(.*?)^```$/gms)].map((match) => ({
    line: markdown.slice(0, match.index).split("\n").length,
    message: readMessage(match[1] ?? ""),
  }));
  const turns: Turn[] = [];
  for (let at = 0; at < blocks.length; at += 2) {
    const [request, answer] = [blocks[at], blocks[at + 1]];
    if (request === undefined || answer === undefined || !answer.message.start.startsWith("HTTP/1.1 ")) {
      throw new Error(`the request in line ${request?.line} has no answer`);
    }
    turns.push({ line: request.line, request: request.message, answer: answer.message });
  }
  return turns;
}

function readMessage(text: string): Message {
  const [head = "", ...body] = text.split("\n\n");
  const [start = "", ...headers] = head.trimEnd().split("\n");
  return {
    start,
    headers: headers.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
    body: body.join("\n\n").trim(),
  };
}

/** Holds the conversation. @throws AssertionError where the server answers otherwise. */
export async function hold(
  url: string,
  turns: readonly Turn[],
  known: Readonly<Record<string, string>>,
): Promise<void> {
  const bound = new Map(Object.entries(known));
  for (const { line, request, answer } of turns) {
    // Queries stand readable in the README; fetch encodes them.
    const [, method = "", path = ""] = /^(\S+) (.*)$/.exec(fill(request.start, bound)) ?? [];
    const got = await fetch(url + path, {
      method,
      headers: request.headers.map(([name, value]): [string, string] => [name, fill(value, bound)]),
      ...(request.body === "" ? {} : { body: fill(request.body, bound) }),
    });
    const text = await got.text();
    const where = `README line ${line}: ${request.start}\nanswered ${got.status} ${text}\n`;
    deepStrictEqual(`HTTP/1.1 ${got.status} ${got.statusText}`, answer.start, where);
    for (const [name, expected] of answer.headers) {
      compare(got.headers.get(name), expected, bound, `${where}header ${name}`);
    }
    if (answer.body === "") deepStrictEqual(text, "", where);
    else compare(JSON.parse(text), JSON.parse(answer.body), bound, where);
  }
}

function fill(text: string, bound: ReadonlyMap<string, string>): string {
  return text.replace(/<([a-z][a-z-]*)>/g, (written, name: string) => bound.get(name) ?? written);
}

function compare(got: unknown, expected: unknown, bound: Map<string, string>, where: string): void {
  if (expected === "…") return;
  if (typeof expected === "string" && typeof got === "string") {
    const name = /^"?<([a-z][a-z-]*)>"?$/.exec(expected)?.[1];
    if (name !== undefined && !bound.has(name)) bound.set(name, got);
    deepStrictEqual(got, fill(expected, bound), where);
  } else if (isCollection(expected) && isCollection(got)) {
    deepStrictEqual(Object.keys(got).sort(), Object.keys(expected).sort(), where);
    for (const key of Object.keys(expected)) compare(got[key], expected[key], bound, `${where}at ${key}`);
  } else deepStrictEqual(got, expected, where);
}

function isCollection(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
