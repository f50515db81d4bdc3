/** TypeScript's messages about handlers, as diagnostics; what function.yaml does not declare is said in its words. */
import { ts } from "@ts-morph/common";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.ts";
import type { Realm } from "../model/model.ts";
import { nodeModule } from "./modules.ts";
import { wordsOf } from "./words.ts";

export interface Translation {
  readonly realm: Realm;
  readonly source: ts.SourceFile;
  readonly checker: ts.TypeChecker;
  readonly spanAt: (start: number, length: number) => Span;
}

export function translated(found: ts.Diagnostic, of: Translation): Diagnostic {
  const { start = 0, length = 0 } = found;
  const span = of.spanAt(start, length);
  const { message, hint } = wordsOf(found);
  const node = nodeAt(of.source, start);
  const specifier = notImported.has(found.code) && node !== undefined ? textOf(node) : undefined;
  if (specifier !== undefined) return ofImport(specifier, found, span);
  const absent = absentMember.has(found.code) && node !== undefined ? absentAt(node, of) : undefined;
  if (absent?.kind === "undeclared")
    return diagnose("handler-undeclared", span, { what: absent.what }, { hint: absent.hint });
  const own = hint ?? (Object.hasOwn(hints, found.code) ? hints[found.code] : undefined);
  return diagnose("handler-type", span, { message: absent?.message ?? message }, { hint: own });
}

/** What TypeScript leaves open: what to do. */
const hints: Readonly<Record<number, string>> = {
  7006: 'say what the function is: const handler: Handler = …, by import type { Handler } from "./$types.ts"',
  18047: "where it may be null, ask for that first; nobody calls webhooks and events",
};

/** Cannot find module '…'; Could not find a declaration file for module '…'. */
const notImported: ReadonlySet<number> = new Set([2307, 2792, 7016]);

function ofImport(specifier: string, { code }: ts.Diagnostic, span: Span): Diagnostic {
  if (nodeModule(specifier) !== undefined)
    return diagnose(
      "handler-import",
      span,
      { specifier, problem: "has no types" },
      {
        hint: "npm install --save-dev @types/node",
      },
    );
  if (code === 7016)
    return diagnose(
      "handler-import",
      span,
      { specifier, problem: "has no types" },
      {
        hint: `install them, mostly by npm install --save-dev ${typesPackage(specifier)}`,
      },
    );
  if (/^\.\.?(?:\/|$)/.test(specifier))
    return diagnose("handler-import", span, { specifier, problem: "is no file" });
  return diagnose(
    "handler-import",
    span,
    { specifier, problem: "is not installed" },
    {
      hint: `npm install ${packageOf(specifier)}`,
    },
  );
}

function packageOf(specifier: string): string {
  return /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;
}

/** `@types/a__b` is that of `@a/b`. */
function typesPackage(specifier: string): string {
  return `@types/${packageOf(specifier).replace(/^@([^/]+)\//, "$1__")}`;
}

function textOf(node: ts.Node): string | undefined {
  return ts.isStringLiteralLike(node) ? node.text : undefined;
}

/** Property '…' does not exist on type '…', with and without a guess. */
const absentMember: ReadonlySet<number> = new Set([2339, 2551]);

/** What a name would be that is not there. */
type Absent =
  | { readonly kind: "undeclared"; readonly what: string; readonly hint: string }
  | { readonly kind: "unknown"; readonly message: string };

function absentAt(node: ts.Node, { realm, checker }: Translation): Absent | undefined {
  if (!ts.isIdentifier(node)) return undefined;
  const owner = ownerOf(node);
  if (owner === undefined) return undefined;
  const name = node.text;
  const type = checker.getTypeAtLocation(owner);
  const kinds = new Set(
    [type, ...(type.isUnion() || type.isIntersection() ? type.types : [])].flatMap(namesOf),
  );
  const underScopes = "add it to scopes in function.yaml, under read or write";
  if (kinds.has("SecretsOf"))
    return undeclared(`the secret ${name}`, `add it to secrets in function.yaml: [${name}]`);
  if (kinds.has("DatabasesReached")) {
    return realm.databases.some((each) => each.name === name)
      ? undeclared(`the database ${name}`, `${underScopes}: ${name}`)
      : unknown(`there is no database '${name}' in this realm`);
  }
  if (kinds.has("CollectionsReached")) {
    const database = lastName(owner);
    const known = realm.databases.filter((each) => database === undefined || each.name === database);
    const scope = database === undefined ? name : `${database}/${name}`;
    return known.some(({ collections }) => collections.some((each) => each.name === name))
      ? undeclared(`the collection ${scope}`, `${underScopes}: ${scope}`)
      : unknown(
          `there is no collection '${name}'${database === undefined ? "" : ` in the database '${database}'`}`,
        );
  }
  const [reads, writes] = [kinds.has("Readable"), kinds.has("Writable")];
  if (writes && !reads && (reading.has(name) || name === "update"))
    return undeclared(`reading by ${name}`, "add the collection to scopes in function.yaml, under read");
  if (reads && !writes && writing.has(name))
    return undeclared(`writing by ${name}`, "add the collection to scopes in function.yaml, under write");
  if (reads || writes) return unknown(`a collection has no '${name}': there are ${operations(type)}`);
  if (kinds.has("EveryContext") || kinds.has("Context")) {
    if (name === "mail") return undeclared("mail", "write mail: true in function.yaml");
    if (name === "orgs") return undeclared("what organizations are", "declare organizations in realm.yaml");
    return unknown(`ctx has no '${name}'`);
  }
  return undefined;
}

function undeclared(what: string, hint: string): Absent {
  return { kind: "undeclared", what, hint };
}

function unknown(message: string): Absent {
  return { kind: "unknown", message };
}

/** What can be done with a collection, as its handler may. */
function operations(type: ts.Type): string {
  return type
    .getProperties()
    .map(({ name }) => name)
    .join(", ");
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
