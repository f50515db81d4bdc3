/**
 * One contract per route: what a route is stands here once, and everybody reads it. The server makes its path, admission,
 * parameters and body of it; the compiler its operation in OpenAPI documents; the client its method; tests their tables.
 * Only the security tests have an opinion of their own (`scripts/security/table.ts`, by hand).
 *
 * How a route comes about:
 *
 * 1. Its contract, in the file of its subject beside this one, in the list that the file exports. Schemas that several
 *    routes share, or that clients should have by name, are {@link named}; a body is a `closed(…)` object whose members
 *    stand in the order in which mistakes are told. What JSON Schema cannot say of a string has a name in `checks.ts`; what
 *    the realm's configuration decides (names of roles, the profile) is marked with `realm`. `errors` are those that the
 *    handler itself gives: what comes with credentials, membership, parameters and bodies is added ({@link errorsOf}).
 *    Where documents say more of a body than the server asks, it is {@link Body.shown} apart.
 * 2. `UPDATE_GOLDEN=1 npx vitest run scripts/contract` compiles the validators of all bodies anew (`validators.ts`), and prints
 *    the clients' methods with the types that they take and give (`client/contracted/`): of `client`, of `who`, `query`, `body`
 *    and `errors`. What varies by realm there (`when`, `shown`, `errors`) each realm's client says of itself.
 * 3. Its handler, where its subject lives: `openRoute`, `sessionRoute`, `administratorRoute` (`auth/contracted.ts`) or
 *    `memberRoute` (`organizations/route.ts`) take the contract and what is done for whom it admits; `body()` reads the body
 *    when the handler asks for it, typed by the schema; what the handler returns is the body of the one answer of the contract,
 *    whose status it has. `routeTable` (`http/contracted-routes.ts`) puts the routes of a
 *    subject under their paths. Those of a collection are `collectionRoute` (`documents/route.ts`).
 * 4. Its line in the security table, a sentence in the docs.
 *
 * Routes about documents are the same for every collection that has them: in their texts and paths `{stem}`, `{collection}`
 * and `{database}` stand for its names, and where they depend on its settings they are made by {@link ofCollection}. What its
 * schema.json, or a function's `input` and `output`, decides has no schema here but a name ({@link Made}), under which documents have what the compiler makes of it.
 */
import type { AdminArea } from "../realm/administration.ts";
import type { Manage } from "../realm/organizations.ts";
import type { Rules } from "../realm/rule.ts";
import type { OperationError } from "./errors.ts";
import type { HeaderName } from "./headers.ts";
import { type ParameterName, parameter } from "./parameters.ts";
import type { Made, Named, PlainSchema } from "./schema.ts";
import { type CollectionTraits, inRealm, type RealmTraits, type Varying } from "./traits.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface RouteContract {
  /** The operation's id, such as `createTeam`. */
  readonly id: string;
  readonly method: Method;
  /** Below `/v1/{realm}`. */
  readonly path: `/${string}`;
  readonly who: Who;
  /** Parameters in the query that it takes. */
  readonly query?: Varying<readonly ParameterName[]>;
  /** Headers that it looks at, beside those that follow from `who`. */
  readonly headers?: readonly ParameterName[];
  readonly body?: Body;
  /** By status; `default`: any. */
  readonly answers: Readonly<Record<string, AnswerContract>>;
  /** Beyond what {@link errorsOf} adds. */
  readonly errors?: Varying<readonly OperationError[]>;
  /** It refuses by codes of its own, too, with statuses from 400 to 499. */
  readonly refusesFreely?: true;
  readonly tag: string;
  readonly summary: Varying<string>;
  /** What the summary leaves open; of administrators, beside the area that it needs. */
  readonly about?: Varying<string>;
  /** The client's method, as {@link ClientMethod} says; its name where it says no more. */
  readonly client?: ClientMethod["method"] | ClientMethod;
  /** Realms that have it; absent: all. */
  readonly when?: (traits: RealmTraits) => boolean;
  /** Collections that have it; absent: all. */
  readonly of?: (collection: CollectionTraits) => boolean;
  /** Where it does more than refuse: other OpenAPI documents are without it. */
  readonly useful?: (traits: RealmTraits) => boolean;
}

/** Whom a route admits; others are refused before anything else of their request is judged. */
export type Who =
  /** Credentials are not even looked at. */
  | { readonly kind: "anyone" }
  /** Whom the realm's description is for (`openapi` of realm.yaml). */
  | { readonly kind: "reader" }
  /** Users in a session of theirs. */
  | { readonly kind: "session"; readonly proof?: true }
  /** Who administers the area, or the other one. */
  | {
      readonly kind: "administrator";
      readonly area: AdminArea;
      readonly or?: AdminArea;
      readonly to: "see" | "change";
      /** Of sessions. */
      readonly proof?: true;
      readonly makes?: Ruled["makes"];
    }
  | Ruled
  /** Whom the rule `invoke` of the function lets; API keys pass it. In realms without accounts nobody is asked. */
  | { readonly kind: "invoker" }
  /** Who queued the job `{id}`, and who administers functions. In realms without accounts nobody is asked. */
  | { readonly kind: "queuer" }
  /** Members of the organization `{org}`. */
  | ({ readonly kind: "member" } & MemberNeed);

/** Whom the access rules let, for some document; API keys pass them. In realms without accounts nobody is asked. */
export interface Ruled {
  readonly kind: "ruled";
  readonly to: "see" | "change";
  /** Rules that let together; of several sets one is enough. Documents name the first. */
  readonly by: readonly (readonly (keyof Rules)[])[];
  /** It makes documents, and those who have no id of their own cannot where documents have that of their maker. */
  readonly makes?: true;
}

export interface MemberNeed {
  /** One of these; absent: any member. */
  readonly manage?: readonly Manage[];
  /** A fresh proof of identity. */
  readonly proof?: true;
  /** Allows sessions without the second factor that the organization requires. */
  readonly withoutFactor?: true;
}

export interface Body {
  /** The same in all realms; of an object without `properties` the whole is a value to be kept. */
  readonly schema: Named<PlainSchema> | Made;
  /** As documents say it, where realms differ or one of several forms is asked for; `schema` takes what any of it says. */
  readonly shown?: Named | Made;
  readonly media: keyof typeof mediaTypes;
  /** Media types that descriptions name instead, the one that generated clients send by default first. */
  readonly types?: Varying<readonly string[]>;
  /** It may come as `multipart/form-data`, too: the parts that such a form has. */
  readonly form?: Named<PlainSchema>;
  /** Media types of the files in a form, by the part that they are in. */
  readonly parts?: Varying<Readonly<Record<string, readonly string[]>>>;
  /** There may be none: `{}` then. */
  readonly optional?: true;
}

/** What bodies may come as: JSON, that or a merge patch, a merge patch alone, any bytes, a part of a file, a form with files. */
export const mediaTypes = {
  json: ["application/json"],
  merge: ["application/json", "application/merge-patch+json"],
  patch: ["application/merge-patch+json"],
  any: ["*/*"],
  tus: ["application/offset+octet-stream"],
  form: ["multipart/form-data"],
} as const;

/** A method of clients: it takes the path's parameters in their order, then the body, then options. */
export interface ClientMethod {
  /** Where it is, such as `$orgs.teams.list`. */
  readonly method: `$${string}.${string}`;
  /** Members of the body are arguments by themselves. */
  readonly spread?: true;
  /** What the type of its options is called, where the query takes more than pages do. */
  readonly options?: string;
  /** What it does to the session that the client keeps. */
  readonly session?: "begins" | "ends";
}

export interface AnswerContract {
  /** Of the component in which operations share it. */
  readonly name?: Varying<string>;
  readonly description: string;
  readonly schema?: Named | Made;
  /** `application/json` where absent; of a stream of events the schema is that of one of them. */
  readonly media?: "text/event-stream" | "*/*";
  /** By the name that they have in the answer. */
  readonly headers?: Varying<Readonly<Record<string, HeaderName>>>;
}

/** Keeps the types of what is written, down to the names in its body. */
export function contract<const C extends RouteContract>(written: C): C {
  return written;
}

/** Names in braces in the path. */
export type PathNames<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathNames<Rest>
  : never;

/** Of a path, in their order. */
export function pathNames(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

/** Undefined for what clients have no method for. */
export function clientMethod({ client }: RouteContract): ClientMethod | undefined {
  return typeof client === "string" ? { method: client } : client;
}

/** What stands for names in braces in the texts and paths of routes about documents. */
export interface Names {
  readonly database?: string;
  readonly collection?: string;
  readonly fn?: string;
  /** One that holds files. */
  readonly field?: string;
  /** In names of operations and components. */
  readonly stem?: string;
}

/** With the names that are given; others stay in their braces. */
export function placed<Text extends string>(text: Text, names: Names): Text;
export function placed(text: string, { database, collection, fn, field, stem }: Names): string {
  const known = new Map(Object.entries({ database, collection, fn, field, stem }));
  return text.replaceAll(/\{(\w+)\}/g, (braced, name) => known.get(name) ?? braced);
}

/** The path of a route as route tables have it, where `:id` stands for a parameter. @param base what stands before it */
export function patternOf(base: string, path: string, names: Names): string {
  return `${base}${placed(path, names).replaceAll(/\{(\w+)\}/g, ":$1")}`;
}

/** Names of parameters in requests that are in the query, whatever they can say there. */
export function queryNames({ query = [] }: RouteContract, traits: RealmTraits): readonly string[] {
  return [...new Set(inRealm(query, traits).map((name) => parameter(name).name))];
}

/** Whether OpenAPI documents and clients have it. */
export function isDescribed({ when, of, useful }: RouteContract, traits: RealmTraits): boolean {
  const { collections = [] } = traits;
  return (
    when?.(traits) !== false &&
    (of === undefined || collections.every((collection) => of(collection))) &&
    useful?.(traits) !== false
  );
}

/** Whether a body that nobody needs is looked at all the same (spec: Common request rules 2 and 3). */
export function takesNeedlessBody({ method, body }: RouteContract): boolean {
  return body === undefined && (method === "POST" || method === "PUT");
}

/** Of every route. */
const everywhere = ["invalid_header", "invalid_query", "internal_error", "unavailable"] as const;

/** Of any body that comes. */
const ofNeedlessBodies = ["invalid_json", "payload_too_large", "unsupported_media_type"] as const;

const ofBodies = [...ofNeedlessBodies, "validation_error"] as const;

/** All codes that a route answers in a realm: its own, and those that come with what it is. Some stand twice. */
export function errorsOf(route: RouteContract, traits: RealmTraits): readonly OperationError[] {
  const { errors = [], body } = route;
  return [
    ...(body === undefined ? [] : isOfBytes(body) ? (["payload_too_large"] as const) : ofBodies),
    ...(takesNeedlessBody(route) ? ofNeedlessBodies : []),
    ...refusals(route.who, traits),
    ...inRealm(errors, traits),
    ...everywhere,
  ];
}

/** A body that is no JSON. */
export function isOfBytes({ media }: Body): boolean {
  return media === "any" || media === "tus" || media === "form";
}

function refusals(who: Who, traits: RealmTraits): readonly OperationError[] {
  switch (who.kind) {
    case "anyone":
      return [];
    case "reader":
    case "ruled":
    case "invoker":
    case "queuer":
      return traits.auth ? ["unauthenticated", "forbidden"] : [];
    case "session":
      return ["unauthenticated", "forbidden", ...(who.proof ? (["reauth_required"] as const) : [])];
    case "administrator":
      return [
        "unauthenticated",
        "forbidden",
        ...(traits.auth ? (["reauth_required"] as const) : []),
        "not_found",
      ];
    case "member":
      return [
        ...refusals({ kind: "session", ...(who.proof && { proof: true }) }, traits),
        "not_org_member",
        ...(who.withoutFactor ? [] : (["org_requires_mfa"] as const)),
      ];
  }
}
