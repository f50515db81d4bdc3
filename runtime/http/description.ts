import { createHash } from "node:crypto";
import { namesTag } from "../documents/etag.ts";
import { ApiError } from "../errors.ts";
import type { Exchange, RealmInstance, Route, RouteTable } from "./exchange.ts";
import { parameters } from "./parameters.ts";

/** `/v1/{realm}/_openapi.json`: the realm's generated description, open to those whom `realm.yaml: openapi` names. */
export function descriptionRoutes(realm: string): RouteTable {
  return { [`/v1/${realm}/_openapi.json`]: { GET: describe } };
}

function describe(realm: RealmInstance): Route {
  const { access, document } = realm.definition.openapi;
  const forUsers = access === "users";
  const cookie = realm.definition.accounts?.cookie === undefined ? "" : ", Cookie";
  const visibility = forUsers
    ? { "cache-control": "private, no-cache", vary: `Origin, Authorization${cookie}` }
    : undefined;
  let text: string | undefined;
  let etag = "";
  return {
    class: "description",
    async handle(exchange) {
      if (access === "off") throw new ApiError("not_found", "This realm shows no description.");
      await admit(exchange);
      parameters(exchange.search, []);
      if (text === undefined) {
        text = JSON.stringify(document);
        etag = `"${createHash("sha256").update(text).digest("base64url").slice(0, 22)}"`;
      }
      const headers = { etag, ...visibility };
      return namesTag(exchange.headers["if-none-match"], etag)
        ? { status: 304, headers }
        : { status: 200, body: text, headers };
    },
  };

  async function admit(exchange: Exchange): Promise<void> {
    const caller = await realm.authenticate?.(exchange);
    if (forUsers && (caller === undefined || caller.kind === "anonymous")) {
      throw new ApiError("unauthenticated", "The description is for signed-in users.", {
        headers: { ...visibility },
      });
    }
  }
}
