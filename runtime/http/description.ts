import { createHash } from "node:crypto";
import { ApiError } from "../errors.ts";
import { anonymous } from "../realm/caller.ts";
import type { RealmInstance, Route, RouteTable } from "../realm/exchange.ts";
import { namesTag } from "./etag.ts";
import { parameters } from "./parameters.ts";

/**
 * `/v1/{realm}/_openapi.json`: the realm's generated description, open to anyone or, with `openapi: users`, to those with
 * a credential, whose own it then is like a document.
 */
export function descriptionRoutes(realm: string): RouteTable {
  return { [`/v1/${realm}/_openapi.json`]: { GET: describe } };
}

function describe({ definition, authenticate }: RealmInstance): Route {
  const { openapi, name, accounts } = definition;
  if (openapi === undefined) throw new Error(`realm ${name} shows no description`);
  const { access, document } = openapi;
  let text: string | undefined;
  let etag = "";
  return {
    class: access === "users" ? "document" : "description",
    async handle(exchange) {
      // Without accounts there are no credentials to look at.
      const caller = accounts === undefined ? anonymous : await authenticate(exchange);
      if (access === "users" && caller.kind === "anonymous") {
        throw new ApiError("unauthenticated", "The description is for signed-in users.");
      }
      parameters(exchange.search, []);
      if (text === undefined) {
        text = JSON.stringify(document);
        etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
      }
      return namesTag(exchange.headers["if-none-match"], etag)
        ? { status: 304, headers: { etag } }
        : { status: 200, body: text, headers: { etag } };
    },
  };
}
