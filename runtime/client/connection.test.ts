import { describe, expect, it } from "vitest";
import { type ClientOptions, Connection, type Fetch } from "./connection.ts";
import { ApiError, ConnectionError } from "./errors.ts";

interface Sent {
  url: string;
  request: Parameters<Fetch>[1];
}

type Reply = { status: number; headers?: Record<string, string>; body?: string } | Error | "never";

/** A server that gives these replies in turn, the last one for good. */
function serverOf(...replies: readonly Reply[]): { sent: Sent[]; fetch: Fetch } {
  const sent: Sent[] = [];
  const fetch: Fetch = async (url, request) => {
    sent.push({ url, request });
    const reply = replies[Math.min(sent.length, replies.length) - 1];
    if (reply === undefined) throw new Error("no reply");
    if (reply === "never") return untilAborted(request.signal);
    if (reply instanceof Error) throw reply;
    const headers = new Headers(reply.headers);
    return { status: reply.status, headers, text: async () => reply.body ?? "" };
  };
  return { sent, fetch };
}

function untilAborted(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const abort = () => reject(new DOMException("aborted", "AbortError"));
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort);
  });
}

function connected(server: { fetch: Fetch }, options: Partial<ClientOptions> = {}): Connection {
  return new Connection("shop", true, {
    baseUrl: "https://api.example.com/",
    token: "svs_1",
    retryDelay: () => 0,
    fetch: server.fetch,
    ...options,
  });
}

const made: Reply = { status: 201, body: '{"id":"1"}' };
const broken = new TypeError("fetch failed");
const create = { method: "POST", path: "sales/orders", body: { number: 1 } } as const;
const read = { method: "GET", path: "sales/orders", repeatable: true } as const;

function refusal(status: number, code: string, headers: Record<string, string> = {}): Reply {
  const error = { code, message: "No.", request_id: "r1" };
  return { status, headers, body: JSON.stringify({ error }) };
}

function keysOf({ sent }: { sent: readonly Sent[] }): (string | undefined)[] {
  return sent.map(({ request }) => request.headers["Idempotency-Key"]);
}

describe("requests", () => {
  it("carry parameters, body, credentials and headers", async () => {
    const server = serverOf(made);
    const connection = connected(server, {
      credentials: "include",
      headers: { "X-Client": "web", "X-Both": "1" },
    });
    await connection.call({
      method: "PATCH",
      path: "sales/orders/a%2Fb",
      query: {
        where: { note: "ä&b" },
        order_by: ["-number", "id"],
        expand: [],
        count: true,
        skip: undefined,
      },
      body: { note: null },
      options: { headers: { "X-Both": "2" }, onBehalfOf: "u1" },
    });
    expect(server.sent).toMatchObject([
      {
        url: "https://api.example.com/v1/shop/sales/orders/a%2Fb?where=%7B%22note%22%3A%22%C3%A4%26b%22%7D&order_by=-number%2Cid&count=true",
        request: {
          method: "PATCH",
          credentials: "include",
          body: '{"note":null}',
          headers: {
            Authorization: "Bearer svs_1",
            "Content-Type": "application/merge-patch+json",
            "X-Client": "web",
            "X-Both": "2",
            "X-Svc-On-Behalf-Of": "u1",
          },
        },
      },
    ]);
  });

  it("dates are sent as instants", async () => {
    const server = serverOf(made);
    await connected(server).call({ ...read, query: { from: new Date(0) } });
    expect(server.sent[0]?.url).toMatch(/\?from=1970-01-01T00%3A00%3A00.000Z$/);
  });

  it("have each header once, the request's own before the client's", async () => {
    const server = serverOf(made);
    const connection = connected(server, { headers: { "X-Client": "web", authorization: "Basic x" } });
    await connection.call({ ...read, options: { headers: { "x-client": "job" } } });
    const sent = new Headers(server.sent[0]?.request.headers);
    expect([...sent]).toEqual([
      ["authorization", "Bearer svs_1"],
      ["x-client", "job"],
    ]);
  });

  it("lead nowhere but where they are meant to: an id that a path cannot hold is sent to nobody", async () => {
    const server = serverOf(made);
    for (const id of ["", ".", ".."]) {
      const path = `sales/orders/${encodeURIComponent(id)}`;
      for (const address of [path, `${path}/restore`])
        await expect(connected(server).call({ ...create, path: address })).rejects.toThrow(RangeError);
    }
    expect(server.sent).toEqual([]);
  });

  it("without a body or a credential have no headers about them", async () => {
    const server = serverOf(made);
    await connected(server, { token: undefined }).call(read);
    expect(server.sent[0]?.request.headers).toEqual({});
  });

  it("ask the token's provider each time, and a session goes before it", async () => {
    const server = serverOf(made);
    let count = 0;
    const connection = connected(server, { token: async () => `svs_${++count}` });
    await connection.call(read);
    await connection.call(read);
    connection.session = "svs_own";
    await connection.call(read);
    const tokens = server.sent.map(({ request }) => request.headers["Authorization"]);
    expect(tokens).toEqual(["Bearer svs_1", "Bearer svs_2", "Bearer svs_own"]);
  });
});

describe("what failed on the way", () => {
  it("is repeated where that is safe: reads, and creates by one key of their own", async () => {
    const server = serverOf(broken, broken, made);
    expect(await connected(server).call(read)).toEqual({ id: "1" });
    const again = serverOf(broken, refusal(409, "request_in_progress"), made);
    expect(await connected(again).once(create)).toEqual({ id: "1" });
    expect(new Set(keysOf(again)).size).toBe(1);
    expect(keysOf(again)[0]).toMatch(/^\d+(?:-\d+){3}$/);
  });

  it("is not repeated more often than asked for", async () => {
    const server = serverOf(broken);
    await expect(connected(server).call(read)).rejects.toThrow(ConnectionError);
    expect(server.sent).toHaveLength(3);
    await expect(connected(server).call({ ...read, options: { retries: 0 } })).rejects.toThrow("no answer");
    expect(server.sent).toHaveLength(4);
  });

  it("is not repeated where it may have happened: other writes, and creates without a key", async () => {
    const server = serverOf(broken);
    const anonymous = connected(server, { token: undefined });
    await expect(anonymous.once(create)).rejects.toThrow(ConnectionError);
    const patch = { ...create, method: "PATCH" } as const;
    await expect(connected(server).call(patch)).rejects.toThrow(ConnectionError);
    expect(keysOf(server)).toEqual([undefined, undefined]);
  });

  it("keys are the caller's own where given, and none are made where nothing is repeated", async () => {
    const server = serverOf(made);
    await connected(server).once({ ...create, options: { idempotencyKey: "mine" } });
    await connected(server, { retries: 0 }).once(create);
    const unkeyed = new Connection("shop", false, {
      baseUrl: "https://api.example.com",
      token: "t",
      fetch: server.fetch,
    });
    await unkeyed.once(create);
    expect(keysOf(server)).toEqual(["mine", undefined, undefined]);
  });
});

describe("refusals", () => {
  it("are errors with everything that the server says", async () => {
    const error = {
      code: "validation_error",
      message: "No.",
      details: [{ path: "a", reason: "is" }],
      request_id: "r",
    };
    const server = serverOf({ status: 400, body: JSON.stringify({ error }) });
    const thrown = await connected(server)
      .call(read)
      .catch((reason: unknown) => reason);
    expect(thrown).toBeInstanceOf(ApiError);
    expect(thrown).toMatchObject({ ...error, status: 400, retry_after: undefined });
    expect(server.sent).toHaveLength(1);
  });

  it("that pass are waited for, as long as the server says and no longer than ten seconds", async () => {
    const soon = serverOf(
      refusal(503, "index_building", { "Retry-After": "0" }),
      refusal(429, "too_many_requests"),
      made,
    );
    expect(await connected(soon).call(read)).toEqual({ id: "1" });
    const late = serverOf(refusal(429, "too_many_requests", { "Retry-After": "11" }));
    await expect(connected(late).call(read)).rejects.toMatchObject({
      code: "too_many_requests",
      retry_after: 11,
    });
    expect(late.sent).toHaveLength(1);
  });

  it("of something else than this server are no answers", async () => {
    const refusals = [
      "<html>Bad gateway</html>",
      "",
      "{}",
      "null",
      '{"error":"Bad gateway"}',
      '{"error":{}}',
    ];
    const replies = [
      ...refusals.map((body) => ({ status: 502, body })),
      ...["", "<html>Sign in</html>", '"fine"'].map((body) => ({ status: 200, body })),
      { status: 200, body: "", headers: { ETag: '"1"' } },
    ];
    for (const reply of replies) {
      const thrown = await connected(serverOf(reply), { retries: 0 })
        .call(read)
        .catch((reason: unknown) => reason);
      expect(thrown, JSON.stringify(reply)).toBeInstanceOf(ConnectionError);
      expect(thrown).toMatchObject({ status: reply.status });
    }
  });

  it("say how long to wait in seconds, or not at all", async () => {
    for (const wait of ["Wed, 21 Oct 2026 07:28:00 GMT", ""]) {
      const late = serverOf(refusal(503, "unavailable", { "Retry-After": wait }), made);
      await expect(connected(late, { retries: 0 }).call(read)).rejects.toMatchObject({
        retry_after: undefined,
      });
    }
  });
});

describe("time", () => {
  it("an answer that does not come is given up", async () => {
    const server = serverOf("never");
    const connection = connected(server, { timeout: 1, retries: 1 });
    await expect(connection.call(read)).rejects.toThrow("GET sales/orders: no answer within 1 ms");
    expect(server.sent).toHaveLength(2);
  });

  it("any number of milliseconds will do, for ever too", async () => {
    const server = serverOf(made);
    for (const timeout of [Number.POSITIVE_INFINITY, 2 ** 31]) {
      const late: Fetch = async (url, request) => {
        await new Promise((resolve) => setTimeout(resolve, 20));
        request.signal?.throwIfAborted();
        return await server.fetch(url, request);
      };
      expect(await connected({ fetch: late }, { timeout, retries: 0 }).call(read)).toEqual({ id: "1" });
    }
  });

  it("a token that does not come is given up, too", async () => {
    const server = serverOf(made);
    const connection = connected(server, { token: () => new Promise(() => {}), timeout: 1, retries: 0 });
    await expect(connection.call(read)).rejects.toThrow("no answer within 1 ms");
  });

  it("a signal ends a request, and the wait for the next one, with its own reason", async () => {
    const stopped = new Error("enough");
    const controller = new AbortController();
    const waiting = connected(serverOf("never")).call({ ...read, options: { signal: controller.signal } });
    controller.abort(stopped);
    await expect(waiting).rejects.toBe(stopped);

    const other = new AbortController();
    const server = serverOf(broken);
    const slow = connected(server, {
      retryDelay: () => {
        queueMicrotask(() => other.abort(stopped));
        return 3_600_000;
      },
    });
    await expect(slow.call({ ...read, options: { signal: other.signal } })).rejects.toBe(stopped);
    await expect(slow.call({ ...read, options: { signal: other.signal } })).rejects.toBe(stopped);
    expect(server.sent).toHaveLength(1);
  });
});

it("what is known is asked for by its tag, and comes back itself when it is the same", async () => {
  const server = serverOf(
    { status: 200, headers: { ETag: '"1.r0"' }, body: '{"id":"1"}' },
    { status: 304, headers: { ETag: '"1.r0"' } },
    made,
  );
  const connection = connected(server);
  const known = await connection.unlessKnown<{ id: string }, never>(read, undefined);
  expect(await connection.unlessKnown(read, known)).toBe(known);
  expect(await connection.unlessKnown(read, { ...known })).not.toBe(known);
  const tags = server.sent.map(({ request }) => request.headers["If-None-Match"]);
  expect(tags).toEqual([undefined, '"1.r0"', undefined]);
});
