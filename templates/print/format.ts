/** Layout of emitted files: the one that the project's own formatter keeps. */
import * as babel from "prettier/plugins/babel";
import * as estree from "prettier/plugins/estree";
import { format } from "prettier/standalone";
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import { Recent } from "../../runtime/kept.ts";
import type { EmittedFile } from "./code.ts";
import { lineWidth } from "./imports.ts";
import { escapeInvisible } from "./literals.ts";

/** By text: what this process laid out. For `realmc dev`, where most modules stay as they are. */
const known = new Recent<string, string>(20_000);

/** Characters laid out at once: the formatter has costs of its own in every call, and of long texts in memory. */
const MOST_AT_ONCE = 15_000;

/**
 * Lays out TypeScript modules, but for their heads, which `emitModule` has laid out.
 * @throws SyntaxError when a text is not TypeScript.
 */
export async function formatModules(files: readonly EmittedFile[]): Promise<readonly EmittedFile[]> {
  const modules = files.map(({ path, text }) => {
    const head = headOfModule.exec(text)?.[0] ?? "";
    return { path, head, parts: text.slice(head.length).split(betweenExports) };
  });
  const parts = new Map<string, string>();
  let waiting: string[] = [];
  let size = 0;
  for (const part of new Set(modules.flatMap((module) => module.parts))) {
    const laidOutBefore = known.get(part);
    if (laidOutBefore !== undefined) {
      parts.set(part, laidOutBefore);
      continue;
    }
    waiting.push(part);
    size += part.length;
    if (size < MOST_AT_ONCE) continue;
    await layOutWaiting();
  }
  await layOutWaiting();
  return modules.map(({ path, head, parts: own }) => ({
    path,
    text: `${head}${own.map((part) => parts.get(part)).join("\n\n")}\n`,
  }));

  async function layOutWaiting(): Promise<void> {
    const texts = await laidOut(waiting);
    for (const [at, part] of waiting.entries()) {
      const text = texts[at] ?? "";
      parts.set(part, text);
      known.set(part, text);
    }
    waiting = [];
    size = 0;
  }
}

/** As {@link formatModules}, of one. */
export async function formatModule(file: EmittedFile): Promise<EmittedFile> {
  const [formatted = file] = await formatModules([file]);
  return formatted;
}

/** Header and imports. */
const headOfModule = /^(?:\/\/.*\n)*(?:import [^;]+;\n)*\n*/;

/** Only at the top of a module something is exported, so that what stands before and after is laid out alike alone. */
const betweenExports = /\n\n+(?=(?:\/\*\*(?:[^*]|\*(?!\/))*\*\/\n|\/\/.*\n)*export )/;

/** A statement between the texts that are laid out together. */
const boundary = "nextText;";

async function laidOut(texts: readonly string[]): Promise<readonly string[]> {
  if (texts.length === 0) return [];
  const formatted = await format(texts.join(`\n\n${boundary}\n\n`), {
    parser: "babel-ts",
    filepath: "module.ts",
    plugins: [babel, estree],
    printWidth: lineWidth,
    // Emitted code embeds no other languages; looking for them takes time.
    embeddedLanguageFormatting: "off",
  });
  const parts = withUnionsApart(formatted).split(new RegExp(`^${boundary}$`, "m"));
  if (parts.length !== texts.length) throw new Error("a module does not end where its text does");
  return parts.map((part) => part.trim());
}

/**
 * A union that fits a line, but not the one of its name: prettier puts it on the next, the project's linter wants its
 * members apart.
 */
function withUnionsApart(text: string): string {
  return text.replace(/(?<=[:=])\n( +)(.+);$/gm, (lines, indent: string, type: string) => {
    const members = unionMembers(type);
    return members.length < 2 ? lines : `${members.map((member) => `\n${indent}| ${member}`).join("")};`;
  });
}

/** The members of a type on one line; brackets and strings are passed over. */
function unionMembers(type: string): string[] {
  const members = [""];
  let depth = 0;
  for (const [token] of type.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'| \| |./gs)) {
    if (depth === 0 && token === " | ") {
      members.push("");
      continue;
    }
    if ("([{<".includes(token)) depth++;
    if (")]}>".includes(token)) depth--;
    members.push(`${members.pop()}${token}`);
  }
  return members;
}

/**
 * JSON text: every member on a line of its own, but on one line, where they fit, objects of nothing but a `$ref` and lists
 * that hold no other objects.
 */
export function jsonText(value: object): string {
  return `${layOut(value, "", 0)}\n`;
}

/**
 * Put together by concatenation, which copies nothing; `join` would, at every level.
 * @param taken Columns of the last line that stand before and after the value.
 */
function layOut(value: unknown, indent: string, taken: number): string {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const flat = flatText(value);
    if (flat !== undefined && indent.length + taken + flat.length <= lineWidth) return flat;
    let items = "";
    for (const item of value) items += (items === "" ? "" : ",\n") + inner + layOut(item, inner, 1);
    return `[\n${items}\n${indent}]`;
  }
  if (!isJsonObject(value)) return leafText(value);
  const reference = referenceText(value);
  if (reference !== undefined && indent.length + taken + reference.length <= lineWidth) return reference;
  let members = "";
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const key = `${leafText(name)}: `;
    members += (members === "" ? "" : ",\n") + inner + key + layOut(member, inner, key.length + 1);
  }
  if (members === "") return "{}";
  return indent.length === ONE_PIECE_AT
    ? inOnePiece(`{\n${members}\n${indent}}`)
    : `{\n${members}\n${indent}}`;
}

/** Columns at which the values of a document are as large as an operation or a schema. */
const ONE_PIECE_AT = 6;

/** The same text: of many pieces that are only referred to it takes several times the memory. */
function inOnePiece(text: string): string {
  return Buffer.from(text).toString();
}

/** On one line, where a `$ref` is all there is. */
function referenceText(value: JsonObject): string | undefined {
  const { $ref: reference } = value;
  if (typeof reference !== "string" || Object.keys(value).length > 1) return undefined;
  return `{ "$ref": ${leafText(reference)} }`;
}

/** On one line, where nothing in it stands over several. */
function flatText(value: unknown): string | undefined {
  if (isJsonObject(value)) return Object.keys(value).length === 0 ? "{}" : referenceText(value);
  if (!Array.isArray(value)) return leafText(value);
  const items = value.map((item) => flatText(item));
  return items.every((item) => item !== undefined) ? `[${items.join(", ")}]` : undefined;
}

function leafText(value: unknown): string {
  return escapeInvisible(JSON.stringify(value));
}
