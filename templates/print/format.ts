/** Layout of emitted files: the one that the project's own formatter keeps. */
import * as babel from "prettier/plugins/babel";
import * as estree from "prettier/plugins/estree";
import { format } from "prettier/standalone";
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import { kept, Recent } from "../../runtime/kept.ts";
import type { EmittedFile } from "./code.ts";
import { escapeInvisible } from "./literals.ts";

const lineWidth = 110;

/** By text: what this process laid out. For `realmc dev`, where most modules stay as they are. */
const known = new Recent<string, Promise<string>>(5_000);

/**
 * Lays out a TypeScript module.
 * @throws SyntaxError when the text is not TypeScript.
 */
export async function formatModule({ path, text }: EmittedFile): Promise<EmittedFile> {
  return { path, text: await kept(known, text, () => laidOut(text)) };
}

async function laidOut(text: string): Promise<string> {
  const formatted = await format(text, {
    parser: "babel-ts",
    plugins: [babel, estree],
    printWidth: lineWidth,
    // Emitted code embeds no other languages; looking for them takes time.
    embeddedLanguageFormatting: "off",
  });
  return withUnionsApart(formatted);
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
 * Put together by concatenation alone, which copies nothing until the whole is read; `join` would, at every level.
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
  return members === "" ? "{}" : `{\n${members}\n${indent}}`;
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
