import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { byCaller } from "../rules/index.ts";
import type { WebhookInput } from "./invocation.ts";
import { type Handle, outputBytes } from "./testing/runner.ts";
import { type FunctionShop, Slow, startFunctionShop, webhook, without } from "./testing/shop.ts";

type Given = { readonly status?: number; readonly headers?: Record<string, string>; readonly body?: string };

let answers: Given = {};
let begun = new Slow();
let seen: WebhookInput | undefined;

const never: Handle = () => new Promise(() => undefined);

const handles: Record<string, Handle> = {
  echo({ input }) {
    if (input.kind === "webhook") seen = input;
    const { status = 200, headers = {}, body = "" } = answers;
    return { kind: "webhook", status, headers, body };
  },
  digest({ input }) {
    const body = input.kind === "webhook" ? input.body : new Uint8Array();
    return { kind: "webhook", status: 200, headers: {}, body: createHash("sha256").update(body).digest() };
  },
  slow: async () => {
    await begun.wait();
    return { kind: "webhook", status: 200, headers: {}, body: "" };
  },
  late: never,
  throws: () => {
    throw new Error("no");
  },
  refuses: () => ({ kind: "refused", status: 422, code: "bad_signature", message: "No.", details: [] }),
  retries: () => ({ kind: "retry" }),
  ends: () => ({ kind: "ended", code: "gone", message: "gone" }),
  people: () => ({ kind: "webhook", status: 200, headers: {}, body: "" }),
};

let shop: FunctionShop;
beforeAll(async () => {
  shop = await startFunctionShop(
    [
      webhook("echo"),
      webhook("digest"),
      webhook("slow", { concurrency: 1 }),
      webhook("late", { timeout: 20 }),
      ...["throws", "refuses", "retries", "ends"].map((name) => webhook(name)),
      webhook("people", { invoke: byCaller(({ user }) => user !== undefined) }),
      without(webhook("unruled"), "invoke"),
    ],
    handles,
    { settings: { maxBodyBytes: 100_000 }, log: { info() {}, warn() {}, error() {} } },
  );
});
afterAll(() => shop.stop());

function post(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${shop.url}/v1/shop/main/_func/${path}`, { method: "POST", ...init });
}

async function told(response: Response): Promise<readonly [number, unknown]> {
  const { error } = (await response.json()) as { error: { code: string } };
  return [response.status, error.code];
}

test("webhook: the body is passed raw, whatever its content type says, byte for byte", async () => {
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, at) => (at * 7) % 256));
  for (const type of ["application/json", "application/octet-stream", "image/png; x=y", ""]) {
    const response = await post("digest", {
      body: bytes,
      ...(type && { headers: { "content-type": type } }),
    });
    const answered = Buffer.from(await response.arrayBuffer());
    expect(answered.equals(createHash("sha256").update(bytes).digest())).toBe(true);
  }
});

test("webhook: header names are lower-case, repeated values comma-joined; method, path and query are the request's", async () => {
  answers = {};
  const headers = new Headers({ "X-Signature": "a" });
  headers.append("X-Signature", "b");
  await post("echo?a=1&a=2&%20", { headers, body: "x" });
  expect(seen?.headers["x-signature"]).toBe("a, b");
  expect([seen?.method, seen?.path, seen?.search]).toEqual([
    "POST",
    "/v1/shop/main/_func/echo",
    "a=1&a=2&%20",
  ]);
});

test("webhook: without a body the function is given none, and nothing returned is 200 with an empty text/plain", async () => {
  answers = {};
  const response = await post("echo");
  expect(seen?.body.length).toBe(0);
  expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
    200,
    "text/plain; charset=utf-8",
    "",
  ]);
});

const ofAnother = "eyJhbGciOiJIUzI1NiJ9.e30.c2ln";
test.each([
  "Basic c2VuZGVyOnNlY3JldA==",
  `Bearer ${ofAnother}`,
  "Bearer sk_live_1",
  "Digest x=y",
  "svs_",
  "",
])(
  "webhook: an Authorization that is none of ours is its sender's, who is anonymous: %s",
  async (authorization) => {
    answers = {};
    expect((await post("echo", { headers: { authorization } })).status).toBe(200);
    expect(seen?.headers["authorization"]).toBe(authorization);
    expect(await told(await post("people", { headers: { authorization } }))).toEqual([
      401,
      "unauthenticated",
    ]);
  },
);

test.each(["svs", "svk", "svi", "svp", "svt"])(
  "webhook: an unknown token of ours is 401: %s_",
  async (kind) => {
    for (const rest of ["A".repeat(43), "short"]) {
      const headers = { authorization: `Bearer ${kind}_${rest}` };
      expect(await told(await post("echo", { headers }))).toEqual([401, "unauthenticated"]);
    }
  },
);

test("webhook: who acts for a user needs a token of ours", async () => {
  const headers = { authorization: "Basic eDp5", "x-svc-on-behalf-of": "0000000000000000000000" };
  expect(await told(await post("echo", { headers }))).toEqual([401, "unauthenticated"]);
});

test("webhook: status, headers and body are what the function returns", async () => {
  answers = { status: 201, headers: { "Content-Type": "application/xml", "X-Own": "1" }, body: "<ü/>" };
  const response = await post("echo");
  expect([response.status, response.headers.get("content-type"), response.headers.get("x-own")]).toEqual([
    201,
    "application/xml",
    "1",
  ]);
  expect(await response.text()).toBe("<ü/>");
});

test.each([0, 99, 100, 101, 199, 600, 1000, 200.5, Number.NaN])(
  "webhook: an invalid status, as %d, is 200",
  async (status) => {
    answers = { status, body: "x" };
    const response = await post("echo");
    expect([response.status, await response.text()]).toEqual([200, "x"]);
  },
);

test.each([204, 304])("webhook: %d has no body", async (status) => {
  answers = { status, body: "x" };
  const response = await post("echo");
  expect([response.status, await response.text()]).toEqual([status, ""]);
});

test("webhook: hop-by-hop headers, set-cookie, content-length and x-request-id are dropped, and what Connection names", async () => {
  answers = {
    headers: {
      Connection: "x-mine, close",
      "X-Mine": "1",
      "Keep-Alive": "timeout=1",
      "Transfer-Encoding": "chunked",
      Upgrade: "x",
      TE: "trailers",
      Trailer: "x",
      "Set-Cookie": "a=b",
      "Content-Length": "77",
      "X-Request-ID": "mine",
      Vary: "Accept",
    },
    body: "four",
  };
  const response = await post("echo", { headers: { "x-request-id": "theirs" } });
  expect(await response.text()).toBe("four");
  const names = [...response.headers.keys()];
  for (const name of ["x-mine", "upgrade", "te", "trailer", "set-cookie", "transfer-encoding"])
    expect(names).not.toContain(name);
  expect(response.headers.get("x-request-id")).toBe("theirs");
  expect(response.headers.get("content-length")).toBe("4");
  expect(response.headers.get("vary")).toBe("Origin, Accept");
  expect(response.headers.get("cache-control")).toBe("no-store");
});

test.each([{ "bad name": "x" }, { "x-a": "a\r\nset-cookie: x" }])(
  "webhook: a header that cannot be sent is 500 invalid_output (%j)",
  async (headers) => {
    answers = { headers: { ...headers } };
    expect(await told(await post("echo"))).toEqual([500, "invalid_output"]);
  },
);

test("webhook: a body that is longer than may be is 500 invalid_output", async () => {
  answers = { body: "x".repeat(outputBytes) };
  expect((await post("echo")).status).toBe(200);
  answers = { body: "x".repeat(outputBytes + 1) };
  expect(await told(await post("echo"))).toEqual([500, "invalid_output"]);
});

test("webhook: a full concurrency limit is 503 with Retry-After, not 429", async () => {
  begun = new Slow();
  const first = post("slow");
  await begun.first;
  const second = await post("slow");
  expect(second.headers.get("retry-after")).toBe("1");
  expect(await told(second)).toEqual([503, "unavailable"]);
  begun.letGo();
  expect((await first).status).toBe(200);
});

test("webhook: what throws is 500 function_failed, what does not end 504 function_timeout; their own errors as chosen", async () => {
  expect(await told(await post("throws"))).toEqual([500, "function_failed"]);
  expect(await told(await post("retries"))).toEqual([500, "function_failed"]);
  expect(await told(await post("ends"))).toEqual([500, "function_failed"]);
  expect(await told(await post("late"))).toEqual([504, "function_timeout"]);
  expect(await told(await post("refuses"))).toEqual([422, "bad_signature"]);
});

test("webhook: a body that is too large is 413 payload_too_large", async () => {
  expect(await told(await post("echo", { body: "x".repeat(100_001) }))).toEqual([413, "payload_too_large"]);
});

test("webhook: other methods are 405, unknown functions 404; errors carry no-store and the request's id", async () => {
  const got = await post("echo", { method: "GET" });
  expect([got.status, got.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
  const unknown = await post("nothing", { headers: { "x-request-id": "mine" } });
  expect(unknown.headers.get("cache-control")).toBe("no-store");
  expect(unknown.headers.get("x-request-id")).toBe("mine");
  expect(await told(unknown)).toEqual([404, "not_found"]);
});

test("webhook: the invoke rule holds, an undeclared one denies; API keys need the scope to call", async () => {
  expect(await told(await post("people"))).toEqual([401, "unauthenticated"]);
  expect(await told(await post("unruled"))).toEqual([401, "unauthenticated"]);
  const { token } = await shop.signUp("sender@example.com");
  const as = (bearer: string) => ({ headers: { authorization: `Bearer ${bearer}` } });
  expect((await post("people", as(token))).status).toBe(200);
  expect(await told(await post("unruled", as(token)))).toEqual([403, "forbidden"]);
  const caller = await shop.key({ name: "caller", scopes: { call: ["main/people"] } });
  expect((await post("people", as(caller))).status).toBe(200);
  expect(await told(await post("echo", as(caller)))).toEqual([403, "forbidden"]);
  expect(await told(await post("echo", as("svs_nobody")))).toEqual([401, "unauthenticated"]);
});

test("functions of realm.yaml bounds all of them together: 503 of webhooks", async () => {
  const limited = await startFunctionShop(
    [webhook("slow"), webhook("echo")],
    { slow: handles["slow"] ?? never, echo: handles["echo"] ?? never },
    { limits: { concurrency: 1 } },
  );
  const at = (name: string) => fetch(`${limited.url}/v1/shop/main/_func/${name}`, { method: "POST" });
  begun = new Slow();
  const running = at("slow");
  await begun.first;
  expect(await told(await at("echo"))).toEqual([503, "unavailable"]);
  begun.letGo();
  expect((await running).status).toBe(200);
  await limited.stop();
});

test("an instance without an executor answers 503 unavailable", async () => {
  const idle = await startFunctionShop([webhook("one")], {}, { runs: false });
  expect(await told(await fetch(`${idle.url}/v1/shop/main/_func/one`, { method: "POST" }))).toEqual([
    503,
    "unavailable",
  ]);
  await idle.stop();
});
