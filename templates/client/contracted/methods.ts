/** The methods of clients, as contracts say. */
import {
  type ClientMethod,
  clientMethod,
  errorsOf,
  pathNames,
  type RouteContract,
  takesNeedlessBody,
  type Who,
} from "../../../runtime/contract/contract.ts";
import { contracts } from "../../../runtime/contract/index.ts";
import { type ParameterName, paging, parameter } from "../../../runtime/contract/parameters.ts";
import { isMade, isNamed, type Made, type Named, type Schema } from "../../../runtime/contract/schema.ts";
import type { RealmTraits } from "../../../runtime/contract/traits.ts";
import { type Kind, kindOf, kindOfRoute, realmsWith, variants } from "./realms.ts";
import { type ClientType, ClientTypes, varyingMembers } from "./types.ts";

export interface Method extends Pick<ClientMethod, "session"> {
  readonly route: RouteContract;
  /** Where it is: `$orgs.teams`. */
  readonly part: string;
  readonly name: string;
  /** Realms that have it. */
  readonly kind: Kind;
  /** Ids in its path, in their order. */
  readonly ids: readonly string[];
  /** What stands for the body: all of it, or its members by themselves. */
  readonly body?: { readonly arguments: readonly Argument[]; readonly isSpread: boolean };
  readonly options: Options;
  readonly answer: string;
  readonly errors: string;
}

/** Its last argument: what of it is not about the request alone. */
export interface Options {
  readonly type: string;
  readonly holds: "nothing" | "proof" | "query";
}

export interface Argument {
  readonly name: string;
  readonly type: string;
  readonly fallback?: string;
}

interface Methods {
  readonly methods: readonly Method[];
  readonly types: readonly ClientType[];
}

let known: Methods | undefined;

/** Of all contracts, in their order, those of all realms first; with the types that they are made of. */
export function clientMethods(): Methods {
  if (known !== undefined) return known;
  const types = new ClientTypes();
  const methods = contracts
    .flatMap((route) => {
      const said = clientMethod(route);
      return said === undefined ? [] : [{ route, said, kind: kindOfRoute(route) }];
    })
    .sort((a, b) => a.kind - b.kind)
    .map(({ route, said, kind }) => methodOf(route, said, kind, types));
  known = { methods, types: types.declared };
  return known;
}

function methodOf(route: RouteContract, said: ClientMethod, kind: Kind, types: ClientTypes): Method {
  const dot = said.method.lastIndexOf(".");
  return {
    route,
    part: said.method.slice(0, dot),
    name: said.method.slice(dot + 1),
    kind,
    ids: pathNames(route.path),
    ...bodyOf(route, said, kind, types),
    options: optionsOf(route, said, kind, types),
    answer: answerOf(route, kind, types),
    errors: errorsText(route),
    ...(said.session && { session: said.session }),
  };
}

function bodyOf(
  route: RouteContract,
  { spread }: ClientMethod,
  kind: Kind,
  types: ClientTypes,
): Pick<Method, "body"> {
  const { body } = route;
  if (body === undefined) return {};
  if (!spread) {
    const type = types.body(route.id, namedOf(route, body.shown ?? body.schema), realmsWith(route), kind);
    const name = body.media === "merge" ? "patch" : "body";
    return {
      body: { arguments: [{ name, type, ...(body.optional && { fallback: "{}" }) }], isSpread: false },
    };
  }
  const [schema] = variants(namedOf(route, body.schema).schema);
  const members = Object.entries(schema?.properties ?? {});
  const args = members.map(([name, member]) => ({ name, type: types.of(member, "request", kind) }));
  return { body: { arguments: args, isSpread: true } };
}

function optionsOf(route: RouteContract, said: ClientMethod, kind: Kind, types: ClientTypes): Options {
  const { headers = [], who } = route;
  const query = [...new Set(variants(route.query ?? [], realmsWith(route)).flat())];
  const others = headers.filter((name) => parameter(name).name !== proofHeader);
  if (others.length > 0) throw new Error(`${route.id}: clients have no option for ${others.join(", ")}`);
  const takesProof = ("proof" in who && who.proof) || headers.length > 0;
  const pages: readonly ParameterName[] = paging;
  const isPaged = pages.every((name) => query.includes(name));
  const base = isPaged ? "PageOptions" : takesProof ? "ProofOptions" : "RequestOptions";
  const own = query.filter((name) => !isPaged || !pages.includes(name));
  const holds = query.length > 0 ? "query" : takesProof ? "proof" : "nothing";
  if (holds === "query" && takesProof) throw new Error(`${route.id}: parameters besides a proof of identity`);
  if (own.length === 0) return { type: base, holds };
  if (said.options === undefined)
    throw new Error(`${route.id}: its query takes more than pages: name its \`options\``);
  const properties = own.map((each): [string, Schema] => {
    const { name, schema, description } = parameter(each);
    if (isMade(schema)) throw new Error(`${route.id}: ${name} is typed by collection`);
    const [about] = description === undefined ? [] : variants(description);
    return [name, { ...schema, ...(about !== undefined && { description: about }) }];
  });
  return { type: types.options(said.options, base, Object.fromEntries(properties), kind), holds };
}

/** Where a proof of identity is sent. */
const proofHeader = parameter("Reauth").name;

/** @throws Error where it is made of collections: what clients do with these is written by hand */
function namedOf({ id }: RouteContract, schema: Named | Made): Named {
  if (isMade(schema)) throw new Error(`${id}: ${schema.made} is typed by collection`);
  return schema;
}

function answerOf(route: RouteContract, kind: Kind, types: ClientTypes): string {
  const [answered] = Object.entries(route.answers).flatMap(([status, answer]) =>
    Number(status) < 300 ? (answer.schema ?? []) : [],
  );
  if (answered === undefined) return "void";
  const schema = namedOf(route, answered);
  const { items, has_more: more } = variants(schema.schema)[0]?.properties ?? {};
  const isPage = more !== undefined && items !== undefined && !isNamed(items) && items.items !== undefined;
  return isPage ? `EntryPage<${types.of(items.items, "answer", kind)}>` : types.of(schema, "answer", kind);
}

/** Codes that come with whom a route admits. */
const admission = {
  anyone: "Usual",
  reader: "Always",
  session: "Always",
  queuer: "Always",
  member: "MemberError",
  administrator: "AdministrationError<R>",
} as const satisfies Record<Exclude<Who["kind"], "ruled" | "invoker">, string>;

function errorsText(route: RouteContract): string {
  const { id, who, body } = route;
  if (who.kind === "ruled" || who.kind === "invoker")
    throw new Error(`${id}: whom rules let is typed by collection or function`);
  const admitted = admission[who.kind];
  const { always, sometimes } = ownErrors(route);
  return [
    "withoutFactor" in who && who.withoutFactor ? `Exclude<${admitted}, "org_requires_mfa">` : admitted,
    ...(body === undefined ? [] : ["BodyError"]),
    ...(takesNeedlessBody(route) ? ["AnyBodyError"] : []),
    ...always.map((code) => JSON.stringify(code)),
    ...(sometimes.size === 0 ? [] : [`R["codes"]["${id}"]`]),
  ].join(" | ");
}

/** Codes of a route beside those that come with whom it admits and with bodies; some only in some realms. */
function ownErrors(route: RouteContract) {
  const among = typeof route.errors === "function" ? realmsWith(route) : realmsWith(route).slice(0, 1);
  const each = among.map((realm) => errorsIn(route, realm));
  const all = new Set(each.flatMap((codes) => [...codes]));
  const always = [...all].filter((code) => each.every((codes) => codes.has(code)));
  return { always, sometimes: new Set([...all].filter((code) => !always.includes(code))) };
}

function errorsIn(route: RouteContract, realm: RealmTraits): ReadonlySet<string> {
  const { who } = route;
  const common = errorsOf({ ...route, errors: [], who: "proof" in who ? withoutProof(who) : who }, realm);
  return new Set(errorsOf(route, realm).filter((code) => !common.includes(code)));
}

function withoutProof<W extends Who>({ ...who }: W & { proof?: true }): W {
  delete who.proof;
  return who;
}

/** What a realm's client says of routes that are not the same in all realms, by their ids: TypeScript. */
export function variedIn(realm: RealmTraits): {
  readonly codes: readonly (readonly [id: string, codes: readonly string[]])[];
  readonly bodies: readonly (readonly [id: string, type: string])[];
} {
  const types = new ClientTypes();
  const mine = clientMethods().methods.filter(({ kind }) => kind <= kindOf(realm));
  return {
    codes: mine.flatMap(({ route }) => {
      const { sometimes } = ownErrors(route);
      if (sometimes.size === 0) return [];
      const here = errorsIn(route, realm);
      return [[route.id, [...sometimes].filter((code) => here.has(code))] as const];
    }),
    bodies: mine.flatMap(({ route, kind }) => {
      if (route.body?.shown === undefined) return [];
      const { schema } = namedOf(route, route.body.shown);
      const varying = varyingMembers(variants(schema, realmsWith(route)));
      const [here = {}] = variants(schema, [realm]);
      return varying.size === 0 ? [] : [[route.id, types.realmsOwn(here, varying, kind)] as const];
    }),
  };
}
