/** The import statements of an emitted module. */
import { literalText } from "./literals.ts";

/** Columns of emitted files. */
export const lineWidth = 110;

export interface ImportReference {
  readonly kind: "import";
  /** As the module exports it; `default` for the default export. */
  readonly name: string;
  /** Preferred local name; absent: the exported name. */
  readonly local?: string;
  readonly from: string;
  readonly type: boolean;
  readonly attributes?: { readonly type: string };
  /** Imported, and not printed where it stands. */
  readonly silent?: boolean;
}

/**
 * The statements that import what is referred to, each name once, ordered as the linter orders them and laid out. Where a local name
 * is taken (by `declared` names of the module or an import before it) the import gets another.
 */
export function importStatements(
  references: readonly ImportReference[],
  declared: ReadonlySet<string>,
): { statements: string; localName: (reference: ImportReference) => string } {
  const merged = new Map<string, ImportReference>();
  for (const reference of references) {
    const known = merged.get(keyOf(reference));
    if (known === undefined || (known.type && !reference.type)) merged.set(keyOf(reference), reference);
  }
  const ordered = [...merged.values()].sort(
    (a, b) =>
      compareModules(a.from, b.from) ||
      compareNames(a.name, b.name) ||
      compareNames(a.local ?? "", b.local ?? ""),
  );
  const taken = new Set(declared);
  const locals = new Map<string, string>();
  for (const reference of ordered) {
    const local = freeName(reference.local ?? reference.name, taken);
    taken.add(local);
    locals.set(keyOf(reference), local);
  }
  const localName = (reference: ImportReference): string => locals.get(keyOf(reference)) ?? reference.name;
  const byModule = new Map<string, ImportReference[]>();
  for (const reference of ordered)
    byModule.set(reference.from, [...(byModule.get(reference.from) ?? []), reference]);
  const statements = [...byModule].map(([from, names]) => statement(from, names, localName)).join("\n");
  return { statements, localName };
}

function statement(
  from: string,
  references: readonly ImportReference[],
  localName: (reference: ImportReference) => string,
): string {
  const onlyTypes = references.every((reference) => reference.type);
  const fallback = references.find((reference) => reference.name === "default");
  const named = references
    .filter((reference) => reference.name !== "default")
    .sort((a, b) => compareNames(localName(a), localName(b)))
    .map((reference) => {
      const local = localName(reference);
      const name = local === reference.name ? local : `${reference.name} as ${local}`;
      return reference.type && !onlyTypes ? `type ${name}` : name;
    });
  const attributes =
    fallback?.attributes === undefined ? "" : ` with { type: ${literalText(fallback.attributes.type)} }`;
  const written = (braced: string): string => {
    const clauses = [
      ...(fallback === undefined ? [] : [localName(fallback)]),
      ...(named.length === 0 ? [] : [braced]),
    ];
    return `import ${onlyTypes ? "type " : ""}${clauses.join(", ")} from ${literalText(from)}${attributes};`;
  };
  const line = written(`{ ${named.join(", ")} }`);
  return line.length <= lineWidth || references.length === 1
    ? line
    : written(`{\n  ${named.join(",\n  ")},\n}`);
}

function keyOf(reference: ImportReference): string {
  return JSON.stringify([reference.from, reference.name]);
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  for (let suffix = 1; ; suffix++) {
    const name = suffix === 1 ? wanted : `${wanted}${suffix}`;
    if (!taken.has(name)) return name;
  }
}

/** Packages before relative paths, and of these the farthest first. */
function compareModules(a: string, b: string): number {
  return distance(b) - distance(a) || compareNames(a, b);
}

function distance(path: string): number {
  if (!path.startsWith(".")) return Number.POSITIVE_INFINITY;
  return path.startsWith("./") ? 0 : path.split("../").length;
}

/**
 * The linter's natural order: signs before digits before letters, numbers by value, and of one letter upper case first.
 */
export function compareNames(a: string, b: string): number {
  const [left, right] = [tokens(a), tokens(b)];
  for (const [at, token] of left.entries()) {
    const other = right[at];
    if (other === undefined) return 1;
    const order = compareTokens(token, other);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

const known = new Map<string, readonly string[]>();

/** Runs of digits, and single characters. Modules import the same few names over and over. */
function tokens(name: string): readonly string[] {
  let found = known.get(name);
  if (found === undefined) {
    found = name.match(/\d+|\D/g) ?? [];
    known.set(name, found);
  }
  return found;
}

const signs = "/._-$";

function compareTokens(a: string, b: string): number {
  const order = rank(a) - rank(b);
  if (order !== 0) return order;
  const [left, right] = [a.toLowerCase(), b.toLowerCase()];
  if (left === right) return a < b ? -1 : Number(a > b);
  return /^\d/.test(a) ? Number(a) - Number(b) : left < right ? -1 : 1;
}

/** Each sign its own, then all numbers, then all letters. */
function rank(token: string): number {
  if (/^\d/.test(token)) return signs.length;
  const sign = signs.indexOf(token);
  return sign < 0 ? signs.length + 1 : sign;
}
