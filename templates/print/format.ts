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

/** JSON text: an object or a list that fits into a line stands on one; of any other each member, or item, begins a line. */
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
  const flat = flatText(value, lineWidth - indent.length - taken);
  if (flat !== undefined) {
    text.add(flat);
  } else if (Array.isArray(value)) {
    let start = "[\n";
    for (const item of value) {
      text.add(start + inner);
      start = ",\n";
      layOut(item, inner, 1, text);
    }
    text.add(`\n${indent}]`);
  } else if (isJsonObject(value)) {
    let start = "{\n";
    for (const [name, member] of membersOf(value)) {
      const key = `${leafText(name)}: `;
      text.add(start + inner + key);
      start = ",\n";
      layOut(member, inner, key.length + 1, text);
    }
    text.add(`\n${indent}}`);
  } else {
    text.add(leafText(value));
  }
}

/** On one line; undefined where it does not fit into so many columns. */
function flatText(value: unknown, room: number): string | undefined {
  if (Array.isArray(value)) {
    if (value.length === 0) return "[]";
    return flatList(value, "[", "]", room, (item, left) => flatText(item, left));
  }
  if (isJsonObject(value)) {
    const members = membersOf(value);
    if (members.length === 0) return "{}";
    return flatList(members, "{ ", " }", room, ([name, member], left) => {
      const key = `${leafText(name)}: `;
      const held = flatText(member, left - key.length);
      return held === undefined ? undefined : key + held;
    });
  }
  const text = leafText(value);
  return text.length <= room ? text : undefined;
}

function flatList<T>(
  items: readonly T[],
  open: string,
  close: string,
  room: number,
  flat: (item: T, room: number) => string | undefined,
): string | undefined {
  let text = open;
  for (const [at, item] of items.entries()) {
    if (at > 0) text += ", ";
    const each = flat(item, room - text.length - close.length);
    if (each === undefined) return undefined;
    text += each;
  }
  text += close;
  return text.length <= room ? text : undefined;
}

function membersOf(value: JsonObject) {
  return Object.entries(value).filter(([, member]) => member !== undefined);
}

function leafText(value: unknown): string {
  // Nearly all text needs no look at its characters, one by one.
  if (typeof value === "string" && plain.test(value)) return `"${value}"`;
  return escapeInvisible(JSON.stringify(value));
}

/** Printable ASCII but for quotes and backslashes. */
const plain = /^[ !#-[\]-~]*$/;
