/** A live query of the emitted client while its server is stopped, and started again at the same address. */
import { afterAll, expect, it } from "vitest";
import { type Client, createClient } from "../../generated/helpdesk/client.ts";
import { helpdesk } from "../../generated/helpdesk/realm.ts";
import { heldClock, type Started, startRealm } from "../../runtime/instance/testing/servers.ts";
import { testPlace } from "../../runtime/store/testing/stores.ts";
import { untilHolds } from "../../runtime/testing/until.ts";
import { manyStreams } from "../security/streams.ts";

const place = testPlace();
const clock = heldClock();
let running: Started | undefined;

async function start(port = 0): Promise<string> {
  running = await startRealm(helpdesk, { clock, settings: { ...manyStreams, store: place.location, port } });
  return running.url;
}

async function stop(): Promise<void> {
  const server = running;
  running = undefined;
  await server?.stop();
}

afterAll(async () => {
  await stop();
  await place.discard();
});

const clientOf = (baseUrl: string, token?: string): Client =>
  createClient({ baseUrl, token, retryDelay: () => 20 });

it("a live query shows what its list answers after the server was started anew, and goes on", async () => {
  const url = await start();
  const manager = clientOf(url);
  const profile = { name: "manager" };
  const { session } = await manager.$auth.signUp({
    email: "manager@example.com",
    password: "correct horse",
    profile,
  });
  const { id: org } = await manager.$orgs.create({ name: "Engines" });
  const create = (client: Client, subject: string) =>
    client.support.tickets.create({ subject, status: "open" }, { org });

  const live = manager.support.tickets.live({ order_by: ["subject"] });
  const subjects = () => live.documents.map(({ subject }) => subject).join();
  const kept = await create(manager, "kept");
  const removed = await create(manager, "removed");
  await untilHolds(() => live.state === "live" && subjects() === "kept,removed");

  await stop();
  await untilHolds(() => live.state === "behind");
  expect(subjects()).toBe("kept,removed");
  // Another server on the same store: what it does has to be told by the one that comes after it.
  const writer = clientOf(await start(), session?.token);
  await writer.support.tickets.patch(kept.id, { priority: 2 });
  await writer.support.tickets.delete(removed.id);
  await create(writer, "made meanwhile");
  await stop();

  expect(await start(Number(new URL(url).port))).toBe(url);
  await untilHolds(() => live.state === "live" && subjects() === "kept,made meanwhile");
  await create(manager, "made after");
  await untilHolds(() => live.documents.length === 3);
  const { items } = await manager.support.tickets.list({ order_by: ["subject"] });
  expect(live.documents).toEqual(items);
  live.close();
});
