import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ApiError } from "../errors.ts";
import type { Exchange } from "../realm/exchange.ts";
import {
  DocumentTooLarge,
  QueryTimeout,
  StoreBusy,
  StoreRefused,
  StoreUnavailable,
  TransactionConflict,
} from "../store/contract/errors.ts";
import { trustHops } from "./address.ts";
import { listening, ok, realmOf, routes, silent, someAccounts, type TestServer } from "./testing/server.ts";

const logged: object[] = [];
const failures: Record<string, () => never> = {
  api: () => {
    throw new ApiError("version_mismatch", "Other version.", {
      headers: { etag: '"3"' },
      details: [{ path: "0", reason: "differs" }],
    });
  },
  timeout: () => {
    throw new QueryTimeout();
  },
  busy: () => {
    throw new StoreBusy();
  },
  gone: () => {
    throw new StoreUnavailable(new Error("connect ECONNREFUSED"));
  },
  refused: () => {
    throw new StoreRefused("the user or the password is wrong");
  },
  conflict: () => {
    throw new TransactionConflict(new Error("WriteConflict"));
  },
  large: () => {
    throw new DocumentTooLarge();
  },
  bug: () => {
    throw new Error("secret detail");
  },
  header: () => {
    throw new ApiError("conflict", "Bad.", { headers: { etag: "line\nbreak" } });
  },
};

const shop = realmOf(
  {
    "/v1/shop/main/echo/:id": routes(["GET", "PUT"], ({ params, search, method, address }: Exchange) =>
      ok({ id: params["id"] ?? null, search, method, address }),
    ),
    "/v1/shop/main/echo/_aggregate": routes(["GET"], () => ok({})),
    "/v1/shop/main/items": routes(["GET", "POST"], async (exchange: Exchange) => {
      const { body } = await exchange.receive();
      return ok({ body: typeof body === "string" ? body : body.toString() });
    }),
    "/v1/shop/main/public": routes(["GET"], () => ok({}, { "cache-control": "public, max-age=60" })),
    "/v1/shop/main/unchanged": routes(["GET"], () => ({ status: 304, headers: { etag: '"1"' } })),
    "/v1/shop/main/accepted": routes(["POST"], () => ({ status: 202 })),
    "/v1/shop/main/gone": routes(["DELETE"], () => ({ status: 204 })),
    "/v1/shop/main/fail/:how": routes(
      ["GET"],
      ({ params }: Exchange) => failures[params["how"] ?? ""]?.() ?? ok({}),
    ),
    "/v1/shop/_auth/login": routes(["POST"], () => ok({}), "private"),
    "/v1/shop/_auth/fail": routes(["GET"], () => failures["api"]?.() ?? ok({}), "private"),
  },
  { origins: ["https://app.example.com"] },
);
const club = realmOf(
  { "/v1/club/main/items": routes(["GET"], () => ok({})) },
  {
    name: "club",
    origins: ["https://club.example.com"],
    accounts: { ...someAccounts, cookie: { sameSite: "lax" } },
  },
);

let server: TestServer;
beforeAll(async () => {
  server = await listening([shop, club], {
    log: { ...silent, error: (fields, message) => logged.push({ ...fields, message }) },
  });
});
afterAll(() => server.server.close(0));

const ask = (path: string, init?: RequestInit) => fetch(`${server.url}${path}`, init);

describe("Common request rules 1: X-Request-ID", () => {
  it("is the client's, in header and error body", async () => {
    const id = "a.B_c:d-1";
    const response = await ask("/v1/shop/none/x", { headers: { "x-request-id": id } });
    expect(response.headers.get("x-request-id")).toBe(id);
    expect(await response.json()).toMatchObject({ error: { request_id: id } });
    const long = "x".repeat(128);
    expect((await ask("/healthz", { headers: { "x-request-id": long } })).headers.get("x-request-id")).toBe(
      long,
    );
  });

  it.each(["", "with space", "x".repeat(129), "a/b", "a,b", "ä"])(
    "is generated instead of %j",
    async (id) => {
      const response = await ask("/v1/shop/none/x", { headers: { "x-request-id": id } });
      const given = response.headers.get("x-request-id");
      expect(given).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
      expect(given).not.toBe(id);
      expect(await response.json()).toMatchObject({ error: { request_id: given } });
    },
  );

  it("differs from request to request", async () => {
    const ids = await Promise.all(
      [1, 2, 3].map(async () => (await ask("/healthz")).headers.get("x-request-id")),
    );
    expect(new Set(ids).size).toBe(3);
  });
});

describe("Requests reach their handler", () => {
  it("with decoded path parameters and the raw query", async () => {
    const response = await ask("/v1/shop/main/echo/a%2Fb%20%C3%A4?x=%20&y");
    expect(await response.json()).toEqual({
      id: "a/b ä",
      search: "x=%20&y",
      method: "GET",
      address: "127.0.0.1",
    });
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
  });

  it("and browsers take its answer for nothing else than it says", async () => {
    for (const path of ["/v1/shop/main/echo/1", "/v1/shop/main/fail/api", "/v1/shop/none/x", "/healthz"]) {
      expect((await ask(path)).headers.get("x-content-type-options"), path).toBe("nosniff");
    }
  });

  it("and an answer without a body has no type and no length but 0", async () => {
    const accepted = await ask("/v1/shop/main/accepted", { method: "POST" });
    expect(accepted.headers.get("content-length")).toBe("0");
    const gone = await ask("/v1/shop/main/gone", { method: "DELETE" });
    expect(gone.status).toBe(204);
    expect(gone.headers.get("content-length")).toBeNull();
    for (const { headers } of [accepted, gone]) expect(headers.get("content-type")).toBeNull();
  });

  it("SVC_TRUST_PROXY: with the address that trusted proxies forwarded", async () => {
    const forwarded = { headers: { "x-forwarded-for": "1.2.3.4, 10.0.0.2" } };
    expect(await (await ask("/v1/shop/main/echo/1", forwarded)).json()).toMatchObject({
      address: "127.0.0.1",
    });
    const behind = await listening([shop], { addressOf: trustHops(2) });
    const response = await fetch(`${behind.url}/v1/shop/main/echo/1`, forwarded);
    expect(await response.json()).toMatchObject({ address: "1.2.3.4" });
    await behind.server.close(0);
  });

  it("with path parameters of 128 characters and far more", async () => {
    for (const length of [128, 129, 5000]) {
      const id = "x".repeat(length);
      expect(await (await ask(`/v1/shop/main/echo/${id}`)).json()).toMatchObject({ id });
    }
  });

  it("Limits: with a body of at most MAX_BODY_BYTES, unread beyond", async () => {
    const post = (body: string) => ask("/v1/shop/main/items", { method: "POST", body });
    expect(await (await post("x".repeat(1024))).json()).toEqual({ body: "x".repeat(1024) });
    expect(await (await post("x".repeat(1025))).json()).toEqual({ body: "too-large" });
    expect(await (await ask("/v1/shop/main/items", { method: "POST" })).json()).toEqual({ body: "none" });
  });

  it("whatever the Content-Type: handlers judge it", async () => {
    for (const type of ["text/plain", "not a type", "application/json; x", "multipart/form-data"]) {
      const response = await ask("/v1/shop/main/items", {
        method: "POST",
        body: "b",
        headers: { "content-type": type },
      });
      expect(await response.json(), type).toEqual({ body: "b" });
    }
  });
});

describe("HEAD works where GET does", () => {
  it.each(["/v1/shop/main/echo/1", "/v1/shop/main/fail/api", "/healthz", "/v1/shop/none/x"])(
    "with the headers of GET and no body: %s",
    async (path) => {
      const [get, head] = await Promise.all(
        ["GET", "HEAD"].map((method) => ask(path, { method, headers: { "x-request-id": "1" } })),
      );
      // The client itself asks to close after a HEAD.
      const varying = ["date", "content-length", "connection", "keep-alive"];
      const headers = (response?: Response) =>
        [...(response?.headers ?? [])].filter(([name]) => !varying.includes(name));
      expect(head?.status).toBe(get?.status);
      expect(headers(head)).toEqual(headers(get));
      expect(await head?.text()).toBe("");
      const body = (await get?.text()) ?? "";
      expect(get?.headers.get("content-length")).toBe(String(body.length));
      // "HEAD" is a letter longer than "GET" in the echo.
      const longer = path.includes("echo") ? 1 : 0;
      expect(head?.headers.get("content-length")).toBe(String(body.length + longer));
    },
  );
});

describe("Errors: routes", () => {
  it.each([
    "/",
    "/v2/shop/main/items",
    "/v1",
    "/v1/none/main/items",
    "/v1/shop/none/items",
    "/v1/shop/main/none",
    "/v1/shop/main/items/",
    "/v1/shop/main/echo/1/2",
    "/v1/shop/main/echo/%zz",
    "/v1/shop/main/echo/%ff",
    "/V1/shop/main/items",
    "//v1/shop/main/items",
  ])("404 not_found for %s", async (path) => {
    for (const method of ["GET", "POST", "PUT", "DELETE", "OPTIONS"]) {
      const response = await ask(path, { method });
      expect(response.status, method).toBe(404);
      expect(await response.json(), method).toEqual({
        error: {
          code: "not_found",
          message: expect.any(String),
          request_id: response.headers.get("x-request-id"),
        },
      });
    }
  });

  it("404 also with a body of any type", async () => {
    const response = await ask("/v1/shop/none/x", {
      method: "POST",
      body: "{",
      headers: { "content-type": "text/ht;;ml" },
    });
    expect(response.status).toBe(404);
  });

  it.each([
    ["PUT", "/v1/shop/main/items", "GET, HEAD, POST, OPTIONS"],
    ["POST", "/v1/shop/main/echo/1", "GET, HEAD, PUT, OPTIONS"],
    ["PUT", "/v1/shop/main/echo/_aggregate", "GET, HEAD, OPTIONS"],
    ["GET", "/v1/shop/main/gone", "DELETE, OPTIONS"],
    ["HEAD", "/v1/shop/main/gone", "DELETE, OPTIONS"],
    ["PROPFIND", "/v1/shop/main/items", "GET, HEAD, POST, OPTIONS"],
    ["POST", "/healthz", "GET, HEAD, OPTIONS"],
  ])("405 method_not_allowed with Allow: %s %s", async (method, path, allow) => {
    const response = await ask(path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe(allow);
    if (method !== "HEAD")
      expect(await response.json()).toMatchObject({ error: { code: "method_not_allowed" } });
  });
});

describe("Error envelope: every error has it", () => {
  it("has code, message, details and request_id, and the error's headers", async () => {
    const response = await ask("/v1/shop/main/fail/api");
    expect(response.status).toBe(412);
    expect(response.headers.get("etag")).toBe('"3"');
    expect(await response.json()).toEqual({
      error: {
        code: "version_mismatch",
        message: "Other version.",
        details: [{ path: "0", reason: "differs" }],
        request_id: response.headers.get("x-request-id"),
      },
    });
  });

  it("503 unavailable for a store at its limits", async () => {
    for (const how of ["timeout", "busy", "gone", "refused"]) {
      const response = await ask(`/v1/shop/main/fail/${how}`);
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ error: { code: "unavailable" } });
    }
  });

  it("what a store says of writes: 503 unavailable, 413 payload_too_large", async () => {
    for (const [how, status, code] of [
      ["conflict", 503, "unavailable"],
      ["large", 413, "payload_too_large"],
    ] as const) {
      const response = await ask(`/v1/shop/main/fail/${how}`);
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ error: { code } });
    }
  });

  it("500 internal_error for everything else; its content only in the log, with the request id", async () => {
    logged.length = 0;
    const response = await ask("/v1/shop/main/fail/bug", { headers: { "x-request-id": "bug-1" } });
    expect(response.status).toBe(500);
    const body = await response.text();
    expect(JSON.parse(body)).toMatchObject({ error: { code: "internal_error", request_id: "bug-1" } });
    expect(body).not.toContain("secret");
    expect(logged).toMatchObject([{ request_id: "bug-1", err: { message: "secret detail" } }]);
  });

  it("a header that cannot be sent does not take the process down", async () => {
    logged.length = 0;
    await expect(ask("/v1/shop/main/fail/header")).rejects.toThrow();
    expect(logged).toMatchObject([{ message: "answer failed" }]);
    expect((await ask("/healthz")).status).toBe(200);
  });
});

describe("Common request rules 5: caching headers", () => {
  const both = async (path: string, init?: RequestInit) => {
    const { headers } = await ask(path, init);
    return [headers.get("vary"), headers.get("cache-control")];
  };

  it("document routes: private, no-cache; Vary: Origin, Authorization", async () => {
    const expected = ["Origin, Authorization", "private, no-cache"];
    expect(await both("/v1/shop/main/echo/1")).toEqual(expected);
    expect(await both("/v1/shop/main/unchanged")).toEqual(expected);
    expect(await both("/v1/shop/main/gone", { method: "DELETE" })).toEqual(expected);
  });

  it("realms with session cookies add Vary: Cookie", async () => {
    expect(await both("/v1/club/main/items")).toEqual(["Origin, Authorization, Cookie", "private, no-cache"]);
    expect(await both("/v1/club/main/none")).toEqual(["Origin, Authorization, Cookie", "private, no-cache"]);
  });

  it("_auth and _admin: no-store", async () => {
    const expected = ["Origin", "no-store"];
    expect(await both("/v1/shop/_auth/login", { method: "POST" })).toEqual(expected);
    expect(await both("/v1/shop/_auth/none")).toEqual(expected);
    expect(await both("/v1/shop/_admin/users")).toEqual(expected);
  });

  it("an answer's own win: public reads", async () => {
    expect(await both("/v1/shop/main/public")).toEqual(["Origin, Authorization", "public, max-age=60"]);
  });

  it("errors carry those of their route", async () => {
    expect(await both("/v1/shop/main/fail/api")).toEqual(["Origin, Authorization", "private, no-cache"]);
    expect(await both("/v1/shop/main/public", { method: "POST" })).toEqual([
      "Origin, Authorization",
      "private, no-cache",
    ]);
    expect(await both("/v1/shop/_auth/fail")).toEqual(["Origin", "no-store"]);
    expect(await both("/v1/shop/main/%zz")).toEqual(["Origin, Authorization", "private, no-cache"]);
    expect(await both("/v1/shop/_auth/%zz")).toEqual(["Origin", "no-store"]);
    expect(await both("/v1/club/main/%zz")).toEqual(["Origin, Authorization, Cookie", "private, no-cache"]);
    expect(await both("/v1/none/main/items")).toEqual(["Origin, Authorization", "private, no-cache"]);
  });

  it("outside /v1/: no-store, no Vary", async () => {
    expect(await both("/healthz")).toEqual([null, "no-store"]);
    expect(await both("/nothing")).toEqual([null, "no-store"]);
  });
});

describe("CORS", () => {
  const origin = "https://app.example.com";
  const preflight = (path: string, from: string) =>
    ask(path, { method: "OPTIONS", headers: { origin: from, "access-control-request-method": "PUT" } });
  const corsOf = (response: Response) =>
    [...response.headers].filter(([name]) => name.startsWith("access-control-")).map(([name]) => name);

  it("answers the preflight of a listed origin with 204, all methods and headers, Max-Age 600", async () => {
    const response = await preflight("/v1/shop/main/echo/1", origin);
    expect(response.status).toBe(204);
    expect(await response.text()).toBe("");
    const { headers } = response;
    expect(headers.get("access-control-allow-origin")).toBe(origin);
    expect(headers.get("access-control-allow-methods")).toBe("GET, HEAD, POST, PUT, PATCH, DELETE");
    expect(headers.get("access-control-max-age")).toBe("600");
    const allowed = headers.get("access-control-allow-headers")?.toLowerCase().split(", ");
    expect(allowed).toEqual(
      expect.arrayContaining([
        "authorization",
        "content-type",
        "if-match",
        "if-none-match",
        "idempotency-key",
        "x-request-id",
      ]),
    );
    expect(headers.get("vary")).toContain("Origin");
  });

  it("exposes the API's headers on answers and errors", async () => {
    const paths = ["/v1/shop/main/echo/1", "/v1/shop/main/fail/api", "/v1/shop/none/x", "/v1/shop/main/%zz"];
    for (const path of paths) {
      const { headers } = await ask(path, { headers: { origin } });
      expect(headers.get("access-control-allow-origin"), path).toBe(origin);
      expect(headers.get("access-control-expose-headers"), path).toBe(
        "ETag, Location, X-Request-ID, Retry-After, Idempotent-Replayed, X-Svc-Expand-Queries, X-Svc-Expand-Docs",
      );
    }
  });

  it("allows credentials only where cookies are enabled", async () => {
    const shopAnswer = await ask("/v1/shop/main/items", { headers: { origin } });
    expect(shopAnswer.headers.get("access-control-allow-credentials")).toBeNull();
    const from = "https://club.example.com";
    const clubAnswer = await ask("/v1/club/main/items", { headers: { origin: from } });
    expect(clubAnswer.headers.get("access-control-allow-credentials")).toBe("true");
    expect(
      (await preflight("/v1/club/main/items", from)).headers.get("access-control-allow-credentials"),
    ).toBe("true");
  });

  it("gives other origins, other realms' origins and none no CORS headers", async () => {
    for (const from of ["https://evil.example.com", "https://club.example.com", "null", `${origin}.evil`]) {
      expect(corsOf(await ask("/v1/shop/main/items", { headers: { origin: from } })), from).toEqual([]);
      const refused = await preflight("/v1/shop/main/items", from);
      expect(refused.status, from).toBe(204);
      expect(corsOf(refused), from).toEqual([]);
    }
    expect(corsOf(await ask("/v1/shop/main/items"))).toEqual([]);
    expect(corsOf(await ask("/healthz", { headers: { origin } }))).toEqual([]);
  });

  it("OPTIONS names the methods of a path", async () => {
    const response = await ask("/v1/shop/main/items", { method: "OPTIONS" });
    expect(response.status).toBe(204);
    expect(response.headers.get("allow")).toBe("GET, HEAD, POST, OPTIONS");
  });
});
