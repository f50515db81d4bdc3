/** `runtime/client/contracted/`: the clients' methods for fixed routes and the types that these take and give. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { inRealm } from "../../runtime/contract/traits.ts";
import { clientMethods, type Method } from "../../templates/client/contracted/methods.ts";
import {
  factoryOf,
  isInner,
  isPartial,
  methodsIn,
  moduleOf,
  type Part,
  parts,
  typeIn,
  typeModules,
} from "../../templates/client/contracted/parts.ts";
import { realmKinds, realmsWith } from "../../templates/client/contracted/realms.ts";
import { comment } from "../../templates/client/contracted/types.ts";
import { compareNames, importStatements } from "../../templates/print/imports.ts";
import { root } from "../workspace.ts";

const header = "// Made of the contracts by scripts/contract/client.ts (UPDATE_GOLDEN=1). Do not edit.";

/** By name in the folder. */
export function clientModules(): ReadonlyMap<string, string> {
  const homeless = clientMethods().methods.filter(
    (each) => !parts.some((part) => methodsIn(part).includes(each)),
  );
  for (const { route, part } of homeless)
    throw new Error(
      `${route.id}: no class of \`${part}\` is for its realms (templates/client/contracted/parts.ts)`,
    );
  const modules = [...typeModules.map(typeModule), ...parts.map(classModule)];
  const homes = new Map([
    ...Object.entries(written).flatMap(([from, names]) =>
      names.map((name) => [name, `../${from}.ts`] as const),
    ),
    ...modules.flatMap(({ name, declares }) => declares.map((each) => [each, `./${name}.ts`] as const)),
  ]);
  const inOrder = modules.toSorted((a, b) => compareNames(a.name, b.name));
  const index = inOrder.map(({ name, exports: { types, values: functions } }) => {
    const names = [...types, ...functions].sort(compareNames);
    if (functions.length === 0) return `export type { ${names.join(", ")} } from "./${name}.ts";`;
    const said = names.map((each) => (types.includes(each) ? `type ${each}` : each));
    return `export { ${said.join(", ")} } from "./${name}.ts";`;
  });
  const texts = [...modules.map((module) => textOf(module, homes)), `${header}\n${index.join("\n")}\n`];
  const names = [...modules.map(({ name }) => name), "index"];
  return new Map(laidOut(texts).map((text, at) => [`${names[at]}.ts`, text]));
}

/** Stands between modules that are laid out together. */
const boundary = "\n// The next module.\n";

/** By the linter: templates lay out no classes. */
function laidOut(texts: readonly string[]): readonly string[] {
  const linter = join(root, "node_modules/@biomejs/biome/bin/biome");
  const words = [linter, "format", "--stdin-file-path=runtime/client/contracted/index.ts"];
  const options = { cwd: root, input: texts.join(boundary), encoding: "utf8" } as const;
  return execFileSync(process.execPath, words, options)
    .split(boundary)
    .map((text) => `${text.trim()}\n`);
}

function textOf(module: Module, homes: ReadonlyMap<string, string>): string {
  return `${header}\n${importsOf(module, homes)}${module.text}`;
}

interface Module {
  readonly name: string;
  readonly text: string;
  readonly declares: readonly string[];
  /** Classes of others that it goes on from or makes. */
  readonly values: readonly string[];
  readonly exports: { readonly types: readonly string[]; readonly values: readonly string[] };
}

function typeModule(name: string, kind: number): Module {
  const types = clientMethods().types.filter((type) => type.kind === kind);
  const names = types.map((type) => type.name);
  return {
    name,
    text: types.map(({ declaration }) => declaration).join("\n\n"),
    declares: names,
    values: [],
    exports: { types: names, values: [] },
  };
}

function classModule(part: Part): Module {
  const { type, kind, about } = part;
  const parameters = `<R extends ${realmKinds[kind]}>`;
  const before = parts.filter(({ path }) => path === part.path);
  const base = part.base?.type ?? before[before.findIndex((each) => each.type === type) - 1]?.type;
  const inner = parts.filter((each) => isInner(each) && each.path.startsWith(`${part.path}.`));
  const members = [
    ...inner.map((each) => `readonly ${nameIn(each)}: ${each.type}<R>;`),
    "readonly #connection: Connection;\n",
    ...constructorOf(base !== undefined, inner),
    ...methodsIn(part).map(method),
  ];
  const made = typeIn(part);
  const texts = [
    `${comment(about)}export class ${type}${parameters} ${base === undefined ? "" : `extends ${base}<R> `}{\n${members.join("\n")}\n}`,
    ...(isPartial(part)
      ? [
          `${comment("What of it the realm answers.")}export type ${made}${parameters} = Answered<${type}<R>, "${part.path}", R>;`,
        ]
      : []),
    ...(isInner(part)
      ? []
      : [
          `export function ${factoryOf(part)}${parameters}(connected: Connected<R>): ${made}<R> {\n  return new ${type}(connected);\n}`,
        ]),
  ];
  return {
    name: moduleOf(part),
    text: texts.join("\n\n"),
    declares: [type, made],
    values: [...(base === undefined ? [] : [base]), ...inner.map((each) => each.type)],
    exports: { types: [...new Set([type, made])], values: isInner(part) ? [] : [factoryOf(part)] },
  };
}

function constructorOf(goesOn: boolean, inner: readonly Part[]): readonly string[] {
  return [
    "constructor(connected: Connected<R>) {",
    ...(goesOn ? ["super(connected);"] : []),
    "this.#connection = connected.connection;",
    ...inner.map((each) => `this.${nameIn(each)} = new ${each.type}(connected);`),
    "}\n",
  ];
}

function nameIn({ path }: Part): string {
  return path.slice(path.lastIndexOf(".") + 1);
}

function method({ route, name, ids, body, options, answer, errors, session }: Method): string {
  const isRead = options.holds === "query";
  const args = [
    ...ids.map((id) => `${id}: string`),
    ...(body?.arguments ?? []).map(({ name: each, type, fallback }) =>
      fallback === undefined ? `${each}: ${type}` : `${each}: ${type} = ${fallback}`,
    ),
    isRead ? `options: ${options.type} = {}` : `options?: ${options.type}`,
  ];
  const given = body?.arguments.map((each) => each.name) ?? [];
  const call = [
    `method: "${route.method}"`,
    `path: ${pathText(route.path.slice(1))}`,
    ...(body === undefined
      ? []
      : [body.isSpread ? `body: { ${given.join(", ")} }` : given.map(asBody).join()]),
    { nothing: "options", proof: "...proved(options)", query: "...read(options)" }[options.holds],
    ...(route.method === "GET" && !isRead ? ["repeatable: true"] : []),
  ].join(", ");
  const sent =
    session === undefined
      ? `this.#connection.call({ ${call} })`
      : `${effects[session]}(this.#connection, { ${call} })`;
  return `${comment(aboutOf(route))}${name}(${args.join(", ")}): ApiPromise<${answer}, ${errors}> {\n  return ${sent};\n}\n`;
}

function asBody(name: string): string {
  return name === "body" ? name : `body: ${name}`;
}

const effects = { begins: "begun", ends: "ended" } as const;

/** What documents say, too. */
function aboutOf(route: Method["route"]): string {
  const { summary, about = "" } = route;
  const [realm] = realmsWith(route);
  const said = realm === undefined ? [] : [inRealm(summary, realm), inRealm(about, realm)];
  return said
    .filter((text) => text !== "")
    .map(sentence)
    .join(" ");
}

function sentence(text: string): string {
  return text.endsWith(".") ? text : `${text}.`;
}

function pathText(path: string): string {
  return path.includes("{") ? `pathWith\`${path.replaceAll("{", "${")}\`` : JSON.stringify(path);
}

/** What of `realmc/client` is written by hand and used here, by module. */
const written = {
  calls: ["begun", "ended", "pathWith", "proved", "ProofOptions"],
  connected: ["Connected"],
  connection: ["Connection"],
  request: ["RequestOptions"],
  errors: ["ApiPromise"],
  pages: ["EntryPage", "PageOptions", "read"],
  realm: ["Answered", "KeyScopes", ...realmKinds],
  "route-errors": ["AdministrationError", "Always", "AnyBodyError", "BodyError", "MemberError", "Usual"],
  "../documents/shape": ["MergePatch"],
  ...Object.fromEntries(parts.flatMap((part) => (part.base ? [[part.base.module, [part.base.type]]] : []))),
};

function importsOf({ text, declares, values }: Module, homes: ReadonlyMap<string, string>): string {
  const code = text.replaceAll(/\/\*\*[\s\S]*?\*\/|"[^"\n]*"/g, "");
  const types: readonly string[] = code.match(/\b[A-Z]\w+/g) ?? [];
  const functions: readonly string[] = code.match(/\b[a-z]\w+(?=[(`])/g) ?? [];
  const references = [...new Set([...types, ...functions])].flatMap((name) => {
    const from = homes.get(name);
    if (from === undefined || declares.includes(name)) return [];
    const type = !values.includes(name) && types.includes(name);
    return [{ kind: "import" as const, name, from, type }];
  });
  const { statements } = importStatements(references, new Set());
  return statements === "" ? "" : `${statements}\n\n`;
}
