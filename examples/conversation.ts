import { deepStrictEqual } from "node:assert";
import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { Mail } from "../runtime/realm/mail.ts";

const execute = promisify(execFile);

/**
 * A README's conversation with a server: pairs of fenced `http` blocks, a request and the answer to it, and `eml` blocks,
 * the mails that are sent in between. In answers and mails `<name>` stands for a value that the first use binds and later
 * ones repeat, and `…` for any value. What happens by itself after a request is asked for in an `http soon` block: again and
 * again, until the answer is the one that is shown. What is not text is sent by a `sh` block, and the `json` block after it is
 * what that prints; `$URL` is the server there. Of an answer that is no JSON `…` is shown.
 */
export type Turn =
  | { readonly line: number; readonly request: Message; readonly answer: Message; readonly soon: boolean }
  | { readonly line: number; readonly mail: string }
  | { readonly line: number; readonly command: string; readonly output: string };

interface Message {
  /** `GET /path` or `HTTP/1.1 200 OK`. */
  readonly start: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** @throws Error when a request has no answer. */
export function readConversation(markdown: string): Turn[] {
  const blocks = [...markdown.matchAll(/^```(http|eml|sh|json)( soon)?\n(.*?)^```$/gms)].map((match) => ({
    line: markdown.slice(0, match.index).split("\n").length,
    kind: match[1],
    soon: match[2] !== undefined,
    text: match[3] ?? "",
  }));
  const turns: Turn[] = [];
  for (let at = 0; at < blocks.length; at += 1) {
    const { line, kind, soon, text } = blocks[at] ?? { line: 0, soon: false, text: "" };
    if (kind === "eml") turns.push({ line, mail: text });
    else if (kind === "sh") {
      at += 1;
      const printed = blocks[at];
      if (printed?.kind !== "json") throw new Error(`the command in line ${line} has no output`);
      turns.push({ line, command: text, output: printed.text });
    } else {
      at += 1;
      const answer = readMessage(blocks[at]?.text ?? "");
      if (!answer.start.startsWith("HTTP/1.1 ")) throw new Error(`the request in line ${line} has no answer`);
      turns.push({ line, request: readMessage(text), answer, soon });
    }
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

/** What a conversation is held with. */
export interface Partner {
  readonly url: string;
  /** Where commands find files. */
  readonly folder?: string;
  /** Resolves to the next mail that the server sends. */
  readonly nextMail: () => Promise<Mail>;
  /** Values that the README uses without having been told them. */
  readonly known: Readonly<Record<string, string>>;
  /** Values that are made of others, or of the request's body, when they are used. */
  readonly made: Readonly<Record<string, (bound: ReadonlyMap<string, string>, body: string) => string>>;
}

/** Holds the conversation. @throws AssertionError where the server answers, or writes, otherwise. */
export async function hold(partner: Partner, turns: readonly Turn[]): Promise<void> {
  const bound = new Map(Object.entries(partner.known));
  for (const turn of turns) {
    if ("mail" in turn) compareMail(await partner.nextMail(), turn.mail, bound, `README line ${turn.line}`);
    else if ("command" in turn) await run(partner, turn, bound);
    else {
      const body = fill(turn.request.body, bound);
      const made = Object.entries(partner.made).map(([name, make]) => [name, make(bound, body)] as const);
      const asked = () => ask(partner.url, turn, bound, new Map([...bound, ...made]));
      await (turn.soon ? until(asked) : asked());
    }
  }
}

async function run(
  { url, folder }: Partner,
  { line, command, output }: Extract<Turn, { command: string }>,
  bound: Map<string, string>,
): Promise<void> {
  const env = { ...process.env, URL: url };
  const { stdout, stderr } = await execute("sh", ["-c", fill(command, bound)], { cwd: folder, env });
  const where = `README line ${line}: ${command}printed ${stdout}${stderr}\n`;
  compare(JSON.parse(stdout), JSON.parse(output), bound, where);
}

/** Milliseconds between two looks, and looks that are enough. */
const pause = 20;
const looks = 500;

/** @throws AssertionError where the answer is another for as long as that */
async function until(ask: () => Promise<void>): Promise<void> {
  for (let look = 1; ; look += 1) {
    try {
      return await ask();
    } catch (error) {
      if (look === looks) throw error;
      await sleep(pause);
    }
  }
}

async function ask(
  url: string,
  { line, request, answer }: Extract<Turn, { request: Message }>,
  bound: Map<string, string>,
  values: ReadonlyMap<string, string>,
): Promise<void> {
  // Queries stand readable in the README; fetch encodes them.
  const [, method = "", path = ""] = /^(\S+) (.*)$/.exec(fill(request.start, values)) ?? [];
  const got = await fetch(url + path, {
    method,
    headers: request.headers.map(([name, value]): [string, string] => [name, fill(value, values)]),
    ...(request.body === "" ? {} : { body: fill(request.body, values) }),
  });
  const text = await got.text();
  const where = `README line ${line}: ${request.start}\nanswered ${got.status} ${answer.body === "…" ? "" : text}\n`;
  deepStrictEqual(`HTTP/1.1 ${got.status} ${got.statusText}`, answer.start, where);
  for (const [name, expected] of answer.headers) {
    compareText(got.headers.get(name) ?? "", expected, bound, `${where}header ${name}`);
  }
  if (answer.body === "…") return;
  if (answer.body === "") deepStrictEqual(text, "", where);
  else compare(JSON.parse(text), JSON.parse(answer.body), bound, where);
}

const placeholder = /<([a-z][a-z-]*)>/g;

function fill(text: string, bound: ReadonlyMap<string, string>): string {
  return text.replace(placeholder, (written, name: string) => bound.get(name) ?? written);
}

function compare(got: unknown, expected: unknown, bound: Map<string, string>, where: string): void {
  if (expected === "…") return;
  if (typeof expected === "string" && typeof got === "string") compareText(got, expected, bound, where);
  else if (isCollection(expected) && isCollection(got)) {
    deepStrictEqual(Object.keys(got).sort(), Object.keys(expected).sort(), where);
    for (const key of Object.keys(expected)) compare(got[key], expected[key], bound, `${where}at ${key}`);
  } else deepStrictEqual(got, expected, where);
}

function isCollection(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function compareMail(
  { from, to, subject, text }: Mail,
  expected: string,
  bound: Map<string, string>,
  where: string,
): void {
  const mail = `From: ${from}\nTo: ${to}\nSubject: ${subject}\n\n${text}`;
  compareText(mail.trimEnd(), expected.trimEnd(), bound, `${where}\nwas sent ${mail}`);
}

/** Binds the names that were not bound before. */
function compareText(got: string, expected: string, bound: Map<string, string>, where: string): void {
  const known = fill(expected, bound);
  const names = [...known.matchAll(placeholder)].map(([, name = ""]) => name);
  const pattern = known
    .split(placeholder)
    .map((part, at) => (at % 2 === 1 ? "(.+?)" : literally(part).replaceAll("…", ".*")))
    .join("");
  const values = new RegExp(`^${pattern}$`, "s").exec(got)?.slice(1);
  if (values === undefined) deepStrictEqual(got, known, where);
  for (const [at, name] of names.entries()) bound.set(name, values?.[at] ?? "");
}

/** A pattern of the text itself. */
export function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
