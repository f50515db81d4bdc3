import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { collections } from "../auth/collections.ts";
import { createKey } from "../auth/command-keys.ts";
import { readAudit } from "../auth/records.ts";
import { systemClock } from "../clock.ts";
import type { Store } from "../store/contract/store.ts";
import { openStores } from "../store/engines.ts";
import { isEmbedded, type ProcessPlace, processPlace } from "../store/testing/stores.ts";
import { realmCollections } from "./realm.ts";
import { item, shopModule } from "./testing/fixture.ts";
import { type ServerProcess, startProcess, urlOf } from "./testing/process.ts";

let place: ProcessPlace;
let running: ServerProcess[];
beforeEach(() => {
  place = processPlace();
  running = [];
});
afterEach(async () => {
  for (const { child, ended } of running) {
    child.kill("SIGKILL");
    await ended;
  }
  await place.discard();
});

function start(environment: Record<string, string> = {}, words: readonly string[] = []): ServerProcess {
  const server = startProcess(place, environment, words);
  running.push(server);
  return server;
}

/** Works on the store while no server runs. */
async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
  const stores = await openStores({
    location: place.location,
    setting: "SVC_STORE",
    clock: systemClock,
    queryTime: 1_000,
  });
  const store = await stores.open(place.realm);
  await store.provision(realmCollections(shopModule({}).definition));
  try {
    return await work(store);
  } finally {
    await stores.close();
  }
}

describe("The server process", () => {
  it("logs JSON lines with its addresses when ready, and no request at level info", async () => {
    const server = start();
    const url = await urlOf(server);
    expect(await server.line("ready")).toMatchObject({
      level: "info",
      realms: [`${url}/v1/${place.realm}`],
      config: "f1",
    });
    await fetch(`${url}/v1/${place.realm}/main/items/x`, { headers: { authorization: "Bearer svk_secret" } });
    server.child.kill("SIGTERM");
    expect(await server.ended).toBe(0);
    expect(server.out.join()).not.toContain("request");
    expect(server.err).toEqual([]);
  });

  it("SVC_LOG=debug logs requests, without credentials and queries", async () => {
    const server = start({ SVC_LOG: "debug" });
    const url = await urlOf(server);
    await fetch(`${url}/v1/${place.realm}/main/items/x?where=private`, {
      headers: { authorization: "Bearer svk_secret" },
    });
    expect(await server.line("request")).toMatchObject({
      level: "debug",
      method: "GET",
      route: `/v1/${place.realm}/main/items/:id`,
      status: 404,
      address: "127.0.0.1",
    });
    expect(server.out.join()).not.toMatch(/secret|private/);
  });

  it("SVC_ACCESS_LOG: a line a request, whatever SVC_LOG is; SVC_METRICS at an address of its own", async () => {
    const server = start({ SVC_ACCESS_LOG: "on", SVC_METRICS: "127.0.0.1:0" });
    const figures = await server.line("metrics");
    const url = await urlOf(server);
    const answer = await fetch(`${url}/v1/${place.realm}/main/items/x?where=private`, {
      headers: { "x-request-id": "mine" },
    });
    const body = await answer.text();
    const line = await server.line("request");
    expect(line).toMatchObject({
      level: "info",
      method: "GET",
      route: `/v1/${place.realm}/main/items/:id`,
      status: 404,
      bytes: Buffer.byteLength(body),
      caller: null,
      request_id: "mine",
    });
    expect(Object.keys(line)).not.toContain("address");
    expect(server.out.join()).not.toContain("private");

    expect((await fetch(`${url}/metrics`)).status).toBe(404);
    expect(await (await fetch(String(figures["url"]))).text()).toContain("svc_http_requests_total");
    expect((await fetch(new URL("/healthz", String(figures["url"])))).status).toBe(404);
    server.child.kill("SIGTERM");
    expect(await server.ended).toBe(0);
  });

  it("SIGTERM: finishes requests in flight, then exits 0", async () => {
    const server = start();
    const url = await urlOf(server);
    const idle = connect(Number(new URL(url).port), "127.0.0.1").resume();
    await once(idle, "connect");
    const answer = fetch(`${url}/v1/${place.realm}/main/slow/a`, { method: "PUT" });
    await server.line("entered");
    const idleClosed = once(idle, "close");
    server.child.kill("SIGTERM");
    await idleClosed;
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
    expect((await answer).status).toBe(204);
    expect(await server.ended).toBe(0);
    const again = await urlOf(start());
    expect((await fetch(`${again}/v1/${place.realm}/main/items/a`)).status).toBe(200);
  });

  it("SIGINT does the same, also when it comes twice: Ctrl-C through npm or realmc serve", async () => {
    const server = start();
    const url = await urlOf(server);
    const answer = fetch(`${url}/v1/${place.realm}/main/slow/a`, { method: "PUT" });
    await server.line("entered");
    server.child.kill("SIGINT");
    await server.line("stopping");
    server.child.kill("SIGINT");
    expect((await answer).status).toBe(204);
    expect(await server.ended).toBe(0);
  });

  it("a signal a second later exits at once", async () => {
    const server = start();
    const url = await urlOf(server);
    // Its body never ends, so that only the grace would end the connection.
    const endless = connect(Number(new URL(url).port), "127.0.0.1").resume();
    endless.on("error", () => undefined);
    endless.write(`PUT /v1/${place.realm}/main/slow/a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{`);
    await server.line("entered");
    server.child.kill("SIGTERM");
    await server.line("stopping");
    const impatient = setInterval(() => server.child.kill("SIGTERM"), 50);
    const code = await server.ended;
    clearInterval(impatient);
    expect(code).toBe(1);
    expect(server.out.join()).not.toContain("stopped");
  });

  it("an error outside every handler is logged and ends the process with 1", async () => {
    const server = start();
    const url = await urlOf(server);
    fetch(`${url}/v1/${place.realm}/main/crash`, { method: "POST" }).catch(() => undefined);
    expect(await server.line("unexpected failure")).toMatchObject({
      level: "fatal",
      err: { message: "bug outside every handler" },
    });
    expect(await server.ended).toBe(1);
  });

  it("a violated unique index stops the start, naming index and ids; nothing is lost", async () => {
    await withStore(async (store) => {
      for (const id of ["a", "b"]) await store.collection("main.items").insert(item(id, { sku: "same" }));
    });
    const server = start({}, ["--unique"]);
    expect(await server.ended).toBe(1);
    expect(server.err.join("\n")).toMatch(/unique index sku of main\.items is violated by documents a, b/);
    const url = await urlOf(start());
    expect((await fetch(`${url}/v1/${place.realm}/main/items/b`)).status).toBe(200);
  });

  // On MongoDB whoever opens the store next waits a minute for the transaction of the one who was killed.
  it.runIf(isEmbedded)(
    "Audit records: killed at any moment, an administrator's write and its record are both there or neither",
    async () => {
      const key = await withStore((store) =>
        createKey(store, systemClock, { name: "admin", admin: ["data"] }),
      );
      const server = start();
      const items = `${await urlOf(server)}/v1/${place.realm}/_admin/data/main/items`;
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const acknowledged: string[] = [];
      const writer = async () => {
        for (;;) {
          const made = await fetch(items, { method: "POST", headers, body: "{}" });
          const { id }: { id: string } = JSON.parse(await made.text());
          acknowledged.push(id);
          if (acknowledged.length === 50) server.child.kill("SIGKILL");
        }
      };
      await Promise.allSettled([writer(), writer(), writer(), writer()]);
      await server.ended;
      const written = await withStore(async (store) => {
        const [documents, records] = await Promise.all(
          ["main.items", collections.audit].map((name) => store.collection(name).scan(undefined, 10_000)),
        );
        return {
          documents: documents ?? [],
          records: (records ?? []).map((record) => readAudit(record).record),
        };
      });
      const ids = written.documents.map(({ id }) => id);
      const creates = written.records.filter(({ action }) => action === "data.create");
      expect(creates.map(({ target }) => target).toSorted()).toEqual(
        ids.map((id) => `document:main/items/${id}`).toSorted(),
      );
      expect(ids).toEqual(expect.arrayContaining(acknowledged));
    },
  );

  it.runIf(isEmbedded)("a second server on the folder is refused, naming the first", async () => {
    const first = start();
    await urlOf(first);
    const second = start();
    expect(await second.ended).toBe(1);
    expect(second.err.join()).toContain(`process ${first.child.pid}`);
  });
});
