import type { Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Front, openFront } from "./front.ts";

let front: Front;
beforeEach(async () => {
  front = await openFront("127.0.0.1", 0);
});
afterEach(() => front.close());

/** Answers the first request of a connection, as a server behind the port does. */
const answer =
  (text: string) =>
  (connection: Socket): void => {
    connection.once("data", () =>
      connection.end(`HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${text.length}\r\n\r\n${text}`),
    );
    connection.resume();
  };

async function get(): Promise<string> {
  return (await fetch(front.url)).text();
}

test("what comes before a server, and between two, waits for the next one", async () => {
  const early = get();
  front.open(answer("first"));
  expect(await early).toBe("first");
  front.hold();
  const between = [get(), get()];
  front.open(answer("second"));
  expect(await Promise.all(between)).toEqual(["second", "second"]);
});

test("where nothing is served, requests are told so, those that wait too", async () => {
  const early = fetch(front.url, { method: "POST", body: "x".repeat(100_000) });
  front.refuse("The configuration has errors.");
  const response = await early;
  expect([response.status, response.headers.get("cache-control")]).toEqual([503, "no-store"]);
  expect(await response.json()).toEqual({
    error: { code: "unavailable", message: "The configuration has errors." },
  });
  front.open(answer("mended"));
  expect(await get()).toBe("mended");
});

test("a port that is taken", async () => {
  const port = Number(new URL(front.url).port);
  await expect(openFront("127.0.0.1", port)).rejects.toMatchObject({ code: "EADDRINUSE" });
});
