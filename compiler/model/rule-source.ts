import { nodeAt, type Path, type SourceFile } from "../source/source.ts";
import { placedText } from "../source/text-positions.ts";
import type { RuleSource } from "./model.ts";

/** The rule at a path of a YAML file; `undefined` where none stands, or what stands there cannot be one. */
export function ruleAt(file: SourceFile, path: Path, key: string): RuleSource | undefined {
  const node = nodeAt(file, path);
  if (node?.kind !== "scalar" || (typeof node.value !== "string" && typeof node.value !== "boolean"))
    return undefined;
  return { ...placedText(file, node), key };
}

/** A rule's text, or the part of it at a place, in messages. */
export function oneLine(text: string, at: { readonly start?: number; readonly end?: number } = {}): string {
  return text.slice(at.start, at.end).trim().replace(/\s+/g, " ");
}
