import type { Realm } from "../../compiler/model/model.ts";
import { errorsOf, pathNames, type RouteContract, type Who } from "../../runtime/contract/contract.ts";
import { type ParameterName, parameter, pathParameters } from "../../runtime/contract/parameters.ts";
import { inRealm } from "../../runtime/contract/traits.ts";
import { type Build, merges, type Operation, type Paths } from "./build.ts";
import { type Admission, administrators, admitted, everybody, sessionsOnly } from "./security.ts";

/** The paths of fixed routes, as their contracts say. */
export function contractPaths(build: Build, routes: readonly RouteContract[]): Paths {
  const paths: Paths = {};
  for (const route of routes) {
    if (route.when?.(build.realm) === false) continue;
    const path = `/v1/${build.realm.name}${route.path}`;
    paths[path] = {
      ...(paths[path] ?? build.path(pathNames(route.path).map(pathParameter), {})),
      [route.method.toLowerCase()]: operation(build, route),
    };
  }
  return paths;
}

function pathParameter(name: string): ParameterName {
  const known = Object.entries(pathParameters).find(([each]) => each === name);
  if (known === undefined) throw new Error(`no parameter of paths is called ${name}`);
  return known[1];
}

function operation(build: Build, route: RouteContract): Operation {
  const { id, tag, summary, about, query = [], headers = [], body, answers, who } = route;
  const { realm } = build;
  const parameters: readonly ParameterName[] = [...query, ...proofOf(who), ...headers];
  return build.operation({
    id,
    tag,
    summary: inRealm(summary, realm),
    about: [...needsOf(who), ...(about === undefined ? [] : [inRealm(about, realm)])].join(" "),
    parameters: parameters.filter((name) => parameter(name).when?.(realm) !== false),
    ...(body && {
      body: {
        schema: build.component(body.shown ?? body.schema),
        ...(body.media === "merge" && { media: merges }),
        ...(body.optional && { optional: true }),
      },
    }),
    answers: Object.fromEntries(
      Object.entries(answers).map(([status, { description, schema, headers: sent = {} }]) => [
        status,
        { description, headers: inRealm(sent, realm), ...(schema && { schema: build.component(schema) }) },
      ]),
    ),
    errors: errorsOf(route, realm),
    admits: admission(realm, who),
  });
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

function admission(realm: Realm, { kind }: Who): Admission {
  switch (kind) {
    case "anyone":
      return everybody;
    case "reader":
      return admitted(realm, realm.openapi === "public" ? "anyone" : "users");
    case "administrator":
      return administrators(realm);
    default:
      return sessionsOnly(realm);
  }
}
