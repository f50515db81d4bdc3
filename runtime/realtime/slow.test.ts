import { once } from "node:events";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { collection, type Shop, startShop } from "../documents/testing/shop.ts";
import { isJsonObject } from "../json.ts";
import { allowed } from "../rules/index.ts";
import { realtimeRoutes } from "./route.ts";
import { openStream } from "./testing/streams.ts";

const notes = collection("notes", {
  realtime: true,
  rules: { create: allowed, read: allowed, update: allowed },
  validate: () => true,
});

/** A connection that asks for a stream, and takes nothing of it until told to. */
async function slowStream({ url }: Shop) {
  const { port } = new URL(url);
  const socket = connect({ port: Number(port), host: "127.0.0.1" });
  await once(socket, "connect");
  const body = JSON.stringify({ subscriptions: [{ id: "s", db: "main", collection: "notes" }] });
  socket.write(
    `POST /v1/shop/_realtime HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await once(socket, "readable");
  let text = "";
  const reset = new Promise<string>((resolve) => {
    socket.on("data", (data) => {
      text += data;
      const found = /event: reset\ndata: (.*)\n/.exec(text)?.[1];
      if (found !== undefined) resolve(found);
    });
    socket.pause();
  });
  return { socket, reset, take: () => socket.resume() };
}

test("Realtime stream events 8: a client that takes too little is reset, and hinders neither writers nor others", async () => {
  const shop = await startShop("enabled", [notes], {
    routes: [realtimeRoutes("shop")],
    settings: {
      realtime: {
        enabled: true,
        memory: 2 ** 26,
        limits: {
          maxSubscriptions: 20,
          maxStreamsPerCaller: 5,
          maxStreams: 100,
          streamsPerSecond: 5,
          bufferBytes: 256 * 1024,
          bufferEvents: 1_000,
        },
      },
    },
  });
  const slow = await slowStream(shop);
  const other = await openStream(`${shop.url}/v1/shop/_realtime`, [
    { id: "o", db: "main", collection: "notes" },
  ]);
  await other.next();
  const text = "x".repeat(500_000);
  // More than sockets hold: 25 MB.
  for (let at = 0; at < 50; at += 1) {
    const { status } = await shop.send("POST", "notes", { body: { title: `${at}`, text } });
    expect(status).toBe(201);
    const { data } = await other.next();
    expect(isJsonObject(data["doc"]) && data["doc"]["title"]).toBe(`${at}`);
  }
  slow.take();
  expect(JSON.parse(await slow.reset)).toEqual({ subs: ["s"], reason: "slow_consumer" });
  slow.socket.destroy();
  other.close();
  await shop.stop();
});
