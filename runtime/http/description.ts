import { createHash } from "node:crypto";
import { getDescription } from "../contract/description.ts";
import type { RealmInstance, Route, RouteTable } from "../realm/exchange.ts";
import { routeTable } from "./contracted-routes.ts";
import { descriptionAccess } from "./description-access.ts";
import { docsRoutes } from "./docs/routes.ts";
import { namesTag } from "./etag.ts";
import { parameters } from "./parameters.ts";

/**
 * `/v1/{realm}/_openapi.json`: the realm's generated description, open to anyone or, with `openapi: users`, to those with
 * a credential, whose own it then is like a document. Beside it `/v1/{realm}/_docs`, the page on it.
 */
export function descriptionRoutes(realm: string): RouteTable {
  return {
    ...routeTable(realm, [{ contract: getDescription, route: describe }]),
    ...docsRoutes(realm),
  };
}

function describe(realm: RealmInstance): Route {
  const { openapi, name } = realm.definition;
  if (openapi === undefined) throw new Error(`realm ${name} shows no description`);
  const access = descriptionAccess(realm);
  let text: string | undefined;
  let etag = "";
  return {
    class: access.class,
    async handle(exchange) {
      if (!(await access.admits(exchange))) throw access.refusal();
      parameters(exchange.search, []);
      if (text === undefined) {
        text = JSON.stringify(openapi.document);
        etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
      }
      return namesTag(exchange.headers["if-none-match"], etag)
        ? { status: 304, headers: { etag } }
        : { status: 200, body: text, headers: { etag } };
    },
  };
}
