/**
 * Code as data: text can enter a fragment only as a fragment or as a printed literal, so configuration text cannot
 * become code. Imports are references inside fragments, resolved, deduplicated and ordered when the module is printed.
 */
import { commentLines, headerText } from "./comments.ts";
import { identifierName, isIdentifierName } from "./identifiers.ts";
import { type ImportReference, importStatements } from "./imports.ts";
import { type Literal, literalText } from "./literals.ts";

export type { Literal } from "./literals.ts";

/** A file to be written; `path` is relative to the output folder, with `/`. */
export interface EmittedFile {
  readonly path: string;
  readonly text: string;
}

type Part = string | ImportReference | Declared | Shorthand;

/** A name that the module itself declares: imports give way to it. */
interface Declared {
  readonly kind: "declared";
  readonly name: string;
}

/** `name: value`, printed as `name` where the value is that very name. */
interface Shorthand {
  readonly kind: "shorthand";
  readonly name: string;
  readonly value: Fragment;
}

class Fragment {
  readonly parts: readonly Part[];
  constructor(parts: readonly Part[]) {
    this.parts = parts;
  }
}

/** A piece of code. Made only by the functions of this module. */
export type Code = Fragment;

export function isCode(value: unknown): value is Code {
  return value instanceof Fragment;
}

/** Code: fragments are inserted as they are, everything else as a literal. */
export function code(strings: TemplateStringsArray, ...values: readonly (Code | Literal)[]): Code {
  const parts: Part[] = [];
  strings.forEach((text, at) => {
    if (text !== "") parts.push(text);
    if (at >= values.length) return;
    const value = values[at];
    if (value instanceof Fragment) parts.push(...value.parts);
    else parts.push(literalText(value));
  });
  return new Fragment(parts);
}

/** No code at all. */
export const nothing: Code = new Fragment([]);

/** `fragment()` where the condition holds, else nothing. */
export function when(condition: boolean, fragment: () => Code): Code {
  return condition ? fragment() : nothing;
}

/** What `fragment` makes of a value that is there, else nothing. */
export function given<T>(value: T | undefined, fragment: (value: T) => Code): Code {
  return value === undefined ? nothing : fragment(value);
}

/** A JSON-like value as a literal of the language. */
export function literal(value: Literal): Code {
  return new Fragment([literalText(value)]);
}

/** Fragments one after another; `separator` stands between them (default: a comma). Empty ones are left out. */
export function join(fragments: Iterable<Code>, separator: Code = code`, `): Code {
  const parts: Part[] = [];
  for (const fragment of fragments) {
    if (fragment.parts.length === 0) continue;
    if (parts.length > 0) parts.push(...separator.parts);
    parts.push(...fragment.parts);
  }
  return new Fragment(parts);
}

/** Fragments on lines of their own. */
export function lines(fragments: Iterable<Code>): Code {
  return join(fragments, code`\n`);
}

/** A value exported as `name` by module `from`; inserting it imports it, preferably as `local` (default: `name`). */
export function imported(name: string, from: string, local: string = name): Code {
  return new Fragment([
    { kind: "import", name: checkedName(name), local: identifierName(local), from, type: false },
  ]);
}

/** Imports a value by its own name and inserts nothing: for code {@link madeElsewhere} that uses the name. */
export function imports(name: string, from: string): Code {
  return new Fragment([{ kind: "import", name: checkedName(name), from, type: false, silent: true }]);
}

/** Imports a type as `local` and inserts nothing: for code that uses the name. */
export function importsType(name: string, from: string, local: string): Code {
  return new Fragment([
    { kind: "import", name: checkedName(name), local: identifierName(local), from, type: true, silent: true },
  ]);
}

/** A type exported as `name` by module `from`; inserting it imports it, preferably as `local` (default: `name`). */
export function importedType(name: string, from: string, local: string = name): Code {
  return new Fragment([
    { kind: "import", name: checkedName(name), local: identifierName(local), from, type: true },
  ]);
}

/** The default export of module `from`, preferably called `name`; `attributes` is what stands after `with`. */
export function importedDefault(name: string, from: string, attributes?: { readonly type: string }): Code {
  const reference = { kind: "import", name: "default", local: checkedName(name), from, type: false } as const;
  return new Fragment([attributes === undefined ? reference : { ...reference, attributes }]);
}

/** A name declared by the module at its top level, made a safe identifier (`delete` -> `delete_`, `a-b` -> `aB`). */
export function declared(name: string, avoid?: readonly string[]): Code {
  return new Fragment([{ kind: "declared", name: identifierName(name, avoid) }]);
}

/** A name of an inner scope, made a safe identifier. */
export function identifier(name: string): Code {
  return new Fragment([identifierName(name)]);
}

/** A member's name in an object literal or type: `status`, `"address.city"`, `["__proto__"]`. */
export function propertyKey(name: string): Code {
  if (name === "__proto__") return new Fragment([`[${literalText(name)}]`]);
  return new Fragment([isIdentifierName(name) ? name : literalText(name)]);
}

/** `name: value`, or `name` alone where the value is that name. */
export function property(name: string, value: Code | Literal): Code {
  if (!(value instanceof Fragment)) return code`${propertyKey(name)}: ${value}`;
  return isIdentifierName(name) && name !== "__proto__"
    ? new Fragment([{ kind: "shorthand", name, value }])
    : code`${propertyKey(name)}: ${value}`;
}

/** An object literal over several lines; members are made by {@link property}, empty ones are left out. */
export function object(members: readonly Code[]): Code {
  const present = members.filter((member) => member.parts.length > 0);
  return present.length === 0 ? code`{}` : code`{\n${join(present, code`,\n`)},\n}`;
}

/** An array literal. */
export function array(items: readonly Code[]): Code {
  return code`[${join(items)}]`;
}

/** `object.status`, `object["address.city"]`. */
export function member(value: Code, name: string): Code {
  return isIdentifierName(name) ? code`${value}.${new Fragment([name])}` : code`${value}[${name}]`;
}

/** `object?.status`, `object?.["address.city"]`. */
export function optionalMember(value: Code, name: string): Code {
  return isIdentifierName(name) ? code`${value}?.${new Fragment([name])}` : code`${value}?.[${name}]`;
}

/** A regular expression literal with flag `u`. */
export function pattern(source: string): Code {
  return new Fragment([`/${patternSource(source)}/u`]);
}

/** What the emitted regular expression says of its source. */
export function patternSource(source: string): string {
  // `source` comes back with slashes and line ends escaped; invisible characters are ours to escape.
  return new RegExp(source, "u").source.replace(/[\p{Cf}\p{Cc}\u2028\u2029]/gu, escapePoint);
}

function escapePoint(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}

/** A documentation comment; line ends in `text` start new lines of it. */
export function docComment(text: string): Code {
  const [first = "", ...rest] = commentLines(text);
  if (rest.length === 0) return new Fragment([`/** ${first} */\n`]);
  return new Fragment([`/**\n${[first, ...rest].map((line) => ` * ${line}`.trimEnd()).join("\n")}\n */\n`]);
}

/**
 * Text that another code generator made (ajv, json-schema-to-typescript). Never for text that contains configuration
 * text as it is.
 */
export function madeElsewhere(text: string): Code {
  return new Fragment([text]);
}

export interface ModuleSource {
  readonly path: string;
  /** Configuration files that it is made from, for the header; relative to the configuration folder. */
  readonly sources: readonly string[];
  readonly body: Code;
}

/** A whole module: header, imports, body. The layout of the body is the formatter's. */
export function emitModule({ path, sources, body }: ModuleSource): EmittedFile {
  const names = new Set<string>();
  const references: ImportReference[] = [];
  visit(body, names, references);
  const { statements, localName } = importStatements(references, names);
  const imports = statements === "" ? "" : `${statements}\n\n`;
  return { path, text: `// ${headerText(sources)}\n${imports}${print(body, localName).trim()}\n` };
}

function visit(fragment: Fragment, names: Set<string>, references: ImportReference[]): void {
  for (const part of fragment.parts) {
    if (typeof part === "string") continue;
    if (part.kind === "import") references.push(part);
    else if (part.kind === "declared") names.add(part.name);
    else visit(part.value, names, references);
  }
}

function print(fragment: Fragment, localName: (reference: ImportReference) => string): string {
  return fragment.parts
    .map((part) => {
      if (typeof part === "string") return part;
      if (part.kind === "import") return part.silent ? "" : localName(part);
      if (part.kind === "declared") return part.name;
      const value = print(part.value, localName);
      return value === part.name ? value : `${part.name}: ${value}`;
    })
    .join("");
}

/** A fragment's text where it stands alone; imports by their own names. For tests and single expressions. */
export function codeText(fragment: Code): string {
  return print(fragment, (reference) => reference.local ?? reference.name);
}

function checkedName(name: string): string {
  if (!isIdentifierName(name))
    throw new Error(`not a name that a module can export: ${JSON.stringify(name)}`);
  return name;
}
