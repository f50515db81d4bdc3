import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { collections } from "../../auth/collections.ts";
import { writeKey } from "../../auth/key-records.ts";
import { makeKey } from "../../auth/keys.ts";
import { readAudit } from "../../auth/records.ts";
import { code, collection, text } from "../../documents/testing/shop.ts";
import { TRUE } from "../../filter/algebra.ts";
import { organizationSettings } from "../../organizations/testing/realm.ts";
import { until } from "../../testing/until.ts";
import type { Result, Returned, Run } from "../invocation.ts";
import { call, type FunctionShop, output, startFunctionShop } from "../testing/shop.ts";

const place = collection("things", { database: "side" });
const functions = [call("echo"), call("slow"), call("away", { database: "side" })];

let shop: FunctionShop;
let open: FunctionShop;
let ada: string;
let bob: string;
let boss: string;
/** Ends runs of `slow` that are under way. */
const ends: ((result: Returned | Result) => void)[] = [];

const handles = {
  echo: (run: Run) => (run.input.kind === "call" ? output(JSON.parse(run.input.input)) : output(null)),
  slow: ({ signal }: Run) =>
    new Promise<Returned | Result>((resolve) => {
      ends.push(resolve);
      signal.addEventListener("abort", () => resolve({ kind: "cancelled" }));
    }),
};

beforeAll(async () => {
  shop = await startFunctionShop(functions, handles, {
    collections: [collection("things"), place],
    accounts: { organizations: { ...organizationSettings, keys: true } },
  });
  open = await startFunctionShop(functions, handles, { auth: "disabled", collections: [place] });
  ada = (await shop.signUp("ada@example.com")).token;
  bob = (await shop.signUp("bob@example.com")).token;
  boss = (await shop.person("boss@example.com", "boss")).token;
});
afterAll(() => Promise.all([shop.stop(), open.stop()]));

async function queued(token: string | undefined, name = "echo", on = shop): Promise<string> {
  const sent = { body: { n: 1 }, ...(token !== undefined && { token }) };
  const { status, body, headers } = await on.send("POST", `_func/${name}?async=true`, sent);
  expect([status, headers.get("location")]).toEqual([202, `/v1/shop/main/_jobs/${body["job"]}`]);
  return text(body, "job");
}

const ended = (id: string, token: string) =>
  until(async () => {
    const { body } = await shop.send("GET", `_jobs/${id}`, { token });
    expect(body["finished_at"]).not.toBeNull();
    return body;
  });

describe("GET _jobs/{id}", () => {
  test("shows a call to who queued it, with what it returned", async () => {
    const id = await queued(ada);
    expect(await ended(id, ada)).toEqual({
      id,
      kind: "function.call",
      status: "succeeded",
      target: "function:main/echo",
      created_at: expect.any(String),
      started_at: expect.any(String),
      finished_at: expect.any(String),
      result: { n: 1 },
      error: null,
    });
  });

  test("shows it to no other organization's key of the same name", async () => {
    const keys = await Promise.all(
      ["one", "other"].map(async (org) => {
        const binding = { kind: "organization", org } as const;
        const { token, record } = makeKey({ name: "import", admin: false, binding }, "test", 0, () => org);
        await shop.store("shop").collection(collections.keys).insert(writeKey(record, 1));
        return token;
      }),
    );
    const [own = "", others = ""] = keys;
    const id = await queued(own);
    expect((await shop.send("GET", `_jobs/${id}`, { token: own })).status).toBe(200);
    expect((await shop.send("GET", `_jobs/${id}`, { token: others })).status).toBe(404);
  });

  test("shows it to administrators of functions, and to nobody else; lists of jobs are without what it returned", async () => {
    const id = await queued(ada);
    await ended(id, ada);
    const { status, body } = await shop.send("GET", `_jobs/${id}`, { token: boss });
    expect([status, body["result"]]).toEqual([200, { n: 1 }]);
    const other = await shop.send("GET", `_jobs/${id}`, { token: bob });
    expect([other.status, code(other)]).toEqual([404, "not_found"]);
    const nobody = await shop.send("GET", `_jobs/${id}`);
    expect([nobody.status, code(nobody)]).toEqual([401, "unauthenticated"]);
    const librarian = (await shop.person("lib@example.com", "librarian")).token;
    expect((await shop.send("GET", `_jobs/${id}`, { token: librarian })).status).toBe(404);
  });

  test("shows those of a key to keys of its name, within their scopes", async () => {
    const robot = await shop.key({ name: "robot" });
    const id = await queued(robot);
    expect(await ended(id, robot)).toMatchObject({ result: { n: 1 } });
    const other = await shop.key({ name: "other" });
    expect((await shop.send("GET", `_jobs/${id}`, { token: other })).status).toBe(404);
    const reading = await shop.key({ name: "reading", scopes: { read: "*" } });
    const refused = await shop.send("GET", `_jobs/${id}`, { token: reading });
    expect([refused.status, code(refused)]).toEqual([403, "forbidden"]);
  });

  test("is of the functions of its database, and of ids alone", async () => {
    const id = await queued(ada);
    expect((await shop.send("GET", `../side/_jobs/${id}`, { token: ada })).status).toBe(404);
    expect((await shop.send("GET", "_jobs/retention", { token: boss })).status).toBe(404);
    expect((await shop.send("GET", `_jobs/${id}?x=1`, { token: ada })).status).toBe(400);
    const { headers } = await shop.send("GET", `_jobs/${id}`, { token: ada });
    expect(headers.get("cache-control")).toBe("no-store");
  });

  test("is open where there are no accounts", async () => {
    const id = await queued(undefined, "echo", open);
    await until(async () =>
      expect((await open.send("GET", `_jobs/${id}`)).body).toMatchObject({ result: { n: 1 } }),
    );
  });
});

describe("DELETE _jobs/{id}", () => {
  test("ends the run at once, and is 409 for what has ended", async () => {
    const id = await queued(ada, "slow");
    await until(() => expect(ends).toHaveLength(1));
    expect((await shop.send("DELETE", `_jobs/${id}`, { token: bob })).status).toBe(404);
    expect((await shop.send("DELETE", `_jobs/${id}`, { token: ada })).status).toBe(204);
    await until(() => expect(shop.handlers.runs.at(-1)?.signal.aborted).toBe(true));
    expect(await ended(id, ada)).toMatchObject({ status: "cancelled", result: null });
    const again = await shop.send("DELETE", `_jobs/${id}`, { token: ada });
    expect([again.status, code(again)]).toEqual([409, "conflict"]);
    expect(await audited()).toEqual([]);
  });

  test("by an administrator is audited; one who only sees does not", async () => {
    const id = await queued(ada, "slow");
    const reader = (await shop.person("reader@example.com", "reader")).token;
    expect((await shop.send("DELETE", `_jobs/${id}`, { token: reader })).status).toBe(404);
    expect((await shop.send("DELETE", `_jobs/${id}`, { token: boss })).status).toBe(204);
    expect(await audited()).toMatchObject([
      { target: `job:${id}`, details: { kind: "function.call:main/slow" } },
    ]);
  });
});

async function audited() {
  const found = await shop
    .store("shop")
    .collection(collections.audit)
    .find({ filter: TRUE, visibility: "live", limit: 1_000, skip: 0 });
  return found.map((document) => readAudit(document).record).filter(({ action }) => action === "job.cancel");
}
