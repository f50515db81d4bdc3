import type { Spooled } from "../../blobs/store.ts";
import { headOf } from "./head.ts";

/** Bytes in which the root of a document has begun, after whatever comments and declarations programs write. */
const HEAD = 65_536;

/** Whether the root element of a document is `svg`, whatever its namespace is called. */
export async function isSvg(spooled: Spooled): Promise<boolean> {
  const head = await headOf(spooled, HEAD);
  if (!beginsAsXml(head)) return false;
  const text = head.toString("utf8");
  let at = text.startsWith("\ufeff") ? 1 : 0;
  for (;;) {
    while (at < text.length && " \t\r\n".includes(text[at] ?? "")) at += 1;
    const end = skipped(text, at);
    if (end === undefined) return false;
    if (end === at) return /^<(?:[\w.-]+:)?svg[\s/>]/.test(text.slice(at, at + 100));
    at = end;
  }
}

const LESS_THAN = 0x3c;
const spaces: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0d, 0x0a]);

/** Which most bytes do not, and need not be decoded for. */
function beginsAsXml(bytes: Buffer): boolean {
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (spaces.has(bytes[at])) at += 1;
  return bytes[at] === LESS_THAN;
}

/** Where what may stand before the root ends; undefined where it does not end. */
function skipped(text: string, at: number): number | undefined {
  if (text.startsWith("<?", at)) return after(text, "?>", at + 2);
  if (text.startsWith("<!--", at)) return after(text, "-->", at + 4);
  if (text.startsWith("<!DOCTYPE", at)) return afterDoctype(text, at + 9);
  return at;
}

function after(text: string, end: string, from: number): number | undefined {
  const at = text.indexOf(end, from);
  return at < 0 ? undefined : at + end.length;
}

/** With the subset that it may hold in brackets, where entities are declared, and what is in quotes. */
function afterDoctype(text: string, from: number): number | undefined {
  let inside = false;
  for (let at: number | undefined = from; at !== undefined && at < text.length; ) {
    const mark = text[at] ?? "";
    if (mark === '"' || mark === "'") at = after(text, mark, at + 1);
    else if (text.startsWith("<!--", at)) at = after(text, "-->", at + 4);
    else if (mark === ">" && !inside) return at + 1;
    else {
      if (mark === "[") inside = true;
      if (mark === "]") inside = false;
      at += 1;
    }
  }
  return undefined;
}
