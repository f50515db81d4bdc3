import { afterEach, describe, expect, it } from "vitest";
import { ApiError } from "../errors.ts";
import { anonymous, type Caller } from "../realm/caller.ts";
import type { RealmDefinition } from "../realm/definition.ts";
import type { Exchange, RealmInstance } from "../realm/exchange.ts";
import { descriptionRoutes } from "./description.ts";
import { listening, realmOf, someAccounts, type TestServer } from "./testing/server.ts";

const document = { openapi: "3.1.0", info: { title: "Shop", version: "1" } };
const user: Caller = {
  kind: "key",
  actor: "key:k",
  keyId: "1",
  scopes: undefined,
  administration: undefined,
  delegates: false,
  expires: Number.POSITIVE_INFINITY,
};

/** Knows the token `good`. */
async function authenticate({ headers: { authorization } }: Exchange): Promise<Caller> {
  if (authorization === undefined) return anonymous;
  if (authorization === "Bearer good") return user;
  throw new ApiError("unauthenticated", "Unknown.");
}

let server: TestServer | undefined;
afterEach(() => server?.server.close(0));

async function start(
  access: NonNullable<RealmDefinition["openapi"]>["access"],
  more: Partial<RealmInstance> = {},
): Promise<(headers?: Record<string, string>, path?: string) => Promise<Response>> {
  const realm = realmOf(descriptionRoutes("shop"), { openapi: { access, document }, accounts: someAccounts });
  server = await listening([{ ...realm, instance: { ...realm.instance, ...more } }]);
  const { url } = server;
  return (headers = {}, path = "") => fetch(`${url}/v1/shop/_openapi.json${path}`, { headers });
}

describe("GET /v1/{realm}/_openapi.json", () => {
  it("Versioning 3: answers the realm's description, with ETag and 304", async () => {
    const get = await start("public");
    const response = await get();
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual(document);
    expect(response.headers.get("vary")).toBe("Origin");
    const etag = response.headers.get("etag") ?? "";
    expect(etag).toMatch(/^"[\w-]+"$/);
    for (const header of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
      const again = await get({ "if-none-match": header });
      expect(again.status, header).toBe(304);
      expect(again.headers.get("etag")).toBe(etag);
      expect(again.headers.get("cache-control")).toBe(response.headers.get("cache-control"));
      expect(again.headers.get("vary")).toBe("Origin");
      expect(await again.text()).toBe("");
    }
    expect((await get({ "if-none-match": '"other"' })).status).toBe(200);
  });

  it("takes no parameters", async () => {
    const get = await start("public");
    expect((await get({}, "?x=1")).status).toBe(400);
  });

  it("openapi: users: needs a credential, and is not for shared caches", async () => {
    const get = await start("users", { authenticate });
    const refused = await get();
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toBe("Bearer");
    const response = await get({ authorization: "Bearer good" });
    expect(response.status).toBe(200);
    const unknown = await get({ authorization: "Bearer bad" });
    expect(unknown.status).toBe(401);
    const mistaken = await get({ authorization: "Bearer good" }, "?x=1");
    expect(mistaken.status).toBe(400);
    for (const { headers } of [refused, response, unknown, mistaken]) {
      expect(headers.get("cache-control")).toBe("private, no-cache");
      expect(headers.get("vary")).toBe("Origin, Authorization");
    }
  });

  it("an unknown credential is 401 also where anonymous callers may", async () => {
    const get = await start("public", { authenticate });
    expect((await get()).status).toBe(200);
    expect((await get({ authorization: "Bearer bad" })).status).toBe(401);
  });
});
