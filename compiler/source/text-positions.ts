/** Where the characters of a string value stand in its file, for every way of writing a YAML scalar. */
import type { Span } from "../diagnostics/diagnostic.ts";
import type { ScalarNode } from "./node.ts";
import { positionOf, type SourceFile, spanOf } from "./source.ts";

/**
 * Plain data that maps offsets of a rule's text to lines and columns: each run says that from `offset` on, characters
 * stand at `line` and `column` onwards, one column each, until the next run.
 */
export type RulePositions = readonly {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}[];

/** A string value without the white space around it, and where its characters stand. */
export interface PlacedText {
  readonly text: string;
  readonly span: Span;
  readonly positions: RulePositions;
}

export function placedText(file: SourceFile, node: ScalarNode): PlacedText {
  const whole = String(node.value);
  const text = whole.trim();
  const lead = whole.length - whole.trimStart().length;
  const offsets = sourceOffsets(file.text, node).slice(lead, lead + text.length);
  const last = offsets.at(-1);
  const end = last === undefined ? node.end : unitAt(file.text, last, node.end, node.style).end;
  const start = offsets[0] ?? node.start;
  return { text, span: spanOf(file, { start, end }), positions: runs(file, [...offsets, end]) };
}

function runs(file: SourceFile, offsets: readonly number[]): RulePositions {
  return offsets.flatMap((source, offset) =>
    offset > 0 && source === (offsets[offset - 1] ?? 0) + 1
      ? []
      : [{ offset, ...positionOf(file.lineStarts, source) }],
  );
}

/**
 * Offset in the source of each character of the text. The text is what is left of the source after unescaping and
 * folding: characters other than white space stand in both in the same order, so both are walked together; white space
 * that folding made of line breaks stands where the break does.
 */
function sourceOffsets(source: string, node: ScalarNode): number[] {
  const text = String(node.value);
  const offsets: number[] = [];
  const { start, end } = contentOf(source, node);
  for (let at = start; at < end && offsets.length < text.length; ) {
    const unit = unitAt(source, at, end, node.style);
    const length =
      unit.kind === "space" ? foldedLength(unit, source, text, offsets.length, node.style) : unit.length;
    for (let each = 0; each < length; each++) {
      offsets.push(unit.kind === "escape" ? at : Math.min(at + each, unit.end - 1));
    }
    at = unit.end;
  }
  return offsets;
}

interface Unit {
  readonly kind: "character" | "escape" | "space";
  /** In the source; exclusive. */
  readonly end: number;
  /** In the text; white space with line breaks is measured by `foldedLength`. */
  readonly length: number;
}

function unitAt(source: string, at: number, end: number, style: ScalarNode["style"]): Unit {
  const character = source.charAt(at);
  if (style === "single" && character === "'") return { kind: "escape", end: at + 2, length: 1 };
  if (style === "double" && character === "\\") return escapeAt(source, at);
  if (!isSpace(character)) return { kind: "character", end: at + 1, length: 1 };
  let after = at;
  while (after < end && isSpace(source.charAt(after))) after++;
  return { kind: "space", end: after, length: after - at };
}

/** An escape of a double-quoted scalar; an escaped line break stands for nothing, and takes the indentation along. */
function escapeAt(source: string, at: number): Unit {
  const broken = /\\\r?\n[ \t]*/y;
  broken.lastIndex = at;
  if (broken.test(source)) return { kind: "escape", end: broken.lastIndex, length: 0 };
  const digits = { x: 2, u: 4, U: 8 }[source.charAt(at + 1)] ?? 0;
  const code = digits === 0 ? 0 : Number.parseInt(source.slice(at + 2, at + 2 + digits), 16);
  return { kind: "escape", end: at + 2 + digits, length: code > 0xffff ? 2 : 1 };
}

/** How many characters of the text a run of white space of the source has become. */
function foldedLength(
  unit: Unit,
  source: string,
  text: string,
  offset: number,
  style: ScalarNode["style"],
): number {
  const breaks = source.slice(unit.end - unit.length, unit.end).split("\n").length - 1;
  if (breaks > 0 && style === "double") return Math.max(breaks - 1, 1);
  let length = 0;
  while (offset + length < text.length && isSpace(text.charAt(offset + length))) length++;
  return breaks === 0 ? Math.min(length, unit.length) : length;
}

/** Without quotes, and without the header of a block. */
function contentOf(source: string, node: ScalarNode): { start: number; end: number } {
  if (node.style === "plain") return node;
  if (node.style !== "block") return { start: node.start + 1, end: node.end - 1 };
  const header = source.indexOf("\n", node.start);
  return { start: header === -1 ? node.end : header + 1, end: node.end };
}

function isSpace(character: string): boolean {
  return character === " " || character === "\t" || character === "\n" || character === "\r";
}
