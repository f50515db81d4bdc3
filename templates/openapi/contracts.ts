import type { CompiledRule } from "../../compiler/rules/compiled.ts";
import {
  errorsOf,
  isDescribed,
  mediaTypes,
  pathNames,
  placed,
  type RouteContract,
  type Who,
} from "../../runtime/contract/contract.ts";
import { type ParameterName, parameter, pathParameters } from "../../runtime/contract/parameters.ts";
import { isMade } from "../../runtime/contract/schema.ts";
import { inRealm, type RealmTraits } from "../../runtime/contract/traits.ts";
import type { Build, Operation, Paths } from "./build.ts";
import { type Embedder, type Known, ofRealm } from "./schemas/contracted.ts";
import type { Ref } from "./schemas/pool.ts";
import { decidedBy, type RuledCollection, securityOf } from "./security.ts";

/** What routes are described from: the realm, or collections of it. */
export interface Subject extends Known {
  readonly schemas: Embedder;
  readonly collections: readonly RuledCollection[];
  /** Of a function that it is about. */
  readonly invoke?: CompiledRule | undefined;
}

/** The realm itself. */
function realmSubject(build: Build): Subject {
  return { ...ofRealm(build.realm), schemas: build.embedder, collections: [] };
}

/** The paths of routes, as their contracts say. */
export function contractPaths(
  build: Build,
  routes: readonly RouteContract[],
  subject: Subject = realmSubject(build),
): Paths {
  const { traits, names } = subject;
  const paths: Paths = {};
  for (const route of routes) {
    if (!isDescribed(route, traits)) continue;
    const own = placed(route.path, names);
    const path = `/v1/${build.realm.name}${own}`;
    const shared = [...pathNames(own).map(pathParameter), ...onBehalf(route.who, traits)];
    paths[path] = {
      ...(paths[path] ?? build.path(shared, {})),
      [route.method.toLowerCase()]: operation(build, route, subject),
    };
  }
  return paths;
}

function pathParameter(name: string): ParameterName {
  const known = Object.entries(pathParameters).find(([each]) => each === name);
  if (known === undefined) throw new Error(`no parameter of paths is called ${name}`);
  return known[1];
}

/** Where rules decide, or who queued a job does, a key may act for a user. */
function onBehalf({ kind }: Who, { auth }: RealmTraits): readonly ParameterName[] {
  return ["ruled", "invoker", "queuer"].includes(kind) && auth ? ["OnBehalfOf"] : [];
}

function operation(build: Build, route: RouteContract, subject: Subject): Operation {
  const { query = [], headers = [], body, answers, who } = route;
  const { traits, names, schemas } = subject;
  const parameters: readonly ParameterName[] = [...inRealm(query, traits), ...proofOf(who), ...headers];
  const named = (text: RouteContract["summary"]): string => placed(inRealm(text, traits), names);
  return build.operation({
    id: named(route.id),
    tag: named(route.tag),
    summary: named(route.summary),
    about: about(route, subject),
    parameters: parameters.flatMap((name) => used(build, name, subject)),
    ...(body && {
      body: {
        schema: schemas.component(body.shown ?? body.schema),
        // Both ways to a collection take it.
        shared: isMade(body.schema) && subject.collections.length > 0,
        media: body.types ? inRealm(body.types, traits) : mediaTypes[body.media],
        ...(body.form && { form: schemas.component(body.form) }),
        ...(body.parts && { parts: inRealm(body.parts, traits) }),
        ...(body.optional && { optional: true }),
      },
    }),
    answers: Object.fromEntries(
      Object.entries(answers).map(([status, { name, schema, headers: sent = {}, ...said }]) => [
        status,
        {
          ...said,
          ...(name && { name: named(name) }),
          headers: inRealm(sent, traits),
          ...(schema && { schema: schemas.component(schema) }),
        },
      ]),
    ),
    errors: errorsOf(route, traits),
    ...(route.refusesFreely && { refusesFreely: true }),
    security: securityOf(build.realm, who, subject),
  });
}

/** None where it can say nothing. */
function used({ parameters }: Build, name: ParameterName, { traits, names, made }: Subject): readonly Ref[] {
  const { schema, when } = parameter(name);
  if (when?.(traits) === false) return [];
  if (!isMade(schema)) return [parameters.use(name)];
  const own = made[schema.made];
  return own === undefined ? [] : [parameters.add(`${names.stem}${name}`, name, own, traits)];
}

function about({ about: own, who }: RouteContract, { traits, names, collections, invoke }: Subject): string {
  const [only] = collections;
  const sentences = [
    // Of those about documents the tag says it.
    ...(only === undefined ? needsOf(who) : []),
    ...(own === undefined ? [] : [inRealm(own, traits)]),
    ...(who.kind === "ruled" && traits.auth && only && names.collection !== undefined
      ? [decidedBy(only.rules, who.by[0] ?? [])]
      : []),
    ...(who.kind === "invoker" && traits.auth ? [decidedBy({ invoke }, ["invoke"])] : []),
  ];
  return sentences.join(" ");
}

function needsOf(who: Who): readonly string[] {
  if (who.kind !== "administrator") return [];
  const areas = [who.area, who.or].flatMap((area) => (area === undefined ? [] : [`\`${area}\``]));
  return [`Area ${areas.join(" or ")}.`];
}

/** The header that a proof of identity comes in. */
function proofOf(who: Who): readonly ParameterName[] {
  if (!("proof" in who) || who.proof === undefined) return [];
  return [who.kind === "administrator" ? "ReauthOfSessions" : "Reauth"];
}
