import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../clock.ts";
import { openStores } from "../store/engines.ts";
import { type ProcessPlace, processPlace } from "../store/testing/stores.ts";
import { realmCollections } from "./realm.ts";
import { shopModule } from "./testing/fixture.ts";
import { type ServerProcess, startProcess, urlOf } from "./testing/process.ts";

const mebibyte = 1024 * 1024;
const documents = 24;

let place: ProcessPlace;
let server: ServerProcess;
beforeEach(async () => {
  place = processPlace();
  const stores = await openStores({
    location: place.location,
    setting: "SVC_STORE",
    clock: systemClock,
    queryTime: 10_000,
  });
  const store = await stores.open(place.realm);
  await store.provision(realmCollections(shopModule({ realm: place.realm }).definition));
  // Small ones in other scripts take two bytes a character in memory, three in an answer.
  const filling = "x".repeat(mebibyte - 1_000) + "字".repeat(100);
  for (let n = 0; n < documents; n += 1) {
    const id = `d${n}`;
    const text = JSON.stringify({ id, sku: `d${(n + 1) % documents}`, filling });
    await store.collection("main.items").insert({ id, version: 1, text, createdAt: n });
  }
  await stores.close();
});
afterEach(async () => {
  server.child.kill("SIGKILL");
  await server.ended;
  await place.discard();
});

/** Megabytes of the process that are in memory; Linux alone tells of other processes. */
function residentSize({ child }: ServerProcess): number {
  if (process.platform !== "linux") return 0;
  const [, kilobytes = "0"] =
    /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

describe("Answers under way", () => {
  it("a process with little memory lives through lists of large documents, read by many and taken by none", async () => {
    server = startProcess(place, {
      NODE_OPTIONS: "--max-old-space-size=256",
      SVC_PAGE_BYTES: "8MiB",
      SVC_ANSWER_MEMORY: "64MiB",
      SVC_QUERY_TIME: "60s",
    });
    const url = await urlOf(server);
    const items = `${url}/v1/${place.realm}/main/items`;

    const statuses = new Map<number, number>();
    const list = async (query: string) => {
      const response = await fetch(`${items}?${query}`);
      await response.arrayBuffer();
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      if (response.status === 503) expect(response.headers.get("retry-after")).toBe("1");
    };
    const queries = ["limit=100", "limit=100&count=true", "limit=100&order_by=-sku", "limit=2&expand=same"];
    await Promise.all(Array.from({ length: 12 }, (_, n) => list(queries[n % queries.length] ?? "")));
    expect([...statuses.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(statuses.get(200)).toBeGreaterThan(0);

    // Each asks for forty times a page, and reads nothing.
    const path = `/v1/${place.realm}/main/items?limit=100`;
    const asked = `GET ${path} HTTP/1.1\r\nhost: a\r\n\r\n`.repeat(40);
    const sockets: Socket[] = [];
    for (let n = 0; n < 14; n += 1) {
      const socket = connect(Number(new URL(url).port), "127.0.0.1");
      socket.on("error", () => undefined);
      await once(socket, "connect");
      socket.write(asked);
      sockets.push(socket);
    }
    for (;;) {
      const response = await fetch(`${items}?limit=100`);
      await response.arrayBuffer();
      if (response.status === 503) break;
      // What was refused them is small, and the system takes some megabytes for each: they ask on.
      for (const socket of sockets) if (socket.writableLength === 0) socket.write(asked);
    }
    for (let n = 0; n < 20; n += 1) expect((await fetch(`${url}/healthz`)).status).toBe(200);
    expect(residentSize(server)).toBeLessThan(450);
    expect(server.child.exitCode).toBeNull();
    expect(server.child.signalCode).toBeNull();

    for (const socket of sockets) socket.destroy();
    for (;;) {
      const response = await fetch(`${items}?limit=100`);
      const text = await response.text();
      if (response.status !== 200) continue;
      expect(JSON.parse(text)).toMatchObject({ limit: 100, has_more: true });
      break;
    }
    expect(server.err.filter((line) => !line.includes("ExperimentalWarning"))).toEqual([]);
  }, 180_000);
});
