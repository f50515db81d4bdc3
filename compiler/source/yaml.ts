/** YAML 1.2 (core schema) to source nodes, by the `yaml` package. Tags are refused, aliases bounded. */
import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, parseDocument, type Scalar } from "yaml";
import { type Code, diagnose, type Parameters } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import { lookAlikeIn } from "../diagnostics/look-alikes.ts";
import { MAX_DEPTH } from "./json.ts";
import type { Extent, Member, ScalarNode, SourceNode } from "./node.ts";
import { lineStartsOf, spanOf } from "./source.ts";
import { isEmptyDocument, syntaxProblems } from "./yaml-syntax.ts";

/** Values that the aliases of one file may expand to. */
const MAX_EXPANSION = 100_000;

/** The root of a YAML file; `undefined` when it is empty or cannot be parsed. */
export function parseYaml(path: string, text: string): { root?: SourceNode; diagnostics: Diagnostic[] } {
  const file = { path, lineStarts: lineStartsOf(text) };
  const diagnostics: Diagnostic[] = [];
  const report = <C extends Code>(code: C, extent: Extent, parameters: Parameters<C>): void => {
    diagnostics.push(diagnose(code, spanOf(file, extent), parameters));
  };
  const document = parseDocument(text, {
    version: "1.2",
    schema: "core",
    strict: true,
    uniqueKeys: false,
    merge: false,
    resolveKnownTags: false,
    prettyErrors: false,
    stringKeys: false,
    logLevel: "error",
  });
  for (const found of syntaxProblems(document, text)) {
    if (found.kind === "tab") report("yaml-tab", found.extent, {});
    else if (found.kind === "depth") report("nested-too-deep", found.extent, { limit: MAX_DEPTH });
    else diagnostics.push(syntaxDiagnostic(file, text, found.extent, found.problem));
  }
  if (diagnostics.length > 0) return { diagnostics };
  if (document.directives?.yaml.explicit === true) {
    report(
      "yaml-syntax",
      { start: 0, end: text.indexOf("\n") },
      { problem: "directives such as %YAML are not used in configuration" },
    );
  }
  if (document.contents === null || isEmptyDocument(document)) return { diagnostics };
  const root = convert(document.contents, text, report);
  return diagnostics.length > 0 || root === undefined ? { diagnostics } : { root, diagnostics };
}

/** A mistake of syntax, with the character that cannot be told from another by looking, if its lines hold one. */
function syntaxDiagnostic(
  file: { path: string; lineStarts: readonly number[] },
  text: string,
  extent: Extent,
  problem: string,
): Diagnostic {
  const start = text.lastIndexOf("\n", extent.start - 1) + 1;
  const end = text.indexOf("\n", extent.end);
  const lines = text.slice(start, end === -1 ? text.length : end);
  // Between straight quotes and in comments every character is meant.
  const strange = lookAlikeIn(lines.replace(meant, (part) => "x".repeat(part.length)));
  if (strange === undefined) return diagnose("yaml-syntax", spanOf(file, extent), { problem });
  const at = start + strange.at;
  const related = [
    { message: `${strange.words} stands here`, span: spanOf(file, { start: at, end: at + 1 }) },
  ];
  return diagnose("yaml-syntax", spanOf(file, extent), { problem }, { related });
}

const meant = /"[^"\n]*"|'[^'\n]*'|(?<=^|[ \t])#.*/gm;

type Report = <C extends Code>(code: C, extent: Extent, parameters: Parameters<C>) => void;

function convert(contents: Node, text: string, report: Report): SourceNode | undefined {
  /** What each name marks at this place of the file. */
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, Node | undefined>();
  const active = new Set<Node>();
  let expanded = 0;
  let tooDeep = false;
  let failed = false;

  const root = node(contents, 0, false);
  return failed ? undefined : root;

  function node(from: unknown, depth: number, aliased: boolean): SourceNode {
    if (isAlias(from)) return alias(from, depth);
    if (!isScalar(from) && !isMap(from) && !isSeq(from)) return empty({ start: 0, end: 0 });
    const extent = extentOf(from);
    if (!aliased && from.anchor !== undefined) anchors.set(from.anchor, from);
    if (aliased && ++expanded > MAX_EXPANSION) {
      if (expanded === MAX_EXPANSION + 1)
        fail("yaml-alias", extent, { problem: `aliases expand to more than ${MAX_EXPANSION} values` });
      return empty(extent);
    }
    if (depth > MAX_DEPTH) {
      if (!tooDeep) fail("nested-too-deep", extent, { limit: MAX_DEPTH });
      tooDeep = true;
      return empty(extent);
    }
    if (from.tag !== undefined && from.tag !== null)
      fail("yaml-tag", tagExtent(text, from.tag, extent), { tag: shortTag(from.tag) });
    if (isScalar(from)) return scalar(from, extent);
    active.add(from);
    const result: SourceNode = isSeq(from)
      ? { kind: "list", items: from.items.map((item) => node(item, depth + 1, aliased)), ...extent }
      : {
          kind: "object",
          members: from.items.flatMap((pair) => member(pair.key, pair.value, depth, aliased, extent)),
          ...extent,
        };
    active.delete(from);
    return result;
  }

  function alias(from: Alias, depth: number): SourceNode {
    const extent = extentOf(from);
    // Where it stands, not where it is repeated, decides what it means.
    if (!targets.has(from)) targets.set(from, anchors.get(from.source));
    const target = targets.get(from);
    if (target === undefined) {
      fail("yaml-alias", extent, { problem: `nothing before this is marked &${from.source}` });
      return empty(extent);
    }
    if (active.has(target)) {
      fail("yaml-alias", extent, { problem: `*${from.source} stands inside of what it repeats` });
      return empty(extent);
    }
    return node(target, depth, true);
  }

  function member(key: unknown, value: unknown, depth: number, aliased: boolean, around: Extent): Member[] {
    const resolved = isAlias(key) ? anchors.get(key.source) : key;
    const extent = isScalar(resolved) || isMap(resolved) || isSeq(resolved) ? extentOf(resolved) : around;
    if (!isScalar(resolved) || typeof resolved.value !== "string") {
      const found = isScalar(resolved) ? String(resolved.source ?? resolved.value) : "a list or mapping";
      fail("yaml-key", extent, { found: found === "" ? "missing" : found });
      return [];
    }
    if (!aliased && !isAlias(key) && resolved.anchor !== undefined) anchors.set(resolved.anchor, resolved);
    if (resolved.value === "<<" && resolved.type === "PLAIN") {
      const problem = "'<<' merges nothing in YAML 1.2; write the keys out, or give all of them one alias";
      fail("yaml-alias", extent, { problem });
      return [];
    }
    const missing = value === null || value === undefined;
    return [
      { name: resolved.value, key: extent, value: missing ? empty(extent) : node(value, depth + 1, aliased) },
    ];
  }

  function scalar(from: Scalar, extent: Extent): ScalarNode {
    const { value } = from;
    if (typeof value === "number" && !Number.isFinite(value)) {
      fail("yaml-number", extent, { number: from.source ?? String(value) });
    }
    const style = styles[from.type ?? "PLAIN"] ?? "plain";
    const plain =
      typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? value : null;
    return { kind: "scalar", value: plain, style, ...extent };
  }

  function fail<C extends Code>(code: C, extent: Extent, parameters: Parameters<C>): void {
    failed = true;
    report(code, extent, parameters);
  }
}

const styles: Readonly<Record<string, ScalarNode["style"]>> = {
  PLAIN: "plain",
  QUOTE_SINGLE: "single",
  QUOTE_DOUBLE: "double",
  BLOCK_LITERAL: "block",
  BLOCK_FOLDED: "block",
};

function extentOf(node: Node): Extent {
  const [start, end] = node.range ?? [0, 0];
  return { start, end };
}

function empty(extent: Extent): ScalarNode {
  return { kind: "scalar", value: null, style: "plain", start: extent.end, end: extent.end };
}

/** A node starts after its tag. */
function tagExtent(text: string, tag: string, { start, end }: Extent): Extent {
  const written = shortTag(tag);
  const at = text.lastIndexOf(written, start);
  return at === -1 ? { start, end } : { start: at, end: at + written.length };
}

/** `!!str` for the core tags, else as written. */
function shortTag(tag: string): string {
  return tag.replace(/^tag:yaml\.org,2002:/, "!!");
}
