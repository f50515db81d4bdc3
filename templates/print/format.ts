/** Layout of emitted files: the one that the project's own formatter keeps. */
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import { kept, Recent } from "../../runtime/kept.ts";
import type { EmittedFile } from "./code.ts";
import { lineWidth } from "./imports.ts";
import { laidOut } from "./layout/module.ts";
import { escapeInvisible } from "./literals.ts";

/** By text: what this process laid out. For `realmc dev`, where most modules stay as they are. */
const known = new Recent<string, string>(5_000);

/**
 * Lays out a TypeScript module, but for its head, which `emitModule` has laid out.
 * @throws SyntaxError when the text is not what templates print.
 */
export function formatModule({ path, text }: EmittedFile): EmittedFile {
  const head = headOfModule.exec(text)?.[0] ?? "";
  const body = text.slice(head.length);
  return { path, text: `${head}${kept(known, body, () => laidOut(body, lineWidth))}\n` };
}

/** Header and imports. */
const headOfModule = /^(?:\/\/.*\n)*(?:import [^;]+;\n)*\n*/;

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
