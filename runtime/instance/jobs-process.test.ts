import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { collections } from "../auth/collections.ts";
import { createKey } from "../auth/command-keys.ts";
import { readAudit } from "../auth/records.ts";
import { text } from "../auth/testing/accounts.ts";
import { systemClock } from "../clock.ts";
import { eq, TRUE } from "../filter/algebra.ts";
import { organizationFields } from "../filter/fields.ts";
import { claimTime } from "../jobs/claims.ts";
import { jobCollection, jobFields } from "../jobs/records.ts";
import { lookEvery } from "../jobs/worker.ts";
import type { JsonObject } from "../json.ts";
import type { DocumentWrite, Visibility } from "../store/contract/document.ts";
import { isEmbedded, type ProcessPlace, processPlace } from "../store/testing/stores.ts";
import { until } from "../testing/until.ts";
import { organizationsModule } from "./testing/fixture-organizations.ts";
import { type ServerProcess, startProcess, urlOf } from "./testing/process.ts";
import { withStore } from "./testing/stored.ts";

let place: ProcessPlace;
/** For what servers write beside the store. */
let data: string;
let running: ServerProcess[];
beforeEach(() => {
  place = processPlace();
  data = mkdtempSync(join(tmpdir(), "realmc-jobs-"));
  running = [];
});
afterEach(async () => {
  for (const server of running) await kill(server);
  rmSync(data, { recursive: true, force: true });
  await place.discard();
});

/** Answers where it listens. */
async function start(
  environment: Record<string, string> = {},
): Promise<{ readonly server: ServerProcess; readonly url: string }> {
  const server = startProcess(place, { SVC_DATA: data, ...environment }, ["--organizations"]);
  running.push(server);
  return { server, url: await urlOf(server) };
}

async function kill({ child, ended }: ServerProcess): Promise<void> {
  child.kill("SIGKILL");
  await ended;
}

const module = () => organizationsModule(place.realm);

function documents(org: string, count: number, deletedAt?: number): readonly DocumentWrite[] {
  return Array.from({ length: count }, (_, n) => {
    const id = `${org}-${deletedAt === undefined ? "live" : "deleted"}-${n}`;
    const at = new Date(n).toISOString();
    const _meta = {
      created_at: at,
      updated_at: at,
      version: 1,
      org,
      ...(deletedAt !== undefined && { deleted_at: at }),
    };
    return {
      id,
      version: 1,
      text: JSON.stringify({ id, _meta }),
      createdAt: n,
      ...(deletedAt !== undefined && { deletedAt }),
    };
  });
}

async function post(
  url: string,
  path: string,
  body: JsonObject,
  headers: Record<string, string> = {},
): Promise<JsonObject> {
  const answer = await fetch(`${url}/v1/${place.realm}/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  expect(answer.status).toBeLessThan(300);
  return JSON.parse(await answer.text());
}

test("a job of an instance that died is claimed by another one within a minute, whenever that looked last", () => {
  expect(claimTime + lookEvery).toBeLessThanOrEqual(60_000);
});

test("a job amid which a process is killed is done by another one: the mail of an acknowledged sign-up leaves", {
  timeout: 120_000,
}, async () => {
  // A mail server that says nothing.
  const hanging = createServer();
  const asked = once(hanging, "connection");
  hanging.listen(0, "127.0.0.1");
  await once(hanging, "listening");
  const address = hanging.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const first = await start({ SVC_SMTP_URL: `smtp://127.0.0.1:${port}` });
  await post(first.url, "_auth/signup", { email: "ada@example.com", password: "correct horse" });
  await asked;
  // An embedded store is served by one process at a time.
  const beside = isEmbedded ? undefined : await start();
  await kill(first.server);
  hanging.close();
  expect((await place.bytes()).includes("svt_")).toBe(false);

  const { url, server } = beside ?? (await start());
  const outbox = join(data, "outbox");
  const mails = () => readdirSync(outbox).filter((name) => name.endsWith(".eml") && !name.startsWith("."));
  await until(() => expect(mails()).toHaveLength(1), { limit: 90_000 });
  const mail = readFileSync(join(outbox, mails()[0] ?? ""), "utf8");
  expect(mail).toContain("To: ada@example.com\r\n");
  const token = /token=(svt_[\w-]+)/.exec(mail)?.[1] ?? "";
  const verified = await fetch(`${url}/v1/${place.realm}/_auth/email/verify`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  expect(verified.status).toBe(204);
  server.child.kill("SIGTERM");
  await server.ended;
  await withStore(place, module(), async (store) =>
    expect(await store.collection(jobCollection).count(eq(jobFields.kind, "mail"), "all")).toBe(0),
  );
  expect(mails()).toHaveLength(1);
});

test("Organization: an acknowledged DELETE is carried out, and audited once, however often processes are killed", {
  timeout: 180_000,
}, async () => {
  const password = "correct horse";
  const before = await start();
  const signedUp = await post(before.url, "_auth/signup", { email: "ada@example.com", password });
  const authorization = `Bearer ${text(signedUp, "session", "token")}`;
  const org = text(await post(before.url, "_orgs", { name: "Gone" }, { authorization }), "id");
  const other = text(await post(before.url, "_orgs", { name: "Stays" }, { authorization }), "id");
  await kill(before.server);
  const key = await withStore(place, module(), async (store) => {
    const tickets = store.collection("main.tickets");
    for (const batch of [documents(org, 6_000), documents(org, 3_000, 1), documents(other, 100)])
      await tickets.load(batch);
    await store.collection("main.invoices").load(documents(org, 70));
    return createKey(store, systemClock, { name: "admin", admin: ["data"] });
  });

  const asked = await start();
  const proof = text(await post(asked.url, "_auth/reauth", { password }, { authorization }), "proof");
  const headers = { authorization, "x-svc-reauth": proof };
  const answer = await fetch(`${asked.url}/v1/${place.realm}/_orgs/${org}`, { method: "DELETE", headers });
  expect(answer.status).toBe(204);
  await kill(asked.server);
  // Where the store is shared, each may leave a claim that lasts for a while.
  for (let kills = isEmbedded ? 3 : 0; kills > 0; kills -= 1) await kill((await start()).server);
  const last = await start();
  const succeeded = async (): Promise<JsonObject> => {
    const list = `${last.url}/v1/${place.realm}/_admin/jobs?status=succeeded`;
    const answer = await fetch(list, { headers: { authorization: `Bearer ${key}` } });
    return JSON.parse(await answer.text());
  };
  const counts = { deleted: { "main/tickets": 9_000 }, kept: { "main/invoices": 70 } };
  await until(
    async () => {
      expect(await succeeded()).toMatchObject({
        items: [{ kind: "org_delete", status: "succeeded", result: counts }],
      });
    },
    { limit: 120_000, interval: 50 },
  );
  await kill(last.server);

  await withStore(place, module(), async (store) => {
    const count = (name: string, id: string, visibility: Visibility = "all") =>
      store.collection(name).count(eq(organizationFields["_meta.org"], id), visibility);
    expect([await count("main.tickets", org), await count("main.tickets", other)]).toEqual([0, 100]);
    expect(await count("main.invoices", org)).toBe(70);
    const all = { filter: TRUE, visibility: "live", limit: 100, skip: 0 } as const;
    const audit = (await store.collection(collections.audit).find(all)).map(
      (found) => readAudit(found).record,
    );
    const about = audit.filter(({ target }) => target === `org:${org}`);
    expect(about.map(({ action }) => action)).toEqual(["org.create", "org.delete", "org.deleted"]);
    expect(about.at(-1)?.details).toMatchObject(counts);
  });
});
