import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { ApiError } from "../../errors.ts";
import { anonymous, type Caller } from "../../realm/caller.ts";
import type { Exchange } from "../../realm/exchange.ts";
import { descriptionRoutes } from "../description.ts";
import {
  exchangeBytes,
  listening,
  parseResponse,
  realmOf,
  someAccounts,
  type TestServer,
} from "../testing/server.ts";
import { assetNames, docsSources } from "./files.ts";

let server: TestServer | undefined;
afterEach(() => server?.server.close(0));

/** Knows the token `good`, and the cookie of the same name. */
async function authenticate({ headers: { authorization, cookie } }: Exchange): Promise<Caller> {
  if (authorization === "Bearer good" || cookie === "svc_session_shop=good") return keyHolder;
  if (authorization === undefined) return anonymous;
  throw new ApiError("unauthenticated", "Unknown.");
}

const keyHolder: Caller = {
  kind: "key",
  actor: "key:k",
  keyId: "1",
  scopes: undefined,
  administration: undefined,
  delegates: false,
  expires: Number.POSITIVE_INFINITY,
};

type Ask = (path: string, headers?: Record<string, string>, method?: string) => Promise<Response>;

async function start(access: "public" | "users"): Promise<Ask> {
  const document = { openapi: "3.1.0", info: { title: "Shop", version: "1" } };
  const realm = realmOf(descriptionRoutes("shop"), {
    openapi: { access, document },
    accounts: someAccounts,
    origins: ["https://app.example.com"],
  });
  server = await listening([{ ...realm, instance: { ...realm.instance, authenticate } }]);
  const { url } = server;
  return (path, headers = {}, method = "GET") => fetch(`${url}/v1/shop/${path}`, { headers, method });
}

/** What the page loads, as it names them. */
async function assetsOf(ask: Ask, headers?: Record<string, string>): Promise<string[]> {
  const text = await (await ask("_docs", headers)).text();
  return [...text.matchAll(/(?:href|src)="(_docs\/[^"]*)"/g)].flatMap(([, address = ""]) => address);
}

describe("GET /v1/{realm}/_docs", () => {
  it("answers a page that may load and ask nothing but this server", async () => {
    const ask = await start("public");
    const response = await ask("_docs");
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy":
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-cache",
      vary: "Origin",
    });
    const text = await response.text();
    expect(text).toContain("<title>shop API</title>");
    expect(text).toContain('<html lang="en">');
    expect(text).not.toContain("<form");
    expect(text).not.toMatch(/https?:|<style|style=|<script>|\son\w+=/);
  });

  it("has an ETag, 304 and HEAD", async () => {
    const ask = await start("public");
    const response = await ask("_docs");
    const etag = response.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[\w-]+"$/);
    const again = await ask("_docs", { "if-none-match": etag });
    expect([again.status, again.headers.get("etag"), await again.text()]).toEqual([304, etag, ""]);
    expect(again.headers.get("cache-control")).toBe("no-cache");
    const head = await ask("_docs", {}, "HEAD");
    expect([head.status, head.headers.get("etag"), await head.text()]).toEqual([200, etag, ""]);
    expect(head.headers.get("content-length")).toBe(String((await response.text()).length));
  });

  it("takes no parameters, and no other method", async () => {
    const ask = await start("public");
    expect((await ask("_docs?url=https://elsewhere.example/openapi.json")).status).toBe(400);
    const refused = await ask("_docs", {}, "POST");
    expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  });

  it("openapi: users: needs a credential; a browser without one gets a page that asks for it", async () => {
    const ask = await start("users");
    const refused = await ask("_docs");
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ error: { code: "unauthenticated" } });
    const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
    const form = await ask("_docs", browser);
    expect(form.status).toBe(401);
    expect(form.headers.get("www-authenticate")).toBe("Bearer");
    expect(form.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(form.headers.has("etag")).toBe(false);
    expect(await form.text()).toContain("<form>");
    for (const credential of [{ authorization: "Bearer good" }, { cookie: "svc_session_shop=good" }]) {
      const shown = await ask("_docs", { ...browser, ...credential });
      expect(shown.status).toBe(200);
      expect(await shown.text()).not.toContain("<form");
      expect(shown.headers.get("cache-control")).toBe("private, no-cache");
      expect(shown.headers.get("vary")).toBe("Origin, Authorization");
    }
  });

  it("an unknown credential is 401 also where anonymous callers may, and as JSON", async () => {
    const ask = await start("public");
    const headers = { authorization: "Bearer bad", accept: "text/html" };
    const [asset = ""] = await assetsOf(ask);
    for (const path of ["_docs", asset]) {
      const response = await ask(path, headers);
      expect(response.status, path).toBe(401);
      expect(await response.json()).toMatchObject({ error: { code: "unauthenticated" } });
    }
  });
});

describe("what the page loads", () => {
  it.each(["public", "users"] as const)(
    "is there for anybody (openapi: %s), and may be kept for good",
    async (access) => {
      const ask = await start(access);
      const assets = await assetsOf(ask, { accept: "text/html" });
      expect(assets.map((address) => address.replace(/^_docs\/(.*)-[\w-]{16}(\.\w+)$/, "$1$2"))).toEqual([
        "swagger-ui.css",
        "swagger-ui-bundle.js",
        "docs.css",
        "docs.js",
      ]);
      for (const address of assets) {
        const response = await ask(address);
        expect(Object.fromEntries(response.headers), address).toMatchObject({
          "cache-control": "public, max-age=31536000, immutable",
          "content-type": `text/${address.endsWith("css") ? "css" : "javascript"}; charset=utf-8`,
          "x-content-type-options": "nosniff",
          vary: "Origin, Accept-Encoding",
        });
      }
    },
  );

  it("is what the packages hold, compressed for those who take gzip", async () => {
    const ask = await start("public");
    const assets = await assetsOf(ask);
    for (const [at, name] of assetNames.entries()) {
      const bytes = await readFile(docsSources().get(name) ?? "");
      const [plain, compressed] = [
        await raw(`/v1/shop/${assets[at]}`, "Accept-Encoding: br, gzip;q=0\r\n"),
        await raw(`/v1/shop/${assets[at]}`, "Accept-Encoding: br, gzip;q=0.5\r\n"),
      ];
      expect(plain.headers.has("content-encoding")).toBe(false);
      expect(bytes.equals(Buffer.from(plain.body, "latin1")), name).toBe(true);
      expect(compressed.headers.get("content-encoding")).toBe("gzip");
      expect(bytes.equals(gunzipSync(Buffer.from(compressed.body, "latin1"))), name).toBe(true);
    }
  });

  it("has an ETag, 304 and HEAD", async () => {
    const ask = await start("public");
    for (const address of await assetsOf(ask)) {
      const response = await ask(address, {}, "HEAD");
      const etag = response.headers.get("etag") ?? "";
      expect(address).toContain(etag.slice(3, -1));
      expect([response.status, await response.text()]).toEqual([200, ""]);
      const again = await ask(address, { "if-none-match": etag });
      expect([again.status, again.headers.get("etag")]).toEqual([304, etag]);
      expect(again.headers.get("cache-control")).toContain("immutable");
    }
  });

  it("is nothing else: 404, which nobody may keep", async () => {
    const ask = await start("public");
    await assetsOf(ask);
    for (const path of paths) {
      const { status, headers } = await raw(path);
      expect(status, path).toBe(404);
      expect(headers.get("cache-control")).toMatch(/no-cache|no-store/);
    }
  });
});

const paths = [
  "/v1/shop/_docs/",
  "/v1/shop/_docs/docs.js",
  "/v1/shop/_docs/docs-AAAAAAAAAAAAAAAA.js",
  "/v1/shop/_docs/LICENSE",
  "/v1/shop/_docs/../../../package.json",
  "/v1/shop/_docs/..%2f..%2fpackage.json",
  "/v1/shop/_docs/%2e%2e%2fpage%2fdocs.js",
  "/v1/shop/_docs/..%5cfiles.ts",
  "/v1/shop/_docs/__proto__",
  "/v1/shop/_docs/docs.js%00",
  "/v1/other/_docs",
];

async function raw(path: string, headers = ""): Promise<ReturnType<typeof parseResponse>> {
  const request = `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}Connection: close\r\n\r\n`;
  return parseResponse(await exchangeBytes(server?.port ?? 0, request));
}
