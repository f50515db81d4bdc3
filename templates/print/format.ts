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
  const text = new Pieces();
  layOut(value, "", 0, text);
  text.add("\n");
  return text.whole();
}

/** A text put together of many pieces, which take several times its memory before they are one. */
class Pieces {
  readonly #joined: string[] = [];
  #pieces: string[] = [];

  add(piece: string): void {
    this.#pieces.push(piece);
    if (this.#pieces.length > 10_000) this.#join();
  }

  whole(): string {
    this.#join();
    return this.#joined.join("");
  }

  #join(): void {
    this.#joined.push(this.#pieces.join(""));
    this.#pieces = [];
  }
}

/** @param taken Columns of the last line that stand before and after the value. */
function layOut(value: unknown, indent: string, taken: number, text: Pieces): void {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const flat = flatText(value);
    if (flat !== undefined && (flat === "[]" || indent.length + taken + flat.length <= lineWidth)) {
      text.add(flat);
      return;
    }
    let start = "[\n";
    for (const item of value) {
      text.add(start + inner);
      start = ",\n";
      layOut(item, inner, 1, text);
    }
    text.add(`\n${indent}]`);
    return;
  }
  if (!isJsonObject(value)) {
    text.add(leafText(value));
    return;
  }
  const reference = referenceText(value);
  if (reference !== undefined && indent.length + taken + reference.length <= lineWidth) {
    text.add(reference);
    return;
  }
  let start = "{\n";
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const key = `${leafText(name)}: `;
    text.add(start + inner + key);
    start = ",\n";
    layOut(member, inner, key.length + 1, text);
  }
  if (start === ",\n") text.add(`\n${indent}}`);
  else text.add("{}");
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
  // Nearly all text needs no look at its characters, one by one.
  if (typeof value === "string" && plain.test(value)) return `"${value}"`;
  return escapeInvisible(JSON.stringify(value));
}

/** Printable ASCII but for quotes and backslashes. */
const plain = /^[ !#-[\]-~]*$/;
