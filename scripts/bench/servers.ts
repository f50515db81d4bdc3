import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { MeasuredRealm, Place } from "./place.ts";

/** A server under measurement, in a process of its own. */
export interface MeasuredServer {
  readonly name: string;
  readonly url: string;
  /** In paths. */
  readonly realm: string;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Processor time in microseconds and resident memory in bytes, of the whole process so far. */
  usage(): Promise<Usage>;
  /** The same after garbage was collected, of a server that lets others ask for that. */
  collected(): Promise<Usage>;
  stop(): Promise<void>;
}

export interface Usage {
  readonly cpu: number;
  readonly rss: number;
}

/** Ends the names of servers with sessions and rules. */
export const RULES = ", rules";

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const probe = ["--import", new URL("probe.mjs", import.meta.url).href];

export async function startHello(): Promise<MeasuredServer> {
  const child = fork(here("hello.mjs"), [], { execArgv: probe });
  return measured("bare Fastify", child, await announced(child), "open", "open");
}

export async function startHandwritten(place: Place, realm: MeasuredRealm): Promise<MeasuredServer> {
  const [script, ...args] = place.handwritten(realm);
  const child = fork(here(script), [...args, here("config/open/shop/items/schema.json")], {
    execArgv: probe,
  });
  return measured(place.byHand, child, await announced(child), realm, realm);
}

/** A server that holds streams, and writes frames to as many of them as it is told. */
export interface BareStreams extends MeasuredServer {
  write(frame: string, streams: number): void;
}

export async function startBareStreams(): Promise<BareStreams> {
  const child = fork(here("realtime/bare.mjs"), [], { execArgv: [...probe, "--expose-gc"] });
  const server = await measured("bare node:http", child, await announced(child), "realtime", "realtime");
  return {
    ...server,
    write: (frame, streams) => child.send({ frame, streams }),
  };
}

/** The bundle serves every realm; each is measured in a process of its own. */
export async function startGenerated(
  bundle: string,
  place: Place,
  realm: MeasuredRealm,
  more: { readonly environment?: NodeJS.ProcessEnv; readonly options?: readonly string[] } = {},
): Promise<MeasuredServer> {
  const port = await freePort();
  const child = fork(join(bundle, "server.mjs"), [], {
    execArgv: [...probe, ...(more.options ?? [])],
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: {
      ...process.env,
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      PORT: String(port),
      // Of the files of one realm: without it no process of the bundle starts.
      SVC_MAX_UPLOAD_BYTES: "2GiB",
      ...place.environment(realm),
      ...more.environment,
    },
  });
  const url = `http://127.0.0.1:${port}`;
  await ready(url, child);
  return measured("generated", child, url, realm, place.nameOf(realm));
}

/** Milliseconds in which a server is ready, on a machine that has much else to do. */
const patience = 60_000;

/** Waits until `/readyz` answers 200. Rejects, with what the process wrote to a piped stderr, where it ends before. */
export async function ready(url: string, child: ChildProcess): Promise<void> {
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    process.stderr.write(text);
  });
  for (const until = performance.now() + patience; performance.now() < until; ) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.status === 200) return;
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`the server ended (${child.signalCode ?? `exit code ${child.exitCode}`}): ${output}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`${url} did not become ready in ${patience / 1_000} seconds: ${output}`);
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

async function session(url: string, realm: string): Promise<string> {
  const answer = await fetch(`${url}/v1/${realm}/_auth/signup`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ email: "bench@example.com", password: "correct horse battery" }),
  });
  const body: unknown = await answer.json();
  const token = isRecord(body) && isRecord(body["session"]) ? body["session"]["token"] : undefined;
  if (typeof token !== "string") throw new Error(`sign-up answered ${answer.status}`);
  return token;
}

async function announced(child: ChildProcess): Promise<string> {
  const [message] = await once(child, "message");
  if (!isRecord(message) || typeof message["ready"] !== "string") throw new Error("the server did not start");
  return message["ready"];
}

/** @param name the realm's in paths */
async function measured(
  server: string,
  child: ChildProcess,
  url: string,
  realm: MeasuredRealm,
  name: string,
): Promise<MeasuredServer> {
  const signedIn = realm === "guarded" || realm === "checked" || realm === "keys";
  return {
    name: realm === "guarded" ? server + RULES : server,
    url,
    realm: name,
    headers: signedIn ? { authorization: `Bearer ${await session(url, name)}` } : {},
    usage: () => usageOf(child, "usage"),
    collected: () => usageOf(child, "collect"),
    async stop() {
      if (child.exitCode !== null) return;
      const exit = once(child, "exit");
      child.kill("SIGTERM");
      await exit;
    },
  };
}

async function usageOf(child: ChildProcess, asked: "usage" | "collect"): Promise<Usage> {
  const answer = once(child, "message");
  child.send(asked);
  const [message] = await answer;
  const usage = isRecord(message) ? message["usage"] : undefined;
  if (!isRecord(usage)) throw new Error("a server does not answer its probe");
  return { cpu: Number(usage["cpu"]), rss: Number(usage["rss"]) };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}
