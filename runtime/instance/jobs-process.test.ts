import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { collections } from "../auth/collections.ts";
import { createKey } from "../auth/keys.ts";
import { readAudit } from "../auth/records.ts";
import { text } from "../auth/testing/accounts.ts";
import { systemClock } from "../clock.ts";
import { eq, TRUE } from "../filter/algebra.ts";
import { organizationFields } from "../filter/fields.ts";
import { jobCollection, jobFields } from "../jobs/records.ts";
import type { JsonObject } from "../json.ts";
import type { DocumentWrite, Visibility } from "../store/contract/document.ts";
import type { Store } from "../store/contract/store.ts";
import { openStores } from "../store/engines.ts";
import { isEmbedded, type ProcessPlace, processPlace } from "../store/testing/stores.ts";
import { realmCollections } from "./realm.ts";
import { organizationsModule } from "./testing/fixture-organizations.ts";
import { type ServerProcess, startProcess, urlOf } from "./testing/process.ts";

let place: ProcessPlace;
let running: ServerProcess | undefined;
beforeEach(() => {
  place = processPlace();
});
afterEach(async () => {
  await kill();
  await place.discard();
});

/** Answers where it listens. */
function start(environment: Record<string, string> = {}): Promise<string> {
  running = startProcess(place, environment, ["--organizations"]);
  return urlOf(running);
}

async function kill(): Promise<void> {
  running?.child.kill("SIGKILL");
  await running?.ended;
}

/** Works on the store while no server runs. */
async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const { location } = place;
  const stores = await openStores({ location, setting: "SVC_STORE", clock: systemClock, queryTime: 5_000 });
  try {
    const store = await stores.open(place.realm);
    await store.provision(realmCollections(organizationsModule(place.realm).definition));
    return await work(store);
  } finally {
    await stores.close();
  }
}

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

describe("Jobs of a server process", () => {
  // Where the store is shared the lease of a process that died lasts for a minute.
  it.runIf(isEmbedded)(
    "the mail of an acknowledged sign-up leaves after a restart where the process was killed before",
    { timeout: 60_000 },
    async () => {
      // A mail server that says nothing.
      const hanging = createServer();
      const asked = once(hanging, "connection");
      hanging.listen(0, "127.0.0.1");
      await once(hanging, "listening");
      const address = hanging.address();
      const port = typeof address === "object" ? address?.port : undefined;
      let url = await start({ SVC_SMTP_URL: `smtp://127.0.0.1:${port}` });
      await post(url, "_auth/signup", { email: "ada@example.com", password: "correct horse" });
      await asked;
      await kill();
      hanging.close();
      expect((await place.bytes()).includes("svt_")).toBe(false);

      url = await start();
      const { location } = place;
      const outbox = join(location.engine === "sqlite" ? location.folder : "", "outbox");
      const mails = () =>
        readdirSync(outbox).filter((name) => name.endsWith(".eml") && !name.startsWith("."));
      await vi.waitFor(() => expect(mails()).toHaveLength(1), { timeout: 20_000 });
      const mail = readFileSync(join(outbox, mails()[0] ?? ""), "utf8");
      expect(mail).toContain("To: ada@example.com\r\n");
      const token = /token=(svt_[\w-]+)/.exec(mail)?.[1] ?? "";
      const verified = await fetch(`${url}/v1/${place.realm}/_auth/email/verify`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ token }),
      });
      expect(verified.status).toBe(204);
      running?.child.kill("SIGTERM");
      await running?.ended;
      await withStore(async (store) =>
        expect(await store.collection(jobCollection).count(eq(jobFields.kind, "mail"), "all")).toBe(0),
      );
      expect(mails()).toHaveLength(1);
    },
  );

  // Where the store is shared the lease of a process that died lasts for a minute.
  it.runIf(isEmbedded)(
    "Organization: an acknowledged DELETE is carried out, and audited once, however often the process is killed",
    { timeout: 120_000 },
    async () => {
      const password = "correct horse";
      let url = await start();
      const signedUp = await post(url, "_auth/signup", { email: "ada@example.com", password });
      const authorization = `Bearer ${text(signedUp, "session", "token")}`;
      const org = text(await post(url, "_orgs", { name: "Gone" }, { authorization }), "id");
      const other = text(await post(url, "_orgs", { name: "Stays" }, { authorization }), "id");
      await kill();
      const key = await withStore(async (store) => {
        const tickets = store.collection("main.tickets");
        for (const batch of [documents(org, 6_000), documents(org, 3_000, 1), documents(other, 100)])
          await tickets.load(batch);
        await store.collection("main.invoices").load(documents(org, 70));
        return createKey(store, systemClock, { name: "admin", admin: ["data"] });
      });

      url = await start();
      const proof = text(await post(url, "_auth/reauth", { password }, { authorization }), "proof");
      const headers = { authorization, "x-svc-reauth": proof };
      const answer = await fetch(`${url}/v1/${place.realm}/_orgs/${org}`, { method: "DELETE", headers });
      expect(answer.status).toBe(204);
      await kill();
      for (let kills = 0; kills < 3; kills += 1) {
        await start();
        await kill();
      }
      url = await start();
      const succeeded = async (): Promise<JsonObject> => {
        const list = `${url}/v1/${place.realm}/_admin/jobs?status=succeeded`;
        const answer = await fetch(list, { headers: { authorization: `Bearer ${key}` } });
        return JSON.parse(await answer.text());
      };
      const counts = { deleted: { "main/tickets": 9_000 }, kept: { "main/invoices": 70 } };
      await vi.waitFor(
        async () => {
          expect(await succeeded()).toMatchObject({
            items: [{ kind: "org_delete", status: "succeeded", result: counts }],
          });
        },
        { timeout: 60_000, interval: 50 },
      );
      await kill();

      await withStore(async (store) => {
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
    },
  );
});
