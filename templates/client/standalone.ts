/** `client.ts` that imports nothing, for `--standalone-client`: with what it uses of `realmc/client` at its end. */
import { dirname, join } from "node:path";
import { ts } from "ts-morph";
import { errorStatus } from "../../runtime/error-codes.ts";
import type { EmittedFile } from "../print/code.ts";
import { runtimeModule } from "./printing.ts";
import { clientEntry, clientSource } from "./sources.ts";

/** What stands in `runtime/client/codes.ts`, without the server's table. */
const codes = `export type AnyErrorCode =${Object.keys(errorStatus)
  .map((code) => `\n  | ${JSON.stringify(code)}`)
  .join("")};`;

/** A declaration at the top of a module. */
interface Declaration {
  readonly name: string;
  readonly statement: ts.Statement;
  /** Names that it says, its own among them. */
  readonly says: ReadonlySet<string>;
}

/** The modules of `realmc/client`, read once. */
interface Runtime {
  /** Texts of the files that it was read from, by their paths. */
  readonly sources: ReadonlyMap<string, string>;
  readonly declarations: readonly Declaration[];
  /** Modules by what the entry exports of them. */
  readonly exports: ReadonlyMap<string, string>;
}

let known: Runtime | undefined;

/** @param file as it is emitted, importing `realmc/client` */
export function standalone({ path, text }: EmittedFile): EmittedFile {
  const runtime = runtimeOfClients();
  const { own, imported, local } = taken(text);
  const modules = new Set([...imported.keys(), "ApiError"].map((name) => runtime.exports.get(name)));
  const shown = [...runtime.exports]
    .filter(([name, module]) => modules.has(module) && !local.has(name))
    .map(([name]) => name);
  const used = reached(runtime.declarations, [...imported.keys(), ...shown]);
  // What the client calls by a name of `realmc/client` is the realm's own.
  const clashing = [...local].filter((name) => used.has(name) && !imported.has(name));
  const names = new Map([...imported, ...clashing.map((name) => [name, `${name}Base`] as const)]);
  const parts = runtime.declarations
    .filter((each) => used.has(each.name))
    .map((each) => printed(each, shown.includes(each.name), names));
  return {
    path,
    text: [own, "// What it is made of, as `realmc/client` has it.", ...parts].join("\n\n").concat("\n"),
  };
}

/** The files that {@link standalone} reads, by their paths: all that the published package needs of them. */
export function clientSources(): ReadonlyMap<string, string> {
  return runtimeOfClients().sources;
}

function runtimeOfClients(): Runtime {
  known ??= readRuntime();
  return known;
}

/** The module without what it takes of `realmc/client`: that by the names which it has here; and names that it exports itself. */
function taken(text: string) {
  const source = parsed("client.ts", text);
  const imported = new Map<string, string>();
  const local = new Set<string>();
  const kept: string[] = [];
  for (const statement of source.statements) {
    if (ts.isImportDeclaration(statement)) {
      const names = statement.importClause?.namedBindings;
      if (names === undefined || !ts.isNamedImports(names))
        throw new Error(`${statement.getText()}: no names`);
      for (const { name, propertyName } of names.elements)
        imported.set((propertyName ?? name).text, name.text);
    } else if (ts.isExportDeclaration(statement)) {
      const names = statement.exportClause;
      if (names === undefined) continue;
      kept.push(statement.getText().replace(` from "${runtimeModule}"`, ""));
      if (!ts.isNamedExports(names)) continue;
      for (const { name } of names.elements) local.add(name.text);
    } else {
      kept.push(statement.getFullText().trim());
      const name = nameOf(statement);
      if (name !== undefined) local.add(name);
    }
  }
  const [header = ""] = text.split("\n", 1);
  const whole = [header, ...kept.map((part) => part.replace(`${header}\n`, ""))].join("\n\n");
  return { own: whole, imported, local };
}

function readRuntime(): Runtime {
  const sources = new Map<string, string>();
  const exports = new Map<string, string>();
  const declarations: Declaration[] = [];
  const seen = new Set<string>();
  const read = (path: string, isEntry: boolean): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const isCodes = path.endsWith("/codes.ts");
    const text = isCodes ? codes : clientSource(path);
    if (!isCodes) sources.set(path, text);
    const source = parsed(path, text);
    for (const statement of source.statements) {
      const from = moduleOf(statement);
      const isExported = isEntry && from !== undefined && ts.isExportDeclaration(statement);
      const isWhole = isExported && statement.exportClause === undefined;
      if (from !== undefined) read(join(dirname(path), from), isWhole);
      const name = nameOf(statement);
      if (name !== undefined) declarations.push({ name, statement, says: identifiersIn(statement) });
      if (!isExported || isWhole) continue;
      const names = statement.exportClause;
      if (names === undefined || !ts.isNamedExports(names)) throw new Error(`${path} exports a namespace`);
      for (const each of names.elements) exports.set(each.name.text, from);
    }
  };
  read(clientEntry, true);
  return { sources, declarations, exports };
}

function parsed(path: string, text: string): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
}

/** What an import or an export names, where it names a module. */
function moduleOf(statement: ts.Statement): string | undefined {
  if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return undefined;
  const { moduleSpecifier: from } = statement;
  return from !== undefined && ts.isStringLiteral(from) ? from.text : undefined;
}

function nameOf(statement: ts.Statement): string | undefined {
  if (ts.isVariableStatement(statement)) {
    const [first] = statement.declarationList.declarations;
    return first !== undefined && ts.isIdentifier(first.name) ? first.name.text : undefined;
  }
  const isNamed =
    ts.isClassDeclaration(statement) ||
    ts.isFunctionDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement);
  return isNamed ? statement.name?.text : undefined;
}

function identifiersIn(node: ts.Node): ReadonlySet<string> {
  const names = new Set<string>();
  const parameters = new Set<string>();
  visit(node, (identifier) => {
    if (ts.isTypeParameterDeclaration(identifier.parent)) parameters.add(identifier.parent.name.text);
    if (!isLabel(identifier)) names.add(identifier.text);
  });
  return new Set([...names].filter((name) => !parameters.has(name)));
}

/** Whether it names a member or a parameter: nothing at the top of a module. */
function isLabel(identifier: ts.Identifier): boolean {
  const { parent } = identifier;
  if (ts.isBindingElement(parent)) return parent.initializer !== identifier;
  return (
    (ts.isPropertySignature(parent) ||
      ts.isPropertyDeclaration(parent) ||
      ts.isPropertyAssignment(parent) ||
      ts.isPropertyAccessExpression(parent) ||
      ts.isMethodDeclaration(parent) ||
      ts.isMethodSignature(parent) ||
      ts.isAccessor(parent) ||
      ts.isParameter(parent)) &&
    parent.name === identifier
  );
}

function visit(node: ts.Node, each: (identifier: ts.Identifier) => unknown): void {
  if (ts.isIdentifier(node)) each(node);
  ts.forEachChild(node, (child) => visit(child, each));
}

/** The names given, and all that what they are called by leads to. */
function reached(declarations: readonly Declaration[], names: readonly string[]): ReadonlySet<string> {
  const says = new Map(declarations.map((each) => [each.name, each.says]));
  const found = new Set<string>();
  const follow = (name: string): void => {
    if (found.has(name) || !says.has(name)) return;
    found.add(name);
    for (const each of says.get(name) ?? []) follow(each);
  };
  for (const name of names) follow(name);
  return found;
}

/** @param names what declarations are called where the client has their names for its own */
function printed({ statement }: Declaration, isShown: boolean, names: ReadonlyMap<string, string>): string {
  const start = statement.getStart();
  const renamed: (readonly [from: number, to: number, text: string])[] = [];
  visit(statement, (identifier) => {
    const name = names.get(identifier.text);
    if (name !== undefined && name !== identifier.text)
      renamed.push([identifier.getStart(), identifier.getEnd(), name]);
  });
  if (!isShown && ts.canHaveModifiers(statement)) {
    const word = ts.getModifiers(statement)?.find(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);
    if (word !== undefined) renamed.unshift([word.getStart(), word.getEnd() + 1, ""]);
  }
  const source = statement.getSourceFile().text;
  const comment = ts.getLeadingCommentRanges(source, statement.pos)?.at(-1);
  const said = comment?.end === start - 1 ? `${source.slice(comment.pos, comment.end)}\n` : "";
  let [text, at] = ["", start];
  for (const [from, to, name] of renamed) {
    text += source.slice(at, from) + name;
    at = to;
  }
  return said + text + source.slice(at, statement.getEnd());
}
