import { hash } from "node:crypto";
import { nothingHere } from "../../errors.ts";
import type { Answer, Exchange, RealmInstance, Route, RouteTable } from "../../realm/exchange.ts";
import { descriptionAccess } from "../description-access.ts";
import { namesTag } from "../etag.ts";
import { parameters } from "../parameters.ts";
import { docsAssets } from "./assets.ts";
import { pagePolicy, pageText } from "./page.ts";

/**
 * `/v1/{realm}/_docs`: a page for people that shows `_openapi.json` and tries its operations out. It is for those whom
 * the description is for; what it loads is the same in every realm, and open to anyone.
 */
export function docsRoutes(realm: string): RouteTable {
  return {
    [`/v1/${realm}/_docs`]: { GET: page },
    [`/v1/${realm}/_docs/:asset`]: { GET: asset },
  };
}

const pageHeaders = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": pagePolicy,
  "referrer-policy": "no-referrer",
};

function page(realm: RealmInstance): Route {
  const access = descriptionAccess(realm);
  const { name } = realm.definition;
  return {
    class: access.class,
    async handle(exchange) {
      const admitted = await access.admits(exchange);
      // A browser that comes without a session cannot bring a token by itself: the page asks for it.
      if (!admitted && !takesHtml(exchange)) throw access.refusal();
      parameters(exchange.search, []);
      const body = pageText(name, await docsAssets(), !admitted);
      if (!admitted) return { status: 401, body, headers: { ...pageHeaders, "www-authenticate": "Bearer" } };
      const etag = `"${hash("sha256", body, "base64url").slice(0, 22)}"`;
      return namesTag(exchange.headers["if-none-match"], etag)
        ? { status: 304, headers: { etag } }
        : { status: 200, body, headers: { ...pageHeaders, etag } };
    },
  };
}

function asset(realm: RealmInstance): Route {
  const access = descriptionAccess(realm);
  return {
    class: access.class,
    async handle(exchange): Promise<Answer> {
      // Of a credential, only that it is a good one counts.
      await access.admits(exchange);
      parameters(exchange.search, []);
      const found = (await docsAssets()).find(({ address }) => address === exchange.params["asset"]);
      if (found === undefined) throw nothingHere();
      const kept = {
        etag: found.etag,
        "cache-control": "public, max-age=31536000, immutable",
        vary: "Origin, Accept-Encoding",
      };
      if (namesTag(exchange.headers["if-none-match"], found.etag)) return { status: 304, headers: kept };
      const gzip = takesGzip(exchange);
      return {
        status: 200,
        body: gzip ? found.gzipped : found.plain,
        headers: {
          ...kept,
          "content-type": found.mediaType,
          ...(gzip && { "content-encoding": "gzip" }),
        },
      };
    },
  };
}

/** Named as such: clients that take anything get the error as JSON. */
function takesHtml({ headers: { accept = "" } }: Exchange): boolean {
  return /(?:^|,)\s*text\/html\s*(?:[;,]|$)/i.test(accept);
}

function takesGzip({ headers }: Exchange): boolean {
  const offered = String(headers["accept-encoding"] ?? "");
  return /(?:^|,)\s*gzip\s*(?:$|,|;(?!\s*q=0(?:\.0*)?\s*(?:,|$)))/i.test(offered);
}
