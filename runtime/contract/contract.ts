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
 * 2. `UPDATE_GOLDEN=1 npx vitest run scripts/contract` compiles the validators of all bodies anew (`validators.ts`).
 * 3. Its handler, where its subject lives: `openRoute`, `sessionRoute`, `administratorRoute` (`auth/contracted.ts`) or
 *    `memberRoute` (`organizations/route.ts`) take the contract and what is done for whom it admits; `body()` reads the body
 *    when the handler asks for it, typed by the schema. `routeTable` (`http/contracted-routes.ts`) puts the routes of a
 *    subject under their paths.
 * 4. Its line in the security table, a sentence in the docs.
 *
 * A subject that still is written the old way is moved so: write its contracts with the ids, texts and schemas of
 * `templates/openapi`, delete them there (`Build.schema` gives what is left there the schemas by contract), put the
 * subject's list into `contracts` (`index.ts`), where documents take it from, in the order of documents; then the handlers,
 * without `BodyReader`. The documents of the examples and the tests of the subject say whether it is the same.
 */
import type { AdminArea } from "../realm/administration.ts";
import type { Manage } from "../realm/organizations.ts";
import type { OperationError } from "./errors.ts";
import type { HeaderName } from "./headers.ts";
import { type ParameterName, parameter } from "./parameters.ts";
import type { Named, PlainSchema } from "./schema.ts";
import type { RealmTraits, Varying } from "./traits.ts";

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export interface RouteContract {
  /** The operation's id, such as `createTeam`. */
  readonly id: string;
  readonly method: Method;
  /** Below `/v1/{realm}`. */
  readonly path: `/${string}`;
  readonly who: Who;
  /** Parameters in the query that it takes. */
  readonly query?: readonly ParameterName[];
  /** Headers that it looks at, beside those that follow from `who`. */
  readonly headers?: readonly ParameterName[];
  readonly body?: Body;
  /** By status. */
  readonly answers: Readonly<Record<number, AnswerContract>>;
  /** Beyond what {@link errorsOf} adds. */
  readonly errors?: Varying<readonly OperationError[]>;
  readonly tag: string;
  readonly summary: Varying<string>;
  /** What the summary leaves open; of administrators, beside the area that it needs. */
  readonly about?: Varying<string>;
  /** The client's method: it takes the path's parameters in their order, then the body, then options. */
  readonly client?: `$${string}`;
  /** Realms that have it; absent: all. */
  readonly when?: (traits: RealmTraits) => boolean;
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
    }
  /** Members of the organization `{org}`. */
  | ({ readonly kind: "member" } & MemberNeed);

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
  readonly schema: Named<PlainSchema>;
  /** `merge`: `application/merge-patch+json` does as well. */
  /** As documents say it, where realms differ or one of several forms is asked for; `schema` takes what any of it says. */
  readonly shown?: Named;
  readonly media: "json" | "merge";
  /** There may be none: `{}` then. */
  readonly optional?: true;
}

export interface AnswerContract {
  readonly description: string;
  readonly schema?: Named;
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

/** Names of parameters in requests that are in the query. */
export function queryNames({ query = [] }: RouteContract): readonly string[] {
  return query.map((name) => parameter(name).name);
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
    ...(body === undefined ? [] : ofBodies),
    ...(takesNeedlessBody(route) ? ofNeedlessBodies : []),
    ...refusals(route.who, traits),
    ...(typeof errors === "function" ? errors(traits) : errors),
    ...everywhere,
  ];
}

function refusals(who: Who, traits: RealmTraits): readonly OperationError[] {
  switch (who.kind) {
    case "anyone":
      return [];
    case "reader":
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
