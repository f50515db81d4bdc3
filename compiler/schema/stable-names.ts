/**
 * Names in a validator's code that depend on what they stand for and how deep, not on what comes before: ajv numbers them
 * through, so that a field would change every line after its own.
 */
import { createHash } from "node:crypto";

/** A block, in which names are declared. */
interface Block {
  readonly outer: Block | undefined;
  /** Where what it holds begins. */
  readonly start: number;
  /** New names of what is declared in it. */
  readonly names: Set<string>;
  /** Of those, what ajv declares with `var`. */
  readonly hoisted: string[];
}

interface Local {
  /** The block that all of its uses are in. */
  block: Block;
  readonly isVar: boolean;
}

interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Strings are passed over, and members after a dot: neither are names. */
const token = /"(?:[^"\\]|\\.)*"|(?:(?<!\.)\.)?[A-Za-z_$][\w$]*|[{}()]/g;

/** @param code as ajv writes it: a statement a line, and no numbered name that means two things in a function */
export function withStableNames(code: string): string {
  return inBlocks(ofTheModule(code));
}

/** Constants of the module are called for what they are; others, and functions, numbered by their first use. */
function ofTheModule(code: string): string {
  const names = new Map<string, string>();
  const values = new Map<string, string>();
  const text = code.replace(/^const (\w+) = (.*);\n/gm, (line, local: string, value: string) => {
    const name = values.get(value) ?? nameOf(local, value);
    if (name === undefined) return line;
    names.set(local, name);
    values.set(value, name);
    return "";
  });
  const constants = [...values]
    .filter(([value, name]) => value !== name)
    .map(([value, name]) => `const ${name} = ${value};\n`);
  const counts = new Map<string, number>();
  for (const [local] of code.matchAll(token)) {
    if (!isNumbered(local)) continue;
    const prefix = /^(schema|validate|wrapper|root)\d+$/.exec(local)?.[1];
    if (prefix === undefined || names.has(local)) continue;
    const count = counts.get(prefix) ?? 0;
    counts.set(prefix, count + 1);
    names.set(local, `${prefix}${count}`);
  }
  return constants.sort().join("") + text.replace(token, (name) => names.get(name) ?? name);
}

/** Whether it is a name that ajv numbers; others stay as they are. */
function isNumbered(name: string): boolean {
  const last = name.charCodeAt(name.length - 1);
  return last >= 48 && last <= 57;
}

function nameOf(local: string, value: string): string | undefined {
  if (/^func\d+$/.test(local) && /^[a-z]\w*$/i.test(value)) return value;
  if (value === "Object.prototype.hasOwnProperty") return "hasOwn";
  const format = /^formats(?:\.(\w+)|\["([\w-]+)"\])$/.exec(value);
  if (format !== null) return `format_${(format[1] ?? format[2] ?? "").replaceAll("-", "_")}`;
  if (!/^(?:new RegExp|linearPattern)\(/.test(value)) return undefined;
  return `pattern_${createHash("sha256").update(value).digest("hex").slice(0, 8)}`;
}

/** What functions declare is numbered by the blocks around it alone; what ajv lets out of its block by `var` stays in it. */
function inBlocks(code: string): string {
  const edits: Edit[] = [];
  let uses: { readonly name: string; readonly at: number; readonly block: Block }[] = [];
  let locals = new Map<string, Local>();
  let blocks: Block[] = [];
  let block: Block | undefined;
  let depth = 0;
  let before = "";
  /** Declared in the head of a loop, for its body. */
  let ofLoop: string[] = [];
  for (const { 0: text, index } of code.matchAll(token)) {
    if (text === "(") depth++;
    else if (text === ")") depth--;
    else if (text === "{") {
      block = { outer: block, start: index + 1, names: new Set(), hoisted: [] };
      blocks.push(block);
      if (depth === 0) {
        for (const name of ofLoop) locals.set(name, { block, isVar: false });
        ofLoop = [];
      }
    } else if (text === "}") {
      block = block?.outer;
      if (block === undefined && depth === 0) {
        edits.push(...renamed(locals, uses, blocks));
        [locals, uses, blocks] = [new Map(), [], []];
      }
    } else if (block !== undefined && isNumbered(text)) {
      if (before === "const" || before === "let" || before === "var") {
        if (depth > 0) ofLoop.push(text);
        else if (!locals.has(text)) locals.set(text, { block, isVar: before === "var" });
        if (before === "var") edits.push({ from: index - "var ".length, to: index, text: "" });
      }
      uses.push({ name: text, at: index, block });
    }
    before = text;
  }
  return edited(code, edits);
}

function renamed(
  locals: ReadonlyMap<string, Local>,
  uses: readonly { readonly name: string; readonly at: number; readonly block: Block }[],
  blocks: readonly Block[],
): readonly Edit[] {
  for (const { name, block } of uses) {
    const local = locals.get(name);
    if (local?.isVar) local.block = innermost(local.block, block);
  }
  const byBlock = new Map<Block, string[]>();
  for (const { name } of uses) {
    const local = locals.get(name);
    if (local === undefined) continue;
    const own = byBlock.get(local.block) ?? [];
    byBlock.set(local.block, own);
    if (!own.includes(name)) own.push(name);
  }
  const names = new Map<string, string>();
  // Blocks come after those around them.
  for (const block of blocks) {
    for (const name of byBlock.get(block) ?? []) {
      const free = freeName(name.replace(/\d+$/, ""), block);
      block.names.add(free);
      names.set(name, free);
      if (locals.get(name)?.isVar) block.hoisted.push(free);
    }
  }
  return [
    ...blocks.flatMap(({ start, hoisted }) =>
      hoisted.length === 0 ? [] : [{ from: start, to: start, text: `\nlet ${hoisted.join(", ")};` }],
    ),
    ...uses.flatMap(({ name, at }) => {
      const text = names.get(name);
      return text === undefined ? [] : [{ from: at, to: at + name.length, text }];
    }),
  ];
}

function innermost(one: Block, other: Block): Block {
  const around = new Set<Block>();
  for (let each: Block | undefined = one; each !== undefined; each = each.outer) around.add(each);
  for (let each: Block | undefined = other; each !== undefined; each = each.outer)
    if (around.has(each)) return each;
  return one;
}

function freeName(prefix: string, block: Block): string {
  for (let number = 0; ; number++) {
    const name = `${prefix}${number}`;
    let around: Block | undefined = block;
    while (around !== undefined && !around.names.has(name)) around = around.outer;
    if (around === undefined) return name;
  }
}

function edited(code: string, edits: readonly Edit[]): string {
  let text = "";
  let at = 0;
  for (const { from, to, text: put } of [...edits].sort((a, b) => a.from - b.from || a.to - b.to)) {
    text += code.slice(at, from) + put;
    at = to;
  }
  return text + code.slice(at);
}
