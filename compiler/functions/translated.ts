/** TypeScript's messages about handlers, as diagnostics; what function.yaml does not declare is said in its words. */
import { ts } from "@ts-morph/common";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.ts";
import type { Realm } from "../model/model.ts";

export interface Translation {
  readonly realm: Realm;
  readonly source: ts.SourceFile;
  readonly checker: ts.TypeChecker;
  readonly spanAt: (start: number, length: number) => Span;
}

export function translated(found: ts.Diagnostic, of: Translation): Diagnostic {
  const { start = 0, length = 0 } = found;
  const span = of.spanAt(start, length);
  const undeclared = absentMember.has(found.code) ? undeclaredAt(start, of) : undefined;
  if (undeclared !== undefined)
    return diagnose("handler-undeclared", span, { what: undeclared.what }, undeclared);
  return diagnose("handler-type", span, { message: messageOf(found) });
}

export function messageOf({ messageText }: ts.Diagnostic): string {
  return ts
    .flattenDiagnosticMessageText(messageText, "; ")
    .replace(/\s+/g, " ")
    .replace(/\.(?=;|$)/g, "");
}

/** Property '…' does not exist on type '…', with and without a guess. */
const absentMember: ReadonlySet<number> = new Set([2339, 2551]);

interface Undeclared {
  readonly what: string;
  readonly hint: string;
}

function undeclaredAt(start: number, { realm, source, checker }: Translation): Undeclared | undefined {
  const node = nodeAt(source, start);
  if (node === undefined || !ts.isIdentifier(node)) return undefined;
  const owner = ownerOf(node);
  if (owner === undefined) return undefined;
  const name = node.text;
  const type = checker.getTypeAtLocation(owner);
  const kinds = new Set(
    [type, ...(type.isUnion() || type.isIntersection() ? type.types : [])].flatMap(namesOf),
  );
  if (kinds.has("SecretsOf"))
    return { what: `the secret ${name}`, hint: `add it to secrets in function.yaml: [${name}]` };
  if (kinds.has("DatabasesReached")) {
    if (!realm.databases.some((each) => each.name === name)) return undefined;
    return {
      what: `the database ${name}`,
      hint: `add it to scopes in function.yaml, under read or write: ${name}`,
    };
  }
  if (kinds.has("CollectionsReached")) {
    const database = lastName(owner);
    const known = realm.databases.filter((each) => database === undefined || each.name === database);
    if (!known.some(({ collections }) => collections.some((each) => each.name === name))) return undefined;
    const scope = database === undefined ? name : `${database}/${name}`;
    return {
      what: `the collection ${scope}`,
      hint: `add it to scopes in function.yaml, under read or write: ${scope}`,
    };
  }
  if (kinds.has("Readable") && !kinds.has("Writable") && writing.has(name))
    return { what: `writing by ${name}`, hint: "add the collection to scopes in function.yaml, under write" };
  if (kinds.has("Writable") && !kinds.has("Readable") && (reading.has(name) || name === "update"))
    return { what: `reading by ${name}`, hint: "add the collection to scopes in function.yaml, under read" };
  if (kinds.has("EveryContext") || kinds.has("Context")) {
    if (name === "mail") return { what: "mail", hint: "write mail: true in function.yaml" };
    if (name === "orgs")
      return { what: "what organizations are", hint: "declare organizations in realm.yaml" };
  }
  return undefined;
}

const reading: ReadonlySet<string> = new Set(["get", "list", "each", "count", "aggregate"]);
const writing: ReadonlySet<string> = new Set(["create", "replace", "patch", "update", "delete", "restore"]);

function namesOf({ aliasSymbol, symbol }: ts.Type): string[] {
  const named: readonly (ts.Symbol | undefined)[] = [aliasSymbol, symbol];
  return named.flatMap((each) => each?.name ?? []);
}

/** Whose member a name is meant to be: `ctx.db` of `ctx.db.x`, and of `const { x } = ctx.db`. */
function ownerOf(node: ts.Identifier): ts.Node | undefined {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) && parent.name === node) return parent.expression;
  if (!ts.isBindingElement(parent)) return undefined;
  const declaration = parent.parent.parent;
  return ts.isVariableDeclaration(declaration) ? (declaration.initializer ?? parent.parent) : parent.parent;
}

/** `support` of `ctx.db.support`. */
function lastName(node: ts.Node): string | undefined {
  return ts.isPropertyAccessExpression(node) ? node.name.text : undefined;
}

function nodeAt(source: ts.SourceFile, start: number): ts.Node | undefined {
  let found: ts.Node | undefined;
  const visit = (node: ts.Node): void => {
    if (node.getStart(source) === start) found = node;
    if (node.pos <= start && start < node.end) ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}
