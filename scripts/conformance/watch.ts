import { isJsonObject } from "../../runtime/json.ts";
import type { RealmModule } from "../../runtime/realm/exchange.ts";
import { Description, type Operation, responseTo } from "./description.ts";
import type { Received } from "./exchange.ts";
import { undescribed } from "./judge.ts";

/** A path of a document, and what it takes by method. */
interface Route {
  readonly path: RegExp;
  readonly operations: ReadonlyMap<string, Operation>;
}

/** The routes of realms, as they were read. */
const known = new WeakMap<RealmModule, readonly Route[]>();

/**
 * What is wrong with a server's answer by the documents of its realms; nothing where none of them describes the request, as
 * where a path takes no such method.
 */
export function faults(
  realms: readonly RealmModule[],
  method: string,
  path: string,
  received: Received,
): readonly string[] {
  const realm = realms.find(({ definition }) => path.startsWith(`/v1/${definition.name}/`));
  if (realm === undefined) return [];
  const route = routesOf(realm).find((each) => each.path.test(path));
  const operation = route?.operations.get(method === "HEAD" ? "GET" : method);
  if (operation === undefined) return [];
  const response = responseTo(operation, received.status);
  if (response === undefined) return [`has the status ${received.status}, which is not described`];
  return [...undescribed(response, received, method)];
}

function routesOf(realm: RealmModule): readonly Route[] {
  const routes = known.get(realm) ?? read(realm);
  known.set(realm, routes);
  return routes;
}

/** Of paths that fit the same, the one with fewer parameters comes first. */
function read(realm: RealmModule): readonly Route[] {
  const { openapi } = realm.definition;
  // Realms that tests make by hand have an empty document, if any.
  if (openapi === undefined || !isJsonObject(openapi.document["paths"])) return [];
  const { operations } = Description.of(realm);
  const paths = [...new Set(operations.map(({ path }) => path))].sort(
    (left, right) => left.split("{").length - right.split("{").length,
  );
  return paths.map((path) => ({
    path: patternOf(path),
    operations: new Map(
      operations.filter((each) => each.path === path).map((each) => [each.method, each] as const),
    ),
  }));
}

function patternOf(path: string): RegExp {
  const literal = path.replace(/[.*+?^$()|[\]\\]/g, "\\$&");
  return new RegExp(`^${literal.replace(/\{\w+\}/g, "[^/]+")}$`);
}
