import { once } from "node:events";
import { type AddressInfo, connect, createServer as createNetServer, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { Answer } from "../realm/exchange.ts";
import type { Migrating } from "./health.ts";
import { createMetrics } from "./metrics.ts";
import { eventFrame, events } from "./streams/events.ts";
import {
  exchangeBytes,
  listening,
  ok,
  open,
  parseResponse,
  realmOf,
  routes,
  silent,
  type TestServer,
  untilClosed,
} from "./testing/server.ts";

let server: TestServer | undefined;
afterEach(async () => {
  await server?.server.close(0);
  server = undefined;
});

const shop = realmOf({ "/v1/shop/main/items/:id": routes(["GET"], () => ok({})) });
const club = realmOf({ "/v1/club/main/items": routes(["GET"], () => ok({})) }, { name: "club" });

describe("Health: /healthz and /readyz", () => {
  it("Versioning 1: /healthz is always 200, and outside of /v1/, where everything else is", async () => {
    server = await listening([], { realms: [shop] });
    const response = await fetch(`${server.url}/healthz`);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: "ok" });
    for (const path of ["/v1/healthz", "/shop/main/items/a"])
      expect((await fetch(`${server.url}${path}`)).status).toBe(404);
  });

  it("Versioning 6: /readyz is 503 until every realm is provisioned, then 200 with the configuration's fingerprint", async () => {
    server = await listening([], { realms: [shop, club], fingerprint: "abc123" });
    const readyz = () => fetch(`${server?.url}/readyz`);
    const expectNotReady = async () => {
      const response = await readyz();
      expect(response.status).toBe(503);
      expect(await response.json()).toMatchObject({ error: { code: "unavailable" } });
    };
    await expectNotReady();
    server.server.serve(shop.instance);
    await expectNotReady();
    server.server.serve(club.instance);
    const response = await readyz();
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ status: "ready", config: "abc123" });
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  it("/readyz is 503 while migrations run, also before they have begun, and tells how far they are", async () => {
    let migrating: Migrating | undefined;
    server = await listening([], { realms: [shop], migrating: () => migrating });
    const look = async () => {
      const response = await fetch(`${server?.url}/readyz`);
      return [response.status, await response.json()];
    };
    const error = { code: "unavailable" };
    expect(await look()).toEqual([503, { error: expect.objectContaining(error) }]);
    migrating = { done: 3, total: 10 };
    const progress = { status: "migrating", done: 3, total: 10 };
    expect(await look()).toEqual([503, { ...progress, error: expect.objectContaining(error) }]);
    server.server.serve(shop.instance);
    expect((await look())[0]).toBe(200);
  });

  it("/readyz is 503 while a store cannot be reached", async () => {
    let reachable = false;
    const warnings: object[] = [];
    server = await listening([shop], {
      log: { ...silent, warn: (fields) => warnings.push(fields) },
      reachable: async () => {
        if (!reachable) throw new Error("disk on fire at /secret/path");
      },
    });
    const response = await fetch(`${server.url}/readyz`);
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain("secret");
    expect(warnings).toMatchObject([{ route: "/readyz", err: { message: "disk on fire at /secret/path" } }]);
    reachable = true;
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200);
  });

  it("a realm answers 503 unavailable until it is provisioned; unknown routes stay 404", async () => {
    server = await listening([], { realms: [shop] });
    const response = await fetch(`${server.url}/v1/shop/main/items/1`);
    expect(response.status).toBe(503);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(response.headers.get("cache-control")).toBe("private, no-cache");
    expect(await response.json()).toMatchObject({ error: { code: "unavailable" } });
    expect((await fetch(`${server.url}/v1/shop/main/none`)).status).toBe(404);
    server.server.serve(shop.instance);
    expect((await fetch(`${server.url}/v1/shop/main/items/1`)).status).toBe(200);
  });

  it("meanwhile each class of route has its own caching headers", async () => {
    const login = realmOf({ "/v1/shop/_auth/login": routes(["POST"], () => ok({}), "private") });
    server = await listening([], { realms: [login] });
    const { status, headers } = await fetch(`${server.url}/v1/shop/_auth/login`, { method: "POST" });
    expect([status, headers.get("cache-control"), headers.get("vary")]).toEqual([503, "no-store", "Origin"]);
  });
});

describe("SVC_ADMIN_API", () => {
  const admin = realmOf({ "/v1/shop/_admin/users": routes(["GET"], () => ok({}), "private") });

  it("off: every method of _admin is 404, also before the realm is provisioned", async () => {
    server = await listening([], { realms: [admin], adminApi: false });
    const statuses = async () =>
      Promise.all(
        ["GET", "HEAD", "POST", "DELETE", "OPTIONS", "PROPFIND"].map(async (method) => {
          const { status, headers } = await fetch(`${server?.url}/v1/shop/_admin/users`, { method });
          return [status, headers.get("allow"), headers.get("cache-control")];
        }),
      );
    const absent = Array.from({ length: 6 }, () => [404, null, "no-store"]);
    expect(await statuses()).toEqual(absent);
    server.server.serve(admin.instance);
    expect(await statuses()).toEqual(absent);
  });

  it("on: it is there", async () => {
    server = await listening([admin]);
    expect((await fetch(`${server.url}/v1/shop/_admin/users`)).status).toBe(200);
    expect((await fetch(`${server.url}/v1/shop/_admin/users`, { method: "POST" })).status).toBe(405);
  });
});

describe("Shutdown", () => {
  it("finishes requests under way, closes idle connections and accepts no more", async () => {
    const slow = slowRealm();
    server = await listening([slow.realm]);
    const { port, server: http } = server;
    const idle = await open(port);
    const working = await open(port);
    working.write(
      "GET /v1/shop/main/slow HTTP/1.1\r\nHost: x\r\n\r\nGET /readyz HTTP/1.1\r\nHost: x\r\n\r\n",
    );
    await slow.entered;
    const idleClosed = once(idle.resume(), "close");
    const closed = http.close(60_000);
    await idleClosed;
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow();
    const bytes = untilClosed(working);
    slow.answer(ok({ done: true }));
    const response = parseResponse(await bytes);
    expect(response.status).toBe(200);
    expect(response.headers.get("connection")).toBe("close");
    expect(response.body).toBe('{"done":true}');
    await closed;
    server = undefined;
  });

  it("answers what clients send before they can know, and closes their connections with it", async () => {
    server = await listening([shop]);
    const request = "GET /v1/shop/main/items/1 HTTP/1.1\r\nHost: x\r\n\r\n";
    const [used, unused] = [await open(server.port), await open(server.port)];
    used.write(request);
    await once(used, "data");
    const closed = server.server.close(60_000);
    for (const socket of [used, unused]) socket.write(request);
    for (const response of (await Promise.all([used, unused].map(untilClosed))).map(parseResponse)) {
      expect(response.status).toBe(200);
      expect(response.headers.get("connection")).toBe("close");
    }
    await closed;
    server = undefined;
  });

  it("takes connections that end with an error, as resets by clients, for closed", async () => {
    const slow = slowRealm();
    server = await listening([slow.realm]);
    const accepting = createNetServer().listen(0, "127.0.0.1");
    await once(accepting, "listening");
    const client = connect((accepting.address() as AddressInfo).port, "127.0.0.1");
    const [connection]: Socket[] = await once(accepting, "connection");
    if (connection === undefined) throw new Error("no connection");
    server.server.accept(connection);
    client.on("error", () => undefined).write("GET /v1/shop/main/slow HTTP/1.1\r\nHost: x\r\n\r\n");
    await slow.entered;
    const closed = server.server.close(60_000);
    // After the turn in which the server begins to wait for it.
    setTimeout(() => connection.destroy(new Error("write ECONNRESET")), 20);
    setTimeout(() => slow.answer(ok({})), 60);
    await expect(closed).resolves.toBeUndefined();
    accepting.close();
    server = undefined;
  });

  it("is not ready while it drains", async () => {
    const slow = slowRealm();
    server = await listening([slow.realm]);
    const busy = fetch(`${server.url}/v1/shop/main/slow`);
    await slow.entered;
    const socket = await open(server.port);
    socket.write("GET /readyz HTTP/1.1\r\nHost: x");
    // Two round trips: by then the first bytes of the connection have been read.
    for (const _ of [1, 2]) await fetch(`${server.url}/healthz`);
    const closed = server.server.close(60_000);
    socket.write("\r\n\r\n");
    expect(parseResponse(await untilClosed(socket)).status).toBe(503);
    slow.answer(ok({}));
    expect((await busy).status).toBe(200);
    await closed;
    server = undefined;
  });

  it("cuts what does not end within the grace", async () => {
    const slow = slowRealm();
    server = await listening([slow.realm]);
    const socket = await open(server.port);
    socket.write("GET /v1/shop/main/slow HTTP/1.1\r\nHost: x\r\n\r\n");
    await slow.entered;
    const closed = server.server.close(1);
    expect(await untilClosed(socket)).toBe("");
    // Its handler still runs, and the stores must not go before it.
    slow.answer(ok({}));
    await closed;
    server = undefined;
  });
});

/** A route that answers when told to. */
function slowRealm() {
  let enter: () => void = () => undefined;
  let give: (answer: Answer) => void = () => undefined;
  const entered = new Promise<void>((resolve) => {
    enter = resolve;
  });
  const answer = new Promise<Answer>((resolve) => {
    give = resolve;
  });
  const handle = () => {
    enter();
    return answer;
  };
  return { realm: realmOf({ "/v1/shop/main/slow": routes(["GET"], handle) }), entered, answer: give };
}

describe("SVC_METRICS", () => {
  it("off: /metrics does not exist", async () => {
    server = await listening([shop]);
    expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
  });

  it("on: counts requests by route pattern, method and status, never by path", async () => {
    const metrics = await createMetrics();
    server = await listening([shop], { metrics });
    for (const id of [1, 2, 3]) await fetch(`${server.url}/v1/shop/main/items/${id}`);
    await fetch(`${server.url}/v1/shop/main/items/1`, { method: "HEAD" });
    await fetch(`${server.url}/v1/shop/main/items/1`, { method: "PUT" });
    await fetch(`${server.url}/v1/shop/nowhere/${"x".repeat(50)}`);
    await exchangeBytes(server.port, "PROPFIND /v1/x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    metrics.countIdConflict("shop", "main", "items");
    const response = await fetch(`${server.url}/metrics`);
    expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=/);
    const text = await response.text();
    const route = "/v1/shop/main/items/:id";
    expect(text).toContain(`svc_http_requests_total{route="${route}",method="GET",status="200"} 3`);
    expect(text).toContain(`svc_http_requests_total{route="${route}",method="HEAD",status="200"} 1`);
    expect(text).toContain('svc_http_requests_total{route="unmatched",method="PUT",status="405"} 1');
    expect(text).toContain('svc_http_requests_total{route="unmatched",method="GET",status="404"} 1');
    expect(text).toContain('svc_http_requests_total{route="unmatched",method="other",status="404"} 1');
    expect(text).toContain(
      `svc_http_request_duration_seconds_count{route="${route}",method="GET",status="200"} 3`,
    );
    expect(text).toContain('svc_id_conflicts_total{realm="shop",database="main",collection="items"} 1');
    expect(text).toContain("process_cpu_seconds_total");
    expect(text).not.toContain("xxx");
  });

  it("on: counts streamed answers under way", async () => {
    let end: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    const endless = realmOf({
      "/v1/shop/events": routes(["GET"], () =>
        events(async function* () {
          yield eventFrame({ event: "ready" });
          await ended;
        }),
      ),
    });
    server = await listening([endless], { metrics: await createMetrics() });
    const { url } = server;
    const streams = async () => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return /^svc_http_streams (\d+)$/m.exec(text)?.[1];
    };
    expect(await streams()).toBe("0");
    const open = await Promise.all([1, 2].map(() => fetch(`${url}/v1/shop/events`)));
    expect(await streams()).toBe("2");
    end();
    for (const response of open) await response.text();
    expect(await streams()).toBe("0");
  });

  it("on: tells of realtime streams what was counted, and how they stand when somebody looks", async () => {
    const metrics = await createMetrics();
    let streams = 2;
    metrics.realtime.gauges(() => ({
      streams,
      subscriptions: { all: 5, shared: 3 },
      bufferedBytes: 1_024,
      lag: { changes: 7, seconds: 0.5 },
    }));
    for (const event of ["ready", "created", "created"]) metrics.realtime.sent(event);
    metrics.realtime.reset("slow_consumer");
    server = await listening([shop], { metrics });
    const { url } = server;
    const lines = async () => {
      const text = await (await fetch(`${url}/metrics`)).text();
      return text.split("\n").filter((line) => line.startsWith("svc_realtime_"));
    };
    const standing = (open: number) => [
      'svc_realtime_events_total{event="ready"} 1',
      'svc_realtime_events_total{event="created"} 2',
      'svc_realtime_resets_total{reason="slow_consumer"} 1',
      `svc_realtime_streams ${open}`,
      'svc_realtime_subscriptions{kind="all"} 5',
      'svc_realtime_subscriptions{kind="shared"} 3',
      "svc_realtime_buffered_bytes 1024",
      "svc_realtime_feed_lag_changes 7",
      "svc_realtime_feed_lag_seconds 0.5",
    ];
    expect(await lines()).toEqual(standing(2));
    streams = 1;
    // What was counted is counted once, however often somebody looks.
    expect(await lines()).toEqual(standing(1));
  });
});
