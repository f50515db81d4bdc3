import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { readAudit } from "../../auth/records.ts";
import { code, collection, day, paths, type Received, text } from "../../documents/testing/shop.ts";
import { TRUE } from "../../filter/algebra.ts";
import { findJob } from "../../jobs/queue.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { LogLine, Result, Run } from "../invocation.ts";
import { InvocationJournal } from "../invocations/journal.ts";
import { invocationCollection, keptOfFunction } from "../invocations/records.ts";
import { outputBytes } from "../testing/runner.ts";
import { call, event, type FunctionShop, output, startFunctionShop, webhook } from "../testing/shop.ts";

const patiently = { timeout: 20_000 };
const notes = collection("notes", { softDelete: {} });
const closed = collection("closed");

const line = (message: string, fields: JsonObject = {}): LogLine => ({
  at: "2026-01-01T00:00:00.000Z",
  level: "info",
  message,
  fields,
});

/** What runs of `does` come to. */
let result: Result = { kind: "returned", value: output({ answer: "private output" }) };
let shop: FunctionShop;
let admin: string;
const told: object[] = [];
const events: Run[] = [];

beforeAll(async () => {
  shop = await startFunctionShop(
    [
      call("does"),
      webhook("hook"),
      call("secretive", { secrets: ["TOKEN"] }),
      call("lacking", { secrets: ["NOWHERE"] }),
      event("nightly", { schedule: { cron: "0 3 * * *", timezone: "UTC" } }),
      event("reacts", {
        triggers: [
          { database: "main", collection: "notes", on: ["create", "delete"] },
          { database: "main", collection: "closed", on: ["update"] },
        ],
      }),
    ],
    {
      does(_, log) {
        log(line("began", { n: 1 }));
        return result;
      },
      hook: () => ({ kind: "webhook", status: 200, headers: {}, body: "" }),
      secretive({ secrets }, log) {
        log(line(`the token is ${secrets["TOKEN"]}`, { header: `Bearer ${secrets["TOKEN"]}` }));
        throw new Error(`refused: ${secrets["TOKEN"]}`);
      },
      nightly(run) {
        events.push(run);
        return { kind: "nothing" };
      },
      reacts(run) {
        events.push(run);
        return { kind: "nothing" };
      },
    },
    {
      collections: [notes, closed],
      log: {
        info: (fields, message) => told.push({ ...fields, message }),
        warn: (fields, message) => told.push({ ...fields, message }),
        error: (fields, message) => told.push({ ...fields, message }),
      },
    },
  );
  admin = await shop.key({ name: "functions", admin: ["functions"], scopes: {} });
  const secrets = await shop.key({ name: "secrets", admin: ["secrets"], scopes: {} });
  await shop.send("PUT", "../_admin/secrets/TOKEN", { token: secrets, body: { value: 'very "secret"' } });
});
afterAll(() => shop.stop());

function get(path: string, token = admin): Promise<Received> {
  return shop.send("GET", `../_admin/functions${path}`, { token });
}

function items({ body }: Received): readonly JsonObject[] {
  return Array.isArray(body["items"]) ? body["items"].filter(isJsonObject) : [];
}

/** The invocation of a request, once it is recorded. */
async function invocationOf(name: string, request: string): Promise<JsonObject> {
  let found: JsonObject | undefined;
  await expect
    .poll(async () => {
      const listed = items(await get(`/main/${name}/invocations?limit=100`));
      found = listed.find(({ request_id }) => request_id === request);
      return found !== undefined;
    }, patiently)
    .toBe(true);
  return found ?? {};
}

function post(name: string, request: string, token?: string): Promise<Received> {
  const headers = { "x-request-id": request };
  return shop.send("POST", `_func/${name}`, {
    body: { input: "private input" },
    headers,
    ...(token && { token }),
  });
}

describe("an invocation", () => {
  test("says what ran, for whom, how long and what it logged; nothing of its input and output", async () => {
    const { token, id } = await shop.signUp("caller@example.com");
    result = { kind: "returned", value: output({ answer: "private output" }) };
    await post("does", "r1", token);
    const { id: own, ...shown } = await invocationOf("does", "r1");
    expect(own).toMatch(/^[0-9a-z]{20}$/i);
    expect(shown).toEqual({
      kind: "call",
      status: "succeeded",
      started_at: "2026-01-01T00:00:00.000Z",
      duration_ms: 1,
      attempt: 1,
      caller: `user:${id}`,
      request_id: "r1",
      error: null,
      logs: [line("began", { n: 1 })],
    });
    const all = await shop.store("shop").collection(invocationCollection).scan(undefined, 1_000);
    expect(all.map(({ text: stored }) => stored).join()).not.toContain("private");
  });

  test.each<[string, Result, JsonObject]>([
    [
      "r-refused",
      { kind: "refused", status: 409, code: "late", message: "Too late.", details: [] },
      { status: "failed", error: { code: "late", message: "Too late." } },
    ],
    [
      "r-failed",
      { kind: "failed", code: "function_failed", reason: "TypeError: x" },
      { status: "failed", error: { code: "function_failed", message: "TypeError: x" } },
    ],
    [
      "r-ended",
      { kind: "ended", code: "gone", message: "No more." },
      { status: "failed", error: { code: "gone", message: "No more." } },
    ],
    [
      "r-retry",
      { kind: "retry" },
      { status: "failed", error: { code: "retry", message: "It asked to be tried again." } },
    ],
    [
      "r-forwarded",
      { kind: "forwarded", status: 403, body: "{}" },
      {
        status: "failed",
        error: { code: "forwarded", message: "An operation under its caller's rules was answered 403." },
      },
    ],
    [
      "r-forwarded-details",
      {
        ...{ kind: "forwarded", status: 400, operation: "create", collection: "main/notes" },
        body: '{"error":{"code":"validation_error","message":"No.","details":[{"path":"n","reason":"is required"}]}}',
      },
      {
        status: "failed",
        error: {
          code: "forwarded",
          message:
            "create in main/notes under its caller's rules was answered 400 validation_error: No. (n is required)",
          details: [{ path: "n", reason: "is required" }],
        },
      },
    ],
    [
      "r-failed-details",
      { kind: "failed", code: "function_failed", reason: "StoreError", details: [{ path: "n" }] },
      {
        status: "failed",
        error: { code: "function_failed", message: "StoreError", details: [{ path: "n" }] },
      },
    ],
    [
      "r-timeout",
      { kind: "timeout" },
      { status: "timeout", error: { code: "function_timeout", message: "It did not finish in its time." } },
    ],
    [
      "r-cancelled",
      { kind: "cancelled" },
      { status: "cancelled", error: { code: "cancelled", message: "It was ended from outside." } },
    ],
  ])("of a run that did not succeed says why: %s", async (request, came, expected) => {
    result = came;
    await post("does", request);
    expect(await invocationOf("does", request)).toMatchObject({ ...expected, caller: "anonymous" });
  });

  test("of an output that does not fit names the places, not what stands there", async () => {
    result = { kind: "returned", value: { kind: "call", output: `"${"x".repeat(outputBytes)}"` } };
    expect(code(await post("does", "r-large"))).toBe("invalid_output");
    expect(await invocationOf("does", "r-large")).toMatchObject({
      error: { code: "invalid_output", message: "its output is longer than 1048576 bytes" },
    });
  });

  test("holds no value of a secret, and neither does the server's log, which has its lines", async () => {
    expect((await post("secretive", "r-secret")).status).toBe(500);
    const shown = await invocationOf("secretive", "r-secret");
    expect(shown["logs"]).toEqual([line("the token is [TOKEN]", { header: "Bearer [TOKEN]" })]);
    expect(shown["error"]).toMatchObject({
      code: "function_failed",
      message: expect.stringContaining("refused: [TOKEN]"),
    });
    expect(told).toContainEqual({
      function: "main/secretive",
      realm: "shop",
      request_id: "r-secret",
      fields: { header: "Bearer [TOKEN]" },
      message: "the token is [TOKEN]",
    });
    expect(JSON.stringify(told)).not.toContain("very");
  });

  test("is there of a run that lacks a secret, which is 500 secret_missing before the handler runs", async () => {
    const before = shop.handlers.runs.length;
    const answer = await post("lacking", "r-lacking");
    expect([answer.status, code(answer)]).toEqual([500, "secret_missing"]);
    expect(answer.text).not.toContain("NOWHERE");
    expect(shop.handlers.runs.length).toBe(before);
    expect(await invocationOf("lacking", "r-lacking")).toMatchObject({
      status: "failed",
      error: { code: "secret_missing", message: "main/lacking needs the secret NOWHERE" },
    });
  });

  test("of a call that took too long is found among those that failed, and the server's log says why it was refused", async () => {
    result = { kind: "timeout" };
    const answer = await post("does", "r-late");
    expect([answer.status, code(answer)]).toEqual([504, "function_timeout"]);
    const { id } = await invocationOf("does", "r-late");
    for (const status of ["failed", "timeout"]) {
      const listed = items(await get(`/main/does/invocations?status=${status}&limit=100`));
      expect(listed.find((each) => each["id"] === id)?.["status"], status).toBe("timeout");
    }
    const succeeded = items(await get("/main/does/invocations?status=succeeded&limit=100"));
    expect(succeeded.map((each) => each["id"])).not.toContain(id);
    expect(told).toContainEqual({
      err: expect.objectContaining({
        message: expect.stringMatching(/^main\/does: it took longer than \d+m?s$/),
      }),
      request_id: "r-late",
      method: "POST",
      route: "/v1/shop/main/_func/does",
      message: "request refused",
    });
  });

  test("is kept for seven days", async () => {
    result = { kind: "timeout" };
    await post("does", "r-old");
    await invocationOf("does", "r-old");
    shop.clock.advance(7 * day - 1);
    expect(items(await get("/main/does/invocations")).length).toBeGreaterThan(0);
    shop.clock.advance(1);
    expect(items(await get("/main/does/invocations"))).toEqual([]);
  });
});

test("a changed secret counts at the next run", async () => {
  const secrets = await shop.key({ name: "changing", admin: ["secrets"], scopes: {} });
  const put = (value: string) =>
    shop.send("PUT", "../_admin/secrets/NOWHERE", { token: secrets, body: { value } });
  const seen = async () => {
    await post("lacking", "r");
    return shop.handlers.runs.at(-1)?.secrets;
  };
  await put("one");
  expect([await seen(), await seen()]).toEqual([{ NOWHERE: "one" }, { NOWHERE: "one" }]);
  await put("two");
  expect(await seen()).toEqual({ NOWHERE: "two" });
  await shop.send("DELETE", "../_admin/secrets/NOWHERE", { token: secrets });
  expect(code(await post("lacking", "r"))).toBe("secret_missing");
});

describe("GET /_admin/functions", () => {
  test("lists functions by name, with how their invocations ended", async () => {
    result = { kind: "timeout" };
    await post("does", "r-count");
    await invocationOf("does", "r-count");
    const listed = items(await get(""));
    expect(listed.map(({ id, mode }) => [id, mode])).toEqual([
      ["main/does", "call"],
      ["main/hook", "webhook"],
      ["main/lacking", "call"],
      ["main/nightly", "event"],
      ["main/reacts", "event"],
      ["main/secretive", "call"],
    ]);
    expect(listed[0]?.["invocations"]).toEqual({ succeeded: 0, failed: 0, timeout: 1, cancelled: 0 });
  });

  test("and …/invocations are paged, filtered by status, and 404 for what is none", async () => {
    result = { kind: "returned", value: output(null) };
    for (const request of ["p1", "p2", "p3"]) {
      shop.clock.advance(1);
      await post("does", request);
    }
    await invocationOf("does", "p3");
    const first = await get("/main/does/invocations?status=succeeded&limit=2");
    expect(items(first).map(({ request_id }) => request_id)).toEqual(["p3", "p2"]);
    const next = await get(
      `/main/does/invocations?status=succeeded&limit=2&after=${first.body["next_cursor"]}`,
    );
    expect([items(next).map(({ request_id }) => request_id), next.body["has_more"]]).toEqual([["p1"], false]);
    const wrong = await get("/main/does/invocations?status=running");
    expect([wrong.status, code(wrong), paths(wrong)]).toEqual([400, "invalid_query", ["status"]]);
    expect((await get("/main/nothing/invocations")).status).toBe(404);
    expect((await get("/side/does/invocations")).status).toBe(404);
  });

  test("needs the area functions", async () => {
    const other = await shop.key({ name: "other", admin: ["data"], scopes: {} });
    for (const path of ["", "/main/does/invocations"]) {
      expect((await get(path, other)).status).toBe(403);
      expect((await shop.send("GET", `../_admin/functions${path}`)).status).toBe(401);
    }
  });
});

describe("POST …/run", () => {
  const run = (name: string, body: JsonObject, token = admin) =>
    shop.send("POST", `../_admin/functions/main/${name}/run`, { token, body });
  /** The run of a job. */
  const ranBy = async (answer: Received) => {
    expect(answer.status).toBe(202);
    const job = text(answer.body, "job");
    await expect
      .poll(async () => (await findJob(shop.store("shop"), job))?.status, patiently)
      .toBe("succeeded");
    return events.find(({ requestId }) => requestId === job)?.input;
  };

  test("runs a schedule as if it were due, audited", async () => {
    const answer = await run("nightly", { kind: "schedule" });
    expect(await ranBy(answer)).toMatchObject({ kind: "schedule", attempt: 1 });
    const records = await shop
      .store("shop")
      .collection("_svc.audit")
      .find({ filter: TRUE, visibility: "live", limit: 1_000, skip: 0 });
    const audited = records.map((document) => readAudit(document).record);
    expect(audited.find(({ action }) => action === "function.run")).toMatchObject({
      actor: "key:functions",
      target: "function:main/nightly",
      details: { kind: "schedule", job: answer.body["job"] },
    });
  });

  test("runs a trigger for a document that is there", async () => {
    const data = await shop.key({ name: "data" });
    const made = await shop.send("POST", "closed", { token: data, body: { title: "a" } });
    const document = text(made.body, "id");
    const input = await ranBy(
      await run("reacts", { kind: "trigger", collection: "closed", event: "update", document }),
    );
    expect(input).toMatchObject({ kind: "trigger", event: "update", collection: "main/closed" });
    expect(input?.kind === "trigger" && JSON.parse(input.document)).toEqual(made.body);
  });

  test.each<[string, JsonObject, number, string]>([
    ["does", { kind: "schedule" }, 400, "kind"],
    ["reacts", { kind: "schedule" }, 400, "kind"],
    ["nightly", { kind: "never" }, 400, "kind"],
    ["nightly", {}, 400, "kind"],
    ["nightly", { kind: "schedule", document: "x" }, 400, "document"],
    ["reacts", { kind: "trigger", collection: "notes", event: "create" }, 400, "document"],
    ["reacts", { kind: "trigger", collection: "other", event: "create", document: "x" }, 400, "collection"],
    ["reacts", { kind: "trigger", collection: "notes", event: "update", document: "x" }, 400, "event"],
    ["reacts", { kind: "trigger", collection: "main/notes", event: "create", document: "x" }, 404, ""],
    ["nothing", { kind: "schedule" }, 404, ""],
  ])("refuses what the function has not: %s %j", async (name, body, status, path) => {
    const answer = await run(name, body);
    expect([answer.status, paths(answer)[0] ?? ""]).toEqual([status, path]);
  });

  test("needs to change the area functions", async () => {
    const { token } = await shop.person("reading@example.com", "reader");
    expect((await run("nightly", { kind: "schedule" }, token)).status).toBe(403);
    expect((await get("", token)).status).toBe(200);
  });
});

test("of a function the newest 1,000 invocations are kept, all of those of others", async () => {
  const store = shop.store("shop");
  const journal = new InvocationJournal({ store, log: { info() {}, warn() {}, error() {} } });
  const at = (n: number) => new Date(shop.clock.now() + n).toISOString();
  const note = (name: string, n: number) =>
    journal.note({
      ...{
        id: `${name}${String(n).padStart(5, "0")}`,
        function: `main/${name}`,
        kind: "webhook",
        status: "failed",
      },
      ...{
        started_at: at(n),
        duration_ms: 1,
        attempt: 1,
        caller: null,
        request_id: `${n}`,
        error: null,
        logs: [],
      },
    });
  for (let n = 0; n < 10; n += 1) note("hook", n);
  for (let n = 0; n < keptOfFunction + 300; n += 1) note("nightly", n);
  await journal.close();
  const again = new InvocationJournal({ store, log: { info() {}, warn() {}, error() {} } });
  for (let n = keptOfFunction + 300; n < keptOfFunction + 320; n += 1) {
    again.note({
      ...{ id: `n${n}`, function: "main/nightly", kind: "webhook", status: "failed", started_at: at(n) },
      ...{ duration_ms: 1, attempt: 1, caller: null, request_id: `${n}`, error: null, logs: [] },
    });
  }
  await again.close();
  const kept = (await store.collection(invocationCollection).scan(undefined, 10_000)).map(
    ({ text: stored }) => JSON.parse(stored),
  );
  const ranByHand = kept.filter(
    (each) => each.function === "main/nightly" && each.kind === "schedule",
  ).length;
  const numbers = kept
    .filter((each) => each.function === "main/nightly" && each.kind === "webhook")
    .map((each) => Number(each.request_id));
  expect(numbers.length).toBe(keptOfFunction - ranByHand);
  expect(Math.max(...numbers)).toBe(keptOfFunction + 319);
  expect(kept.filter((each) => each.function === "main/hook").length).toBe(10);
});
