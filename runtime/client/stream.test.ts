import { describe, expect, it } from "vitest";
import type { SubscriptionHandlers } from "./subscribe.ts";
import { settled } from "./testing/realtime/fake-clock.ts";
import { type Followed, followed } from "./testing/realtime/following.ts";
import type { Order, Refusal } from "./testing/realtime/scripted-server.ts";

/** What a subscriber was told, one word each. */
function recorded(told: string[]): SubscriptionHandlers<Order> {
  return {
    ready: () => told.push("ready"),
    created: ({ id }) => told.push(`created ${id}`),
    updated: ({ id, _meta }) => told.push(`updated ${id} ${_meta.version}`),
    removed: ({ id, version }) => told.push(`removed ${id} ${version}`),
    reset: (reason) => told.push(`reset ${reason}`),
    interrupted: () => told.push("interrupted"),
    ended: (end) => told.push(`ended ${end.reason === "refused" ? end.error.code : end.reason}`),
  };
}

const once = (refusal: Refusal) => {
  let isFirst = true;
  return (kind: "stream" | "read") => {
    if (kind !== "stream" || !isFirst) return undefined;
    isFirst = false;
    return refusal;
  };
};

/** Nothing goes on: no stream, no timer. */
async function isQuiet({ server, clock }: Pick<Followed, "server" | "clock">): Promise<boolean> {
  await settled();
  return server.streams.length === 0 && clock.pending === 0 && server.waiting === 0;
}

describe("a subscription", () => {
  it("is told of events as the server sends them", async () => {
    const { server, clock, orders } = followed();
    const told: string[] = [];
    const subscribed = orders.subscribe({ status: "open" }, recorded(told));
    await clock.pass(100);
    server.write("a", {});
    server.write("b", { status: "done" });
    server.write("a", { rank: 1 });
    server.write("b", { status: "open" });
    server.write("a", { status: "done" });
    server.remove("b");
    await settled();
    expect(told).toEqual(["ready", "created a", "updated a 2", "created b", "removed a 3", "removed b 2"]);
    subscribed.close();
    expect(await isQuiet({ server, clock })).toBe(true);
  });

  it("goes on where it was, with the last token, after any interruption", async () => {
    const { server, clock, orders } = followed();
    const told: string[] = [];
    const subscribed = orders.subscribe({}, recorded(told));
    await clock.pass(100);
    server.cut();
    await settled();
    server.write("a", {});
    await clock.pass(10_000);
    server.streams[0]?.end();
    await settled();
    server.write("a", {});
    await clock.pass(10_000);
    expect(told).toEqual([
      "ready",
      "interrupted",
      "ready",
      "created a",
      "interrupted",
      "ready",
      "updated a 2",
    ]);
    expect(server.openings.map(({ token }) => token !== null)).toEqual([false, true, true]);
    subscribed.close();
  });

  it("goes on from a token that came alone", async () => {
    const { server, clock, orders } = followed();
    const subscribed = orders.subscribe({}, {});
    await clock.pass(100);
    server.streams[0]?.send(": heartbeat\n\nid: alone\n\n");
    await settled();
    server.cut();
    await clock.pass(10_000);
    expect(server.openings[1]?.token).toBe("alone");
    subscribed.close();
  });

  it("begins anew where its token is refused, and says that events were lost", async () => {
    const { server, clock, orders } = followed();
    const told: string[] = [];
    const subscribed = orders.subscribe({}, recorded(told));
    await clock.pass(100);
    server.rotateKey();
    server.cut();
    await clock.pass(10_000);
    expect(told).toEqual(["ready", "interrupted", "interrupted", "reset history_expired", "ready"]);
    expect(server.openings.map(({ token }) => token !== null)).toEqual([false, true, false]);
    subscribed.close();
  });

  it("of an id names the document alone", async () => {
    const { server, clock, orders } = followed();
    const subscribed = orders.subscribe("a", {});
    await clock.pass(100);
    const asked = server.openings[0]?.asked;
    expect(asked).toEqual([{ id: expect.any(String), db: "sales", collection: "orders", doc: "a" }]);
    subscribed.close();
  });
});

describe("streams are shared", () => {
  it("by all who begin together, twenty to each, and a second apart", async () => {
    const { server, clock, orders } = followed();
    const all = Array.from({ length: 45 }, () => orders.subscribe({}, {}));
    await clock.pass(500);
    expect(server.streams.map(({ asked }) => asked.length)).toEqual([20]);
    await clock.pass(5_000);
    expect(server.streams.map(({ asked }) => asked.length)).toEqual([20, 20, 5]);
    for (const { close } of all) close();
    expect(await isQuiet({ server, clock })).toBe(true);
  });

  it("with those who come later: the stream is opened again once, with its token", async () => {
    const { server, clock, orders } = followed();
    const told: string[] = [];
    const first = orders.subscribe({}, recorded(told));
    await clock.pass(5_000);
    server.write("a", {});
    await settled();
    const others = [1, 2, 3].map(() => orders.subscribe({}, {}));
    await clock.pass(5_000);
    expect(server.openings.map(({ token, asked }) => [token !== null, asked.length])).toEqual([
      [false, 1],
      [true, 4],
    ]);
    expect(server.streams).toHaveLength(1);
    expect(told).toEqual(["ready", "created a", "ready"]);
    for (const { close } of [first, ...others]) close();
    expect(await isQuiet({ server, clock })).toBe(true);
  });

  it("no more than the server lets: where it takes fewer subscriptions, they are divided", async () => {
    const { server, clock, orders } = followed();
    server.refuse = (kind, { length }) =>
      kind === "stream" && length > 5 ? { status: 400, code: "too_many_subscriptions" } : undefined;
    const told: string[] = [];
    const all = Array.from({ length: 12 }, () => orders.subscribe({}, recorded(told)));
    await clock.pass(120_000);
    expect(server.streams.map(({ asked }) => asked.length).every((count) => count <= 5)).toBe(true);
    expect(server.streams.reduce((sum, { asked }) => sum + asked.length, 0)).toBe(12);
    expect(told.filter((word) => word.startsWith("ended"))).toEqual([]);
    for (const { close } of all) close();
    expect(await isQuiet({ server, clock })).toBe(true);
  });
});

describe("refusals", () => {
  it("that pass are waited for: as long as the server says, longer each time where it says nothing", async () => {
    const { server, clock, orders } = followed({ retryDelay: (attempt) => 1_000 * 2 ** attempt });
    server.refuse = once({ status: 429, code: "too_many_requests", retryAfter: 90 });
    const subscribed = orders.subscribe({}, {});
    await clock.pass(89_000);
    expect(server.openings).toHaveLength(1);
    await clock.pass(10_000);
    expect(server.streams).toHaveLength(1);

    server.refuse = () => ({ status: 503, code: "realtime_unavailable" });
    server.cut();
    const times: number[] = [];
    const began = clock.now();
    while (times.length < 7) {
      const { length } = server.openings;
      while (server.openings.length === length) await clock.pass(100);
      times.push(Math.round((clock.now() - began) / 1_000));
    }
    expect(times.map((time, at) => time - (times[at - 1] ?? 0))).toEqual([2, 2, 4, 8, 16, 30, 30]);
    server.refuse = undefined;
    await clock.pass(30_000);
    expect(server.streams).toHaveLength(1);
    subscribed.close();
  });

  it("of a credential are answered with a fresh one, once", async () => {
    let asked = 0;
    const { server, clock, orders } = followed({ token: async () => `svs_${++asked}` });
    const told: string[] = [];
    server.refuse = once({ status: 401, code: "unauthenticated" });
    const subscribed = orders.subscribe({}, recorded(told));
    await clock.pass(10_000);
    expect(server.openings.map(({ credential }) => credential)).toEqual(["Bearer svs_1", "Bearer svs_2"]);
    expect(told).toEqual(["interrupted", "ready"]);
    subscribed.close();

    server.refuse = () => ({ status: 401, code: "unauthenticated" });
    const { length } = server.openings;
    orders.subscribe({}, recorded(told));
    await clock.pass(600_000);
    expect(told.at(-1)).toBe("ended unauthenticated");
    expect(server.openings).toHaveLength(length + 2);
    expect(await isQuiet({ server, clock })).toBe(true);
  });

  it("that name a subscription end it alone", async () => {
    const { server, clock, orders } = followed();
    const [good, bad]: string[][] = [[], []];
    const subscribed = orders.subscribe({ status: "open" }, recorded(good ?? []));
    await clock.pass(5_000);
    server.refuse = (kind, asked) => {
      const at = asked.findIndex(({ where }) => where?.status === "done");
      if (kind === "read" || at < 0) return undefined;
      const details = [{ path: `subscriptions.${at}.where.status`, reason: "unknown field" }];
      return { status: 400, code: "invalid_query", details };
    };
    orders.subscribe({ status: "done" }, recorded(bad ?? []));
    await clock.pass(10_000);
    expect(bad?.at(-1)).toBe("ended invalid_query");
    expect([good?.at(-1), server.streams[0]?.asked.length]).toEqual(["ready", 1]);
    subscribed.close();
    expect(await isQuiet({ server, clock })).toBe(true);
  });

  it("that name none end those that may not read", async () => {
    const { server, clock, orders } = followed();
    server.write("secret", {});
    server.allows = ({ id }) => id !== "secret";
    const [good, bad]: string[][] = [[], []];
    server.refuse = (kind, asked) => {
      if (kind === "read") return reads++ === 0 ? { status: 403, code: "forbidden" } : undefined;
      return asked.length > 1 ? { status: 403, code: "forbidden" } : undefined;
    };
    let reads = 0;
    orders.subscribe({ status: "done" }, recorded(bad ?? []));
    const subscribed = orders.subscribe({}, recorded(good ?? []));
    await clock.pass(10_000);
    expect([good?.at(-1), bad?.at(-1)]).toEqual(["ready", "ended forbidden"]);
    subscribed.close();
    expect(await isQuiet({ server, clock })).toBe(true);
  });
});

describe("the end of a credential", () => {
  it("`reauth`: the stream goes on with a fresh one and the last token", async () => {
    let asked = 0;
    const { server, clock, orders } = followed({ token: () => `svs_${++asked}` });
    const told: string[] = [];
    const subscribed = orders.subscribe({}, recorded(told));
    await clock.pass(100);
    const [stream] = server.streams;
    stream?.tell("reauth", { expires_at: "2026-01-01T00:00:00.000Z" });
    stream?.end();
    await settled();
    server.write("a", {});
    await clock.pass(5_000);
    expect(told).toEqual(["ready", "ready", "created a"]);
    expect(server.openings.map(({ credential, token }) => [credential, token !== null])).toEqual([
      ["Bearer svs_1", false],
      ["Bearer svs_2", true],
    ]);
    subscribed.close();
  });

  it("`session_ended`: it is over, and nothing is tried again", async () => {
    const { server, clock, orders } = followed();
    const told: string[] = [];
    orders.subscribe({}, recorded(told));
    orders.subscribe({}, recorded(told));
    await clock.pass(100);
    server.streams[0]?.tell("session_ended", { reason: "revoked" });
    server.streams[0]?.end();
    await clock.pass(600_000);
    expect(told).toEqual(["ready", "ready", "ended session_ended", "ended session_ended"]);
    expect([server.openings.length, await isQuiet({ server, clock })]).toEqual([1, true]);
  });

  it("who signs in gets streams of their own", async () => {
    const { server, clock, orders, connection } = followed({ token: undefined });
    const subscribed = orders.subscribe({}, {});
    await clock.pass(5_000);
    connection.session = "svs_mine";
    await clock.pass(5_000);
    expect(server.openings.map(({ credential }) => credential)).toEqual([undefined, "Bearer svs_mine"]);
    expect(server.streams).toHaveLength(1);
    subscribed.close();
  });
});

describe("silence", () => {
  it("of more than a minute ends a stream, and it is opened again; heartbeats keep it", async () => {
    const { server, clock, orders } = followed();
    const subscribed = orders.subscribe({}, {});
    await clock.pass(100);
    for (let beat = 0; beat < 20; beat++) {
      await clock.pass(25_000);
      server.streams[0]?.send(": heartbeat\n\n");
      await settled();
    }
    expect(server.openings).toHaveLength(1);
    await clock.pass(80_000);
    expect(server.openings).toHaveLength(2);
    expect(server.streams).toHaveLength(1);
    subscribed.close();
  });

  it("of a server that answers nothing at all, too", async () => {
    const attempts: string[] = [];
    const { clock, orders } = followed({
      fetch: (url, { signal }) => {
        attempts.push(url);
        return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      },
    });
    const subscribed = orders.subscribe({}, {});
    await clock.pass(200_000);
    expect(attempts).toHaveLength(3);
    subscribed.close();
    await settled();
    expect(clock.pending).toBe(0);
  });

  it("a computer that slept finds out when it wakes", async () => {
    const { server, clock, orders } = followed();
    const told: string[] = [];
    const subscribed = orders.subscribe({}, recorded(told));
    await clock.pass(100);
    clock.sleep(8 * 3_600_000);
    await clock.pass(5_000);
    expect(told).toEqual(["ready", "interrupted", "ready"]);
    expect(server.openings.map(({ token }) => token !== null)).toEqual([false, true]);
    subscribed.close();
  });

  it("proxies that cut after thirty seconds, for an hour", async () => {
    const { server, clock, orders } = followed();
    const told: string[] = [];
    const subscribed = orders.subscribe({}, recorded(told));
    for (let at = 0; at < 120; at++) {
      await clock.pass(30_000);
      server.cut();
      server.write(`d${at}`, {});
    }
    await clock.pass(30_000);
    expect(told.filter((word) => word.startsWith("created"))).toHaveLength(120);
    expect(told).not.toContain("reset history_expired");
    subscribed.close();
  });
});

describe("what is no stream of this server", () => {
  it("an event without end ends all, with an error", async () => {
    const { server, clock, orders } = followed();
    const told: string[] = [];
    orders.subscribe({}, recorded(told));
    await clock.pass(100);
    const mebibyte = "x".repeat(2 ** 20);
    for (let sent = 0; sent < 20; sent++) server.streams[0]?.send(mebibyte);
    await clock.pass(60_000);
    expect(told.at(-1)).toBe("ended failed");
    expect(await isQuiet({ server, clock })).toBe(true);
  });

  it("a page of a proxy is none, and it is tried again", async () => {
    let isProxy = true;
    const { server, clock, orders } = followed({
      fetch: (url, request) => {
        if (!isProxy) return server.fetch(url, request);
        const headers = new Headers({ "Content-Type": "text/html" });
        return Promise.resolve({ status: 200, headers, text: async () => "<html>Sign in</html>" });
      },
    });
    const subscribed = orders.subscribe({}, {});
    await clock.pass(10_000);
    isProxy = false;
    await clock.pass(30_000);
    expect(server.streams).toHaveLength(1);
    subscribed.close();
  });
});

it("nothing is left behind, whenever it is closed", async () => {
  for (let stop = 0; stop < 60; stop++) {
    const { server, clock, orders } = followed({ retryDelay: () => 50 });
    server.write("a", {});
    server.isHeld = true;
    const live = orders.live({});
    const subscribed = orders.subscribe({}, {});
    for (let step = 0; step < stop; step++) {
      clock.step(30);
      await settled();
      if (step % 7 === 3) server.release();
      if (step % 11 === 5) server.cut();
    }
    live.close();
    subscribed.close();
    await settled();
    expect([server.streams, clock.pending, server.waiting], `after ${stop} steps`).toEqual([[], 0, 0]);
  }
});
