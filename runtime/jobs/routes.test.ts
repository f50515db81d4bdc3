import { afterAll, beforeAll, expect, test } from "vitest";
import { minute, type Person, text } from "../auth/testing/accounts.ts";
import { idGenerator } from "../ids.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { type Organizations, startOrganizations } from "../organizations/testing/realm.ts";
import { until } from "../testing/until.ts";
import { findJob } from "./queue.ts";
import { type JobRecord, type JobStatus, jobCollection, writeJob } from "./records.ts";
import { jobRoutes } from "./routes.ts";

let server: Organizations;
let admin: string;
let boss: Person;
const ids: string[] = [];
beforeAll(async () => {
  server = await startOrganizations({}, { routes: jobRoutes });
  admin = await server.key({ name: "admin", admin: ["data"] });
  boss = await server.person("boss@example.com", ["boss"]);
  // They have run, and do not again before anything wakes them.
  for (const standing of ["retention", "key-ends"])
    await until(async () => expect((await findJob(server.store("shop"), standing))?.result).not.toBeNull());
  for (const status of ["succeeded", "failed", "running", "queued", "queued"] as const) {
    ids.push(await store(status));
    server.clock.advance(minute);
  }
});
afterAll(() => server.stop());

/** Stores a job, a minute after the one before; none of them is due. */
async function store(status: JobStatus, more: Partial<JobRecord> = {}): Promise<string> {
  const at = new Date(server.clock.now()).toISOString();
  const isOver = status === "succeeded" || status === "failed";
  const record: JobRecord = {
    id: idGenerator(server.clock)(),
    kind: "org_delete",
    status,
    target: "org:a",
    created_at: at,
    created_by: "user:ada",
    started_at: status === "queued" ? null : at,
    finished_at: isOver ? at : null,
    due_at: null,
    attempts: 0,
    state: '{"secret":"state"}',
    result: status === "succeeded" ? { deleted: { "main/tickets": 3 }, kept: {} } : null,
    error: status === "failed" ? "It failed." : null,
    ...more,
  };
  await server.store("shop").collection(jobCollection).insert(writeJob(record, 1));
  return record.id;
}

const get = (path: string, token = admin) => server.send("GET", `/_admin/jobs${path}`, { token });
const idsOf = ({ items }: JsonObject) =>
  (Array.isArray(items) ? items : []).filter(isJsonObject).map((item) => text(item, "id"));

test("Administrator routes: jobs are listed newest first, page by page", async () => {
  const first = await get("?limit=2");
  expect([first.status, first.headers.get("cache-control")]).toEqual([200, "no-store"]);
  expect(idsOf(first.body)).toEqual([ids[4], ids[3]]);
  expect(first.body["has_more"]).toBe(true);
  const { body } = await get(`?limit=100&after=${text(first.body, "next_cursor")}`);
  // Those of the realm itself are there since the server runs.
  expect([idsOf(body), body["has_more"], body["next_cursor"]]).toEqual([
    [ids[2], ids[1], "retention", "key-ends", ids[0]],
    false,
    undefined,
  ]);
});

test("Administrator routes: jobs of one status", async () => {
  expect(idsOf((await get("?status=queued")).body)).toEqual([ids[4], ids[3], "retention", "key-ends"]);
  expect(idsOf((await get("?status=failed")).body)).toEqual([ids[1]]);
  for (const query of ["?status=done", "?status=", "?status=queued&status=failed", "?kind=org_delete"]) {
    const { status, body } = await get(query);
    expect([status, text(body, "error", "code")]).toEqual([400, "invalid_query"]);
  }
});

test("Administrator routes: a job shows what it does, and nothing of its state", async () => {
  const at = new Date(server.clock.now() - 5 * minute).toISOString();
  const { status, body } = await get(`/${ids[0]}`);
  expect([status, body]).toEqual([
    200,
    {
      id: ids[0],
      kind: "org_delete",
      status: "succeeded",
      target: "org:a",
      created_at: at,
      started_at: at,
      finished_at: at,
      result: { deleted: { "main/tickets": 3 }, kept: {} },
      error: null,
    },
  ]);
  expect((await get(`/${ids[1]}`)).body).toMatchObject({
    status: "failed",
    error: "It failed.",
    result: null,
  });
});

test("Administrator routes: jobs of all kinds are shown", async () => {
  expect((await get("/retention")).body).toMatchObject({
    kind: "retention",
    status: "queued",
    target: "realm",
    result: { removed: expect.any(Number) },
  });
  const mail = await store("queued", { kind: "mail", target: "mail" });
  expect((await get(`/${mail}`)).body).toMatchObject({ kind: "mail", target: "mail" });
  await server.store("shop").collection(jobCollection).remove(mail);
});

test("Administrator routes: a job that failed is tried again, which is audited; another one is 409", async () => {
  const failed = await store("failed", { kind: "gone" });
  const retry = (id: string, token = admin) => server.send("POST", `/_admin/jobs/${id}/retry`, { token });
  const reader = await server.person("looker@example.com", ["reader"]);
  expect((await retry(failed, reader.token)).status).toBe(403);
  const { status, body } = await retry(failed, boss.token);
  expect([status, body]).toEqual([
    202,
    expect.objectContaining({ id: failed, status: "queued", finished_at: null, error: null }),
  ]);
  expect((await get(`/${failed}`)).body).toMatchObject({ status: "queued", error: null });
  const { body: audit } = await server.send("GET", "/_admin/audit?action=job.retry", { token: boss.token });
  expect(audit["items"]).toMatchObject([
    { actor: `user:${boss.id}`, target: `job:${failed}`, details: { kind: "gone" } },
  ]);
  for (const id of [failed, ids[0] ?? "", ids[2] ?? "", ids[3] ?? "", "retention"]) {
    const again = await retry(id);
    expect([again.status, text(again.body, "error", "code")]).toEqual([409, "conflict"]);
  }
  for (const id of ["none", "__proto__", "a%00b"]) expect((await retry(id)).status).toBe(404);
  await server.store("shop").collection(jobCollection).remove(failed);
});

test("Administrator routes: a job that there is none of is 404", async () => {
  for (const id of ["none", "0".repeat(20), "__proto__", "a%00b", "%2F"]) {
    const { status, body } = await get(`/${id}`);
    expect([id, status, text(body, "error", "code")]).toEqual([id, 404, "not_found"]);
  }
});

test("Administrator routes: jobs are seen by whoever sees functions or data, and by nobody else", async () => {
  const [functions, users, plain] = await Promise.all([
    server.key({ name: "functions", admin: ["functions"] }),
    server.key({ name: "users", admin: ["users", "audit", "config"] }),
    server.key({ name: "plain", admin: false }),
  ]);
  const reader = await server.person("reader@example.com", ["reader"]);
  const { token } = await server.signup("nobody@example.com");
  for (const path of ["", `/${ids[0]}`]) {
    for (const allowed of [admin, functions, boss.token, reader.token])
      expect((await get(path, allowed)).status).toBe(200);
    for (const refused of [users, plain, token]) expect((await get(path, refused)).status).toBe(403);
    expect((await server.send("GET", `/_admin/jobs${path}`)).status).toBe(401);
    expect((await server.send("DELETE", `/_admin/jobs${path}`, { token: boss.token })).status).toBe(405);
  }
});
