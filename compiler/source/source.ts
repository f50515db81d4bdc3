import type { JsonObject } from "../../runtime/json.ts";
import type { Span } from "../diagnostics/diagnostic.ts";
import type { Extent, Member, ObjectNode, SourceNode } from "./node.ts";

/** A configuration file, read and parsed once. */
export interface SourceFile {
  /** Relative to the configuration folder, with `/`. */
  readonly path: string;
  readonly text: string;
  /** Offsets at which the lines start. */
  readonly lineStarts: readonly number[];
  readonly root: ObjectNode;
  /** Of keys that stand twice the last one. */
  readonly value: JsonObject;
  /** Keys that stand twice, so that nobody knows what was meant. */
  readonly ambiguous: readonly Path[];
}

/** Members and positions from the root of a file to a value in it. */
export type Path = readonly (string | number)[];

export function lineStartsOf(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** Line and column, from 1, of an offset. Columns count UTF-16 code units. */
export function positionOf(lineStarts: readonly number[], offset: number): { line: number; column: number } {
  let low = 0;
  let high = lineStarts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((lineStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  return { line: low + 1, column: offset - (lineStarts[low] ?? 0) + 1 };
}

export function spanOf(file: { path: string; lineStarts: readonly number[] }, extent: Extent): Span {
  const start = positionOf(file.lineStarts, extent.start);
  const end = positionOf(file.lineStarts, extent.end);
  return {
    file: file.path,
    line: start.line,
    column: start.column,
    endLine: end.line,
    endColumn: end.column,
  };
}

export function nodeAt(file: SourceFile, path: Path): SourceNode | undefined {
  let node: SourceNode | undefined = file.root;
  for (const step of path) node = node === undefined ? undefined : childOf(node, step);
  return node;
}

/**
 * Where the value at a path stands, or with `"key"` its key. What the file does not have stands where the nearest value
 * around it does; an object that spans lines is pointed at by its key, since its whole extent would say little.
 */
export function locate(file: SourceFile, path: Path, target: "key" | "value" = "value"): Span {
  let node: SourceNode = file.root;
  let key: Extent = { start: file.root.start, end: file.root.start };
  let found = 0;
  for (const step of path) {
    const member: Member | undefined =
      node.kind === "object" ? node.members.findLast((each) => each.name === String(step)) : undefined;
    const child: SourceNode | undefined = member?.value ?? childOf(node, step);
    if (child === undefined) break;
    if (member !== undefined) key = member.key;
    else key = { start: child.start, end: child.start };
    node = child;
    found++;
  }
  if (found < path.length || target === "key") return spanOf(file, found === 0 ? firstOf(file) : key);
  if (found === 0) return spanOf(file, firstOf(file));
  return spanOf(file, isLong(file, node) && key.end > key.start ? key : node);
}

function childOf(node: SourceNode, step: string | number): SourceNode | undefined {
  if (node.kind === "list") return node.items[Number(step)];
  if (node.kind === "object") return node.members.findLast((member) => member.name === String(step))?.value;
  return undefined;
}

function isLong(file: SourceFile, node: SourceNode): boolean {
  return node.kind !== "scalar" && file.text.slice(node.start, node.end).trimEnd().includes("\n");
}

/** For what concerns the file as a whole. */
function firstOf(file: SourceFile): Extent {
  return { start: file.root.start, end: file.root.start };
}

/** The path of a JSON pointer (RFC 6901), without its `#`. */
export function pathOf(pointer: string): string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

export function pointerOf(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
