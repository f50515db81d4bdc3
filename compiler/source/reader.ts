/** Reads and parses configuration files, each once. */
import { isUtf8 } from "node:buffer";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Code, diagnose, type Parameters } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { whileReading } from "../diagnostics/internal-error.ts";
import { lookAlikeIn } from "../diagnostics/look-alikes.ts";
import { fileSpan } from "../diagnostics/span.ts";
import { JsonProblem, MAX_DEPTH, parseJson } from "./json.ts";
import { type Extent, type Member, objectToJson, type SourceNode } from "./node.ts";
import { lineStartsOf, type Path, type SourceFile, spanOf } from "./source.ts";
import { isStepsFile, withSteps } from "./steps.ts";
import { parseYaml } from "./yaml.ts";

/** Bytes that one configuration file may have. */
const MAX_FILE_BYTES = 1024 * 1024;

export interface Reader {
  /** The file at a path relative to the configuration folder; `undefined` when it has mistakes, which are noted. */
  readonly read: (path: string) => SourceFile | undefined;
  /** Every file read, sound or not, by path. */
  readonly files: ReadonlyMap<string, SourceFile | undefined>;
  readonly diagnostics: readonly Diagnostic[];
}

export function createReader(root: string): Reader {
  const files = new Map<string, SourceFile | undefined>();
  const diagnostics: Diagnostic[] = [];
  const read = (path: string): SourceFile | undefined => {
    if (!files.has(path))
      files.set(
        path,
        whileReading(path, () => readSource(root, path, diagnostics)),
      );
    return files.get(path);
  };
  return { read, files, diagnostics };
}

/** Parses the text of a file by its extension: `.json`, else YAML. */
export function parseSource(path: string, given: string, diagnostics: Diagnostic[]): SourceFile | undefined {
  const text = withLineFeeds(given);
  if (text.trim() === "") {
    diagnostics.push(diagnose("empty-file", fileSpan(path), {}));
    return undefined;
  }
  const top = path.endsWith(".json") ? jsonRoot(path, text, diagnostics) : yamlRoot(path, text, diagnostics);
  if (top === undefined) return undefined;
  const lineStarts = lineStartsOf(text);
  const ofSteps = isStepsFile(path);
  if (ofSteps && top.kind !== "list") {
    const found = top.kind === "object" ? "keys and values" : "a single value";
    diagnostics.push(
      diagnose("migration-no-list", spanOf({ path, lineStarts }, firstLineOf(text, top)), { found }),
    );
    return undefined;
  }
  const root = ofSteps && top.kind === "list" ? withSteps(top) : top;
  if (root.kind !== "object") {
    const found =
      root.kind === "list" ? "a list" : root.value === null ? "nothing" : `the value ${String(root.value)}`;
    const strange = root.kind === "scalar" ? lookAlikeIn(String(root.value)) : undefined;
    const hint = strange === undefined ? undefined : `the text holds ${strange.words}`;
    diagnostics.push(diagnose("not-an-object", spanOf({ path, lineStarts }, root), { found }, { hint }));
    return undefined;
  }
  const ambiguous: Path[] = [];
  for (const { earlier, later, at } of duplicateKeys(root)) {
    const place = { path, lineStarts };
    const related = [{ message: "it stands here first", span: spanOf(place, earlier.key) }];
    diagnostics.push(diagnose("duplicate-key", spanOf(place, later.key), { key: later.name }, { related }));
    ambiguous.push([...at, later.name]);
  }
  return { path, text, lineStarts, root, value: objectToJson(root), ambiguous };
}

function firstLineOf(text: string, { start, end }: Extent): Extent {
  const [line = ""] = text.slice(start, end).split("\n");
  return { start, end: start + line.length };
}

/** A carriage return alone ends a line too, in YAML 1.2 as in editors; positions in the file stay what they are. */
function withLineFeeds(text: string): string {
  return text.replace(/\r(?!\n)/g, "\n");
}

function readSource(root: string, path: string, diagnostics: Diagnostic[]): SourceFile | undefined {
  const report = <C extends Code>(code: C, parameters: Parameters<C>): undefined => {
    diagnostics.push(diagnose(code, fileSpan(path), parameters));
  };
  let bytes: Buffer;
  try {
    const location = join(root, path);
    const status = statSync(location);
    if (!status.isFile()) return report("file-unreadable", { reason: "it is not a regular file" });
    if (status.size > MAX_FILE_BYTES)
      return report("file-too-large", { size: status.size, limit: MAX_FILE_BYTES });
    bytes = readFileSync(location);
  } catch (error) {
    return report("file-unreadable", { reason: reasonOf(error) });
  }
  if (isUtf8(bytes)) return parseSource(path, new TextDecoder().decode(bytes), diagnostics);
  diagnostics.push(encodingProblem(path, bytes));
  return undefined;
}

/** Where the bytes stop making sense, or that they are of another encoding altogether. */
function encodingProblem(path: string, bytes: Buffer): Diagnostic {
  const [first, second] = bytes;
  const isUtf16 = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  if (isUtf16) return diagnose("file-encoding", fileSpan(path), { detail: " (it looks like UTF-16)" });
  const text = new TextDecoder().decode(bytes);
  const start = text.indexOf("\ufffd");
  const span = spanOf({ path, lineStarts: lineStartsOf(text) }, { start, end: start + 1 });
  return diagnose("file-encoding", span, { detail: " here" });
}

/** What the operating system said, without paths of this machine. */
export function reasonOf(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return reasons[code] ?? (code === "" ? "unknown reason" : code);
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ENOTDIR: "it is not a folder",
  EISDIR: "it is a folder",
  ELOOP: "its symbolic links go in a circle",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left",
};

function jsonRoot(path: string, text: string, diagnostics: Diagnostic[]): SourceNode | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    const extent = { start: error.offset, end: Math.min(error.offset + 1, text.length) };
    const span = spanOf({ path, lineStarts: lineStartsOf(text) }, extent);
    const strange = lookAlikeIn(text.slice(extent.start, extent.end));
    diagnostics.push(
      error.kind === "depth"
        ? diagnose("nested-too-deep", span, { limit: MAX_DEPTH })
        : diagnose("json-syntax", span, {
            problem: strange?.at === 0 ? `${strange.words} stands here` : error.message,
          }),
    );
    return undefined;
  }
}

function yamlRoot(path: string, text: string, diagnostics: Diagnostic[]): SourceNode | undefined {
  const parsed = parseYaml(path, text);
  diagnostics.push(...parsed.diagnostics);
  if (parsed.root === undefined && parsed.diagnostics.length === 0)
    diagnostics.push(diagnose("empty-file", fileSpan(path), {}));
  return parsed.root;
}

interface DuplicateKey {
  readonly earlier: Member;
  readonly later: Member;
  /** Of the object that holds them. */
  readonly at: Path;
}

/** Each later key with the first one of its name. What aliases repeat is looked at once. */
function duplicateKeys(root: SourceNode): DuplicateKey[] {
  const found: DuplicateKey[] = [];
  const seen = new Set<SourceNode>();
  visit(root, []);
  return found;

  function visit(node: SourceNode, at: Path): void {
    if (node.kind === "scalar" || seen.has(node)) return;
    seen.add(node);
    if (node.kind === "list") {
      for (const [index, item] of node.items.entries()) visit(item, [...at, index]);
      return;
    }
    const first = new Map<string, Member>();
    for (const member of node.members) {
      const earlier = first.get(member.name);
      if (earlier === undefined) first.set(member.name, member);
      else found.push({ earlier, later: member, at });
      visit(member.value, [...at, member.name]);
    }
  }
}
