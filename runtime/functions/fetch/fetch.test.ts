/** `ctx.fetch` goes to declared hosts alone, and connects to no address that is not public, however it is led. */
import {
  Agent,
  type ClientRequestArgs,
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import { Agent as AgentOfHttps } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { Duplex } from "node:stream";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fetchBy } from "../worker/fetch.ts";
import { type FetchOptions, GuardedFetch } from "./guarded.ts";

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;

let server: Server;
let port: number;
let answer: Answer;
/** Of the requests that the server saw. */
let seen: { method: string; url: string; headers: IncomingMessage["headers"]; body: string }[];

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const body = Buffer.concat(parts).toString();
    seen.push({ method: request.method ?? "", url: request.url ?? "", headers: request.headers, body });
    answer(request, response, body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  seen = [];
  answer = (_, response) => response.end("hello");
});

/** A network in which all that is public leads to the test's server, which notes where sockets were to connect to. */
class PublicNetwork extends Agent {
  readonly connected: string[] = [];

  override createConnection(
    { host, lookup }: ClientRequestArgs,
    done: (error: Error | null, socket: Duplex) => void = () => {},
  ): undefined {
    lookup?.(host ?? "", { all: true }, (error, found) => {
      if (error !== null) return done(error, new Duplex());
      for (const { address } of typeof found === "string" ? [] : found) this.connected.push(address);
      done(null, connect(port, "127.0.0.1"));
    });
  }
}

const names: Record<string, readonly string[]> = {
  "api.example.com": ["93.184.216.34", "2606:2800:220:1::1"],
  "other.example.org": ["93.184.216.35"],
  "a.b.example.net": ["93.184.216.36"],
  "private.example.com": ["10.1.2.3"],
  "mixed.example.com": ["127.0.0.1", "93.184.216.37"],
};

interface Setting extends Partial<FetchOptions> {
  readonly agent?: Agent;
}

function fetchOf(options: FetchOptions): typeof fetch {
  const guarded = new GuardedFetch(options);
  const { signal } = new AbortController();
  return fetchBy(
    (asked, end) => guarded.answer(asked, end),
    () => signal,
  );
}

async function fetching({ agent = new PublicNetwork(), ...options }: Setting = {}) {
  return fetchOf({
    network: [
      "api.example.com",
      "other.example.org",
      "*.example.net",
      "private.example.com",
      "mixed.example.com",
    ],
    most: 10_000,
    resolve: async (name) =>
      (names[name] ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
    agents: { http: agent, https: new AgentOfHttps() },
    ...options,
  });
}

/** By what the machine does, to what is declared. */
async function direct(...network: readonly string[]) {
  return fetching({ network, agent: new Agent() });
}

describe("Hosts", () => {
  it("that are declared are reached, at the public addresses that their names stand for", async () => {
    const agent = new PublicNetwork();
    const send = await fetching({ agent });
    expect(await (await send("http://api.example.com/a?b=c")).text()).toBe("hello");
    expect(await (await send("http://a.b.example.net/")).text()).toBe("hello");
    expect(agent.connected).toEqual([...(names["api.example.com"] ?? []), "93.184.216.36"]);
    expect(seen[0]).toMatchObject({ method: "GET", url: "/a?b=c", headers: { host: "api.example.com" } });
  });

  it("may be written in upper case and with a dot at the end", async () => {
    const send = await fetching({
      resolve: async () => [{ address: "93.184.216.34", family: 4 }],
    });
    expect((await send("HTTP://API.Example.COM./")).status).toBe(200);
  });

  it.each([
    "http://example.net/",
    "http://badexample.net/",
    "http://api.example.com.evil.org/",
    "http://evil.org/?api.example.com",
    "http://api.example.com@evil.org/",
    "http://evil.org#api.example.com",
    "http://localhost/",
    "http://127.0.0.1/",
    "http://93.184.216.34/",
    "http://[2606:2800:220:1::1]/",
    "https://evil.org/",
  ])("that are not declared are refused: %s", async (url) => {
    const send = await fetching();
    await expect(send(url)).rejects.toThrow(TypeError);
    expect(seen).toEqual([]);
  });

  it.each(["ftp://api.example.com/", "file:///etc/passwd", "data:text/plain,x", "blob:nodedata:1"])(
    "schemes other than http and https are refused: %s",
    async (url) => {
      await expect((await fetching())(url)).rejects.toThrow(/is not http: or https:/);
    },
  );

  it("credentials in the URL are refused", async () => {
    const send = await fetching();
    await expect(send("http://user:pass@api.example.com/")).rejects.toThrow(TypeError);
    await expect(send("http://user@api.example.com/")).rejects.toThrow(TypeError);
    expect(seen).toEqual([]);
  });
});

describe("Addresses", () => {
  it.each([
    "0.0.0.0",
    "0.1.2.3",
    "10.0.0.1",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.1",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::127.0.0.1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b:1::7f00:1",
    "100::1",
    "2001::1",
    "2001:db8::1",
    "2002:7f00:1::",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd00:ec2::254",
    "fe80::1",
    "fe80::1%lo",
    "fec0::1",
    "ff02::1",
  ])("that are not public are refused after resolution: %s", async (address) => {
    const agent = new PublicNetwork();
    const send = await fetching({
      agent,
      resolve: async () => [{ address, family: address.includes(":") ? 6 : 4 }],
    });
    await expect(send("http://api.example.com/")).rejects.toThrow("stands for no public address");
    expect(agent.connected).toEqual([]);
  });

  it("of a name that has public ones, too, are those that are", async () => {
    const agent = new PublicNetwork();
    expect((await (await fetching({ agent }))("http://mixed.example.com/")).status).toBe(200);
    expect(agent.connected).toEqual(["93.184.216.37"]);
  });

  it("are resolved once: a name that stands for another a moment later gains nothing", async () => {
    const answers = ["93.184.216.34", "127.0.0.1"];
    const agent = new PublicNetwork();
    const resolve = async () => [{ address: answers.shift() ?? "127.0.0.1", family: 4 }];
    const send = await fetching({ agent, resolve });
    expect((await send("http://api.example.com/")).status).toBe(200);
    expect(agent.connected).toEqual(["93.184.216.34"]);
    await expect(send("http://api.example.com/")).rejects.toThrow("stands for no public address");
  });

  it("are checked where the machine itself resolves them", async () => {
    const send = fetchOf({ network: ["localhost"], most: 100 });
    await expect(send(`http://localhost:${port}/`)).rejects.toThrow("localhost stands for no public address");
    expect(seen).toEqual([]);
  });

  it.each([
    "127.0.0.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "127.1",
    "127.0.0.1.",
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
  ])("that are declared with their port are reached however they are written: %s", async (host) => {
    // IPv4 that is mapped into IPv6 is read as what it is, and reached where the machine can.
    const url = `http://${host}:${port}/`;
    await expect((await direct("127.0.0.1:1"))(url)).rejects.toThrow("network of function.yaml has no");
    expect(seen).toEqual([]);
    expect((await (await direct(`127.0.0.1:${port}`))(url)).status).toBe(200);
  });

  it("of IPv6 are declared in brackets", async () => {
    const send = await direct("[::1]:1");
    await expect(send("http://[0:0:0:0:0:0:0:1]:1/")).rejects.toThrow(/^ctx\.fetch: (?!network)/);
    await expect(send("http://[::1]:2/")).rejects.toThrow("network of function.yaml has no");
  });
});

describe("Redirects", () => {
  const location = (to: string, status = 302) => {
    answer = ({ url }, response) => {
      if (url === "/end") response.end("end");
      else response.writeHead(status, { location: to }).end();
    };
  };

  it("are followed to declared hosts", async () => {
    location("http://other.example.org/end#x");
    const response = await (await fetching())("http://api.example.com/");
    expect([response.url, response.redirected, await response.text()]).toEqual([
      "http://other.example.org/end",
      true,
      "end",
    ]);
  });

  it.each([
    "http://evil.org/end",
    "http://127.0.0.1/end",
    "http://[::1]/end",
    "http://169.254.169.254/latest/meta-data",
    "http://2130706433/end",
    "http://private.example.com/end",
    "http://user:pass@api.example.com/end",
    "file:///etc/passwd",
    "http://",
  ])("are not followed elsewhere: %s", async (to) => {
    location(to);
    await expect((await fetching())("http://api.example.com/")).rejects.toThrow(TypeError);
    expect(seen).toHaveLength(1);
  });

  it("to other hosts take no credentials along", async () => {
    const headers = { authorization: "Bearer x", cookie: "a=b", "x-other": "c" };
    location("http://other.example.org/end");
    await (await fetching())("http://api.example.com/", { headers });
    expect(seen[1]?.headers).toMatchObject({ "x-other": "c" });
    expect(seen[1]?.headers).not.toHaveProperty("authorization");
    expect(seen[1]?.headers).not.toHaveProperty("cookie");
    location("/end");
    await (await fetching())("http://api.example.com/", { headers });
    expect(seen[3]?.headers).toMatchObject(headers);
  });

  it.each([
    [301, "POST", "GET", ""],
    [302, "POST", "GET", ""],
    [303, "PUT", "GET", ""],
    [301, "PUT", "PUT", "body"],
    [307, "POST", "POST", "body"],
    [308, "POST", "POST", "body"],
  ])("%i makes %s a %s", async (status, method, then, body) => {
    location("/end", status);
    await (await fetching())("http://api.example.com/", { method, body: "body" });
    expect(seen[1]).toMatchObject({ method: then, body });
    expect(seen[1]?.headers["content-type"]).toBe(body === "" ? undefined : "text/plain;charset=UTF-8");
  });

  it("end somewhere", async () => {
    location("/again");
    await expect((await fetching())("http://api.example.com/")).rejects.toThrow("more than 20 redirects");
  });

  it("are answers or errors where that is asked for", async () => {
    location("http://evil.org/");
    const send = await fetching();
    expect((await send("http://api.example.com/", { redirect: "manual" })).status).toBe(302);
    await expect(send("http://api.example.com/", { redirect: "error" })).rejects.toThrow("redirects");
  });
});

describe("Requests and answers", () => {
  it("carry what fetch carries", async () => {
    answer = (_, response) =>
      response
        .writeHead(201, "Made", { "x-a": ["1", "2"], "content-type": "application/json" })
        .end('{"ok":true}');
    const send = await fetching();
    const body = new URLSearchParams({ a: "ä" });
    const response = await send(new Request("http://api.example.com/", { method: "POST", body }));
    expect([response.status, response.statusText, response.headers.get("x-a"), response.ok]).toEqual([
      201,
      "Made",
      "1, 2",
      true,
    ]);
    expect(await response.json()).toEqual({ ok: true });
    expect(seen[0]).toMatchObject({
      method: "POST",
      body: "a=%C3%A4",
      headers: { "content-type": "application/x-www-form-urlencoded;charset=UTF-8", "content-length": "8" },
    });
  });

  it("say neither another host nor how the connection goes on", async () => {
    await (await fetching())("http://api.example.com/", {
      headers: {
        host: "evil.org",
        "transfer-encoding": "chunked",
        "content-length": "5",
        expect: "100-continue",
      },
    });
    expect(seen[0]?.headers).toMatchObject({ host: "api.example.com" });
    expect(seen[0]?.headers).not.toHaveProperty("transfer-encoding");
    expect(seen[0]?.headers).not.toHaveProperty("expect");
  });

  it("are unpacked", async () => {
    for (const [coding, packed] of [
      ["gzip", gzipSync("text")],
      ["br", brotliCompressSync("text")],
    ] as const) {
      answer = (_, response) => response.writeHead(200, { "content-encoding": coding }).end(packed);
      expect(await (await (await fetching())("http://api.example.com/")).text()).toBe("text");
    }
  });

  it("are bounded, as they come and unpacked", async () => {
    answer = (_, response) => {
      const more = () => {
        while (!response.destroyed && response.write("x".repeat(1000)));
      };
      response.on("drain", more);
      more();
    };
    await expect((await fetching())("http://api.example.com/")).rejects.toThrow("longer than 10000 bytes");
    answer = (_, response) =>
      response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("x".repeat(1e6)));
    await expect((await fetching())("http://api.example.com/")).rejects.toThrow("longer than 10000 bytes");
  });

  it("may have no body", async () => {
    answer = (_, response) => response.writeHead(204).end();
    expect((await (await fetching())("http://api.example.com/")).body).toBeNull();
  });

  it("end with their signal", async () => {
    const controller = new AbortController();
    answer = () => controller.abort(new Error("enough"));
    const sent = (await fetching())("http://api.example.com/", { signal: controller.signal });
    await expect(sent).rejects.toThrow("enough");
  });

  it("that fail are TypeErrors, as those of fetch", async () => {
    answer = (request) => request.socket.destroy();
    await expect((await fetching())("http://api.example.com/")).rejects.toThrow(TypeError);
  });
});
