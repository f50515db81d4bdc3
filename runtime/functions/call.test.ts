import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { code, paths, type Sent, text, validatorOf } from "../documents/testing/shop.ts";
import { findJob } from "../jobs/queue.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { byCaller } from "../rules/index.ts";
import type { Run } from "./invocation.ts";
import { call, type FunctionShop, output, Slow, startFunctionShop, without } from "./testing/shop.ts";

const number = validatorOf({
  type: "object",
  properties: { n: { type: "integer" } },
  required: ["n"],
  additionalProperties: false,
});

const patiently = { timeout: 20_000 };

function inputOf({ input }: Run): JsonObject {
  return input.kind === "call" ? JSON.parse(input.input) : {};
}

let shop: FunctionShop;
let token: string;
let runs = 0;
const returns = output({});
/** Runs of `slow` that have begun, to be let go. */
let begun = new Slow();

beforeAll(async () => {
  shop = await startFunctionShop(
    [
      call("add", { validateInput: number, validateOutput: number }),
      call("open"),
      without(call("bare"), "validateInput"),
      without(call("unruled"), "invoke"),
      call("people", { invoke: byCaller(({ user }) => user !== undefined) }),
      call("small", {
        validateInput: number,
        invoke: { check: (_, __, data: { n?: number }) => (data.n ?? 0) < 10 },
      }),
      call("slow", { concurrency: 1 }),
      call("late", { timeout: 20 }),
      call("throws"),
      call("refuses"),
      call("forwards"),
      call("must", { idempotency: "required" }),
      call("never", { idempotency: "none" }),
      call("who"),
    ],
    {
      add: (run) => {
        runs += 1;
        return Number(inputOf(run)["n"]) > 100
          ? output({ n: "much" })
          : output({ n: Number(inputOf(run)["n"]) + 1 });
      },
      open: () => {
        runs += 1;
        return returns;
      },
      bare: (run) => output(inputOf(run)),
      people: () => output({}),
      small: () => output({}),
      slow: async () => {
        runs += 1;
        await begun.wait();
        return output({});
      },
      late: () => new Promise(() => undefined),
      throws: () => {
        runs += 1;
        throw new Error("a secret reason");
      },
      refuses: () => ({
        kind: "refused",
        status: 409,
        code: "too_late",
        message: "It is closed.",
        details: [{ at: "noon" }],
      }),
      forwards: () => ({ kind: "forwarded", status: 403, body: '{"error":{"code":"forbidden"}}' }),
      must: () => {
        runs += 1;
        return output({ run: runs });
      },
      never: () => output({}),
      who: ({ caller }) => output({ ...(caller && { ...caller }) }),
    },
    { log: { info() {}, warn() {}, error() {} } },
  );
  ({ token } = await shop.signUp("caller@example.com"));
});
afterAll(() => shop.stop());

function post(name: string, sent: Sent = {}) {
  return shop.send("POST", `_func/${name}`, { body: {}, ...sent });
}

let keys = 0;
function keyed(key = `k${++keys}`): Pick<Sent, "token" | "headers"> {
  return { token, headers: { "idempotency-key": key } };
}

test("call: answers 200 with the output, no-store and the request's id", async () => {
  const answer = await post("add", { body: { n: 1 }, headers: { "x-request-id": "mine" } });
  expect([answer.status, answer.body]).toEqual([200, { n: 2 }]);
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("vary")).toBe("Origin");
  expect(answer.headers.get("x-request-id")).toBe("mine");
});

test.each([
  [{ n: "1" }, ["n"]],
  [{}, ["n"]],
  [{ n: 1, m: 2 }, ["m"]],
  [{ n: 2 ** 60 }, ["n"]],
])(
  "call: an input that does not fit is 400 validation_error with a detail per path: %j",
  async (body, at) => {
    const answer = await post("add", { body });
    expect([answer.status, code(answer), paths(answer)]).toEqual([400, "validation_error", at]);
  },
);

test("call: without `input` it takes the empty object, or no body, alone", async () => {
  expect((await post("bare")).body).toEqual({});
  const none = await fetch(`${shop.url}/v1/shop/main/_func/bare`, { method: "POST" });
  expect([none.status, await none.text()]).toEqual([200, "{}"]);
  const more = await post("bare", { body: { a: 1 } });
  expect([more.status, code(more), paths(more)]).toEqual([400, "validation_error", ["a"]]);
});

test.each([
  ["not JSON", { text: "{" }, 400, "invalid_json"],
  ["no object", { text: "[]" }, 400, "invalid_json"],
  [
    "another content type",
    { text: "{}", headers: { "content-type": "text/plain" } },
    415,
    "unsupported_media_type",
  ],
  ["too large", { text: `{"a":"${"x".repeat(2 ** 20)}"}` }, 413, "payload_too_large"],
])("call: a body that is %s is refused", async (_, sent: Sent, status, expected) => {
  const answer = await shop.send("POST", "_func/open", sent);
  expect([answer.status, code(answer)]).toEqual([status, expected]);
});

test("call: a query parameter that it does not know is 400 invalid_query; other methods are 405", async () => {
  const asked = await post("open?x=1");
  expect([asked.status, code(asked)]).toEqual([400, "invalid_query"]);
  expect((await shop.send("GET", "_func/open")).status).toBe(405);
});

test("call: an undeclared rule denies, a constantly false one before the input is judged", async () => {
  const nobody = await post("people", { body: { x: 1 } });
  expect([nobody.status, code(nobody), nobody.headers.get("www-authenticate")]).toEqual([
    401,
    "unauthenticated",
    "Bearer",
  ]);
  const unruled = await post("unruled", { token });
  expect([unruled.status, code(unruled)]).toEqual([403, "forbidden"]);
  expect((await post("people", { token })).status).toBe(200);
});

test("call: rules see the input as data; it is validated before", async () => {
  expect((await post("small", { body: { n: 9 }, token })).status).toBe(200);
  expect((await post("small", { body: { n: 10 }, token })).status).toBe(403);
  expect((await post("small", { body: { n: 10 } })).status).toBe(401);
  expect((await post("small", { body: { n: "x" }, token })).status).toBe(400);
});

test("call: API keys are past the rules, within the scope `call`", async () => {
  const all = await shop.key({ name: "all" });
  expect((await post("unruled", { token: all })).status).toBe(500);
  for (const [name, scopes, status] of [
    ["writer", { write: "*" }, 403],
    ["database", { call: ["main"] }, 200],
    ["function", { call: ["main/people"] }, 200],
    ["other", { call: ["main/open"] }, 403],
  ] as const) {
    expect((await post("people", { token: await shop.key({ name, scopes }) })).status).toBe(status);
  }
});

test("call: handlers see who called", async () => {
  expect((await post("who")).body).toEqual({ kind: "anonymous", id: null, name: null, roles: [], orgs: [] });
  const { token: reader, id } = await shop.person("reader@example.com", "reader");
  expect((await post("who", { token: reader })).body).toEqual({
    kind: "user",
    id,
    name: null,
    roles: ["reader"],
    orgs: [],
  });
  const key = await shop.key({ name: "somebody", onBehalfOf: true });
  expect((await post("who", { token: key })).body).toMatchObject({
    kind: "key",
    name: "somebody",
    roles: [],
  });
  const behalf = { "x-svc-on-behalf-of": id };
  expect((await post("who", { token: key, headers: behalf })).body).toMatchObject({ kind: "user", id });
});

test("call: an output that does not fit its schema is 500 invalid_output", async () => {
  const answer = await post("add", { body: { n: 101 } });
  expect([answer.status, code(answer)]).toEqual([500, "invalid_output"]);
});

test("call: what throws is 500 function_failed, and why is not told; what does not end 504 function_timeout", async () => {
  const failed = await post("throws");
  expect([failed.status, code(failed)]).toEqual([500, "function_failed"]);
  expect(failed.text).not.toContain("secret");
  const late = await post("late");
  expect([late.status, code(late)]).toEqual([504, "function_timeout"]);
});

test("call: its own errors carry the status, code, message and details that it chose", async () => {
  const answer = await post("refuses", { headers: { "x-request-id": "mine" } });
  expect(answer.status).toBe(409);
  expect(answer.body).toEqual({
    error: { code: "too_late", message: "It is closed.", details: [{ at: "noon" }], request_id: "mine" },
  });
});

test("call: what ctx.caller.db refused reaches the caller as it is", async () => {
  const answer = await post("forwards");
  expect([answer.status, answer.body]).toEqual([403, { error: { code: "forbidden" } }]);
});

test("call: a full concurrency limit is 429 too_many_requests with Retry-After", async () => {
  begun = new Slow();
  const first = post("slow");
  await begun.first;
  const second = await post("slow");
  expect([second.status, code(second), second.headers.get("retry-after")]).toEqual([
    429,
    "too_many_requests",
    "1",
  ]);
  begun.letGo();
  expect((await first).status).toBe(200);
});

test("functions of realm.yaml: beyond the rate calls are 429 until Retry-After is over", async () => {
  const limited = await startFunctionShop(
    [call("one")],
    { one: () => output({}) },
    {
      limits: { rate: { limit: 2, period: 60_000 } },
    },
  );
  const once = () => limited.send("POST", "_func/one", { body: {} });
  expect([(await once()).status, (await once()).status]).toEqual([200, 200]);
  const third = await once();
  expect([third.status, code(third), third.headers.get("retry-after")]).toEqual([
    429,
    "too_many_requests",
    "60",
  ]);
  limited.clock.advance(60_000);
  expect((await once()).status).toBe(200);
  await limited.stop();
});

test("idempotency required: without a key 400 idempotency_key_required, after whom the rule refuses", async () => {
  const answer = await post("must", { token });
  expect([answer.status, code(answer)]).toEqual([400, "idempotency_key_required"]);
});

test("idempotency none: a key is 400 invalid_header, since the function may run twice", async () => {
  const answer = await post("never", keyed());
  expect([answer.status, code(answer), paths(answer)]).toEqual([400, "invalid_header", ["Idempotency-Key"]]);
});

test("idempotency: the same key and input repeats the answer with Idempotent-Replayed, however the input is written", async () => {
  const before = runs;
  const sent = keyed();
  const first = await post("must", { ...sent, text: '{"a":1,"b":[2]}' });
  const again = await post("must", { ...sent, text: '{ "b": [2], "a": 1 }' });
  expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([200, null]);
  expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([
    200,
    first.text,
    "true",
  ]);
  expect(runs).toBe(before + 1);
});

test("idempotency: another input under the key is 422 idempotency_key_reused", async () => {
  const sent = keyed();
  await post("must", { ...sent, body: { a: 1 } });
  const other = await post("must", { ...sent, body: { a: 2 } });
  expect([other.status, code(other)]).toEqual([422, "idempotency_key_reused"]);
});

test("idempotency: of two at once one runs, the other is 409 request_in_progress", async () => {
  begun = new Slow();
  const sent = keyed();
  const first = post("slow", sent);
  await begun.first;
  const second = await post("slow", sent);
  expect([second.status, code(second)]).toEqual([409, "request_in_progress"]);
  begun.letGo();
  expect((await first).status).toBe(200);
  expect((await post("slow", sent)).headers.get("idempotent-replayed")).toBe("true");
});

test("idempotency: what failed leaves the key free, for own errors too", async () => {
  const before = runs;
  const sent = keyed();
  expect((await post("throws", sent)).status).toBe(500);
  expect((await post("throws", sent)).status).toBe(500);
  expect(runs).toBe(before + 2);
  const own = keyed();
  expect([(await post("refuses", own)).status, (await post("refuses", own)).status]).toEqual([409, 409]);
  const invalid = keyed();
  expect((await post("add", { ...invalid, body: {} })).status).toBe(400);
  expect((await post("add", { ...invalid, body: { n: 1 } })).status).toBe(200);
});

test("idempotency: a server that died between leaves the key taken, as nobody knows what was done", async () => {
  const sent = keyed();
  begun = new Slow();
  const running = post("slow", sent);
  await begun.first;
  // What a process that is killed now leaves in the store.
  const records = shop.store("shop").collection("_svc.idempotency");
  const left = (await records.scan(undefined, 1_000)).filter(({ text }) => !text.includes('"status"'));
  expect(left.length).toBe(1);
  begun.letGo();
  expect((await running).status).toBe(200);
  for (const record of left) await records.load([record]);
  const retried = await post("slow", sent);
  expect([retried.status, code(retried)]).toEqual([409, "request_in_progress"]);
});

test("idempotency: a key needs a caller, and is theirs alone", async () => {
  const { headers = {} } = keyed();
  const anonymous = await post("must", { headers });
  expect([anonymous.status, code(anonymous)]).toEqual([400, "invalid_header"]);
  const other = await shop.signUp("other@example.com");
  await post("must", { token, headers });
  const theirs = await post("must", { token: other.token, headers });
  expect([theirs.status, theirs.headers.get("idempotent-replayed")]).toEqual([200, null]);
});

test("auth: disabled: everybody calls, whatever the rule, and nobody is known", async () => {
  const plain = await startFunctionShop(
    [without(call("who"), "invoke")],
    { who: ({ caller }) => output(isJsonObject(caller) ? caller : { kind: caller?.kind ?? "none" }) },
    { auth: "disabled" },
  );
  const answer = await plain.send("POST", "_func/who", { body: {} });
  expect([answer.status, answer.body["kind"]]).toEqual([200, "anonymous"]);
  await plain.stop();
});

describe("?async=true", () => {
  test("is 202 with the job and its Location; the call is made afterwards, by who asked for it", async () => {
    const answer = await post("who?async=true", { token });
    const job = text(answer.body, "job");
    expect([answer.status, answer.body, answer.headers.get("location")]).toEqual([
      202,
      { job },
      `/v1/shop/main/_jobs/${job}`,
    ]);
    const ran = () => shop.handlers.runs.findLast(({ definition }) => definition.name === "who");
    await expect
      .poll(async () => (await findJob(shop.store("shop"), job))?.status, patiently)
      .toBe("succeeded");
    const { body } = await shop.send("GET", "../_auth/me", { token });
    expect(ran()?.caller).toMatchObject({ kind: "user", id: body["id"] });
    expect(JSON.parse((await findJob(shop.store("shop"), job))?.output ?? "")).toMatchObject({
      id: body["id"],
    });
  });

  test("is refused as a call at once is", async () => {
    const invalid = await post("add?async=true", { body: {} });
    expect([invalid.status, code(invalid)]).toEqual([400, "validation_error"]);
    expect((await post("people?async=true")).status).toBe(401);
    expect((await post("must?async=true", { token })).status).toBe(400);
    const asked = await post("open?async=maybe");
    expect([asked.status, code(asked), paths(asked)]).toEqual([400, "invalid_query", ["async"]]);
  });

  test("with an idempotency key queues once, and is another request than one that waits", async () => {
    const sent = keyed();
    const first = await post("must?async=true", sent);
    const again = await post("must?async=true", sent);
    expect([again.status, again.text, again.headers.get("idempotent-replayed")]).toEqual([
      202,
      first.text,
      "true",
    ]);
    expect(again.headers.get("location")).toBe(first.headers.get("location"));
    const waiting = await post("must", sent);
    expect([waiting.status, code(waiting)]).toEqual([422, "idempotency_key_reused"]);
  });
});
