/** Requests whose bodies, or answers, are files: sent over connections that stay, and counted rather than kept. */
import { Agent, type IncomingMessage, request as send } from "node:http";
import { cpuOf } from "../cpu.ts";
import type { MeasuredServer } from "../servers.ts";

/** Requests of one kind, to be sent to one server. */
export interface Load {
  readonly name: string;
  readonly connections: number;
  readonly amount: number;
  readonly status: number;
  /** Bytes that each brings, or is answered with. */
  readonly bytes: number;
  /** @param nth of the load */
  request(nth: number): FileRequest;
}

export interface FileRequest {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent one after the other. */
  readonly body?: readonly Uint8Array[];
}

export interface LoadMeasure {
  /** Microseconds of the server's processor time, of a request. */
  readonly cpu: number;
  /** Microseconds from its beginning to its end, over all requests: others are under way meanwhile. */
  readonly time: number;
}

/** Sends them all, as many at a time as there are connections. @throws Error for any other answer than the one awaited */
export async function measureLoad(server: MeasuredServer, load: Load): Promise<LoadMeasure> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.connections });
  const { amount } = load;
  let begun = 0;
  const connection = async () => {
    while (begun < amount) await one(server, agent, load, load.request(begun++));
  };
  try {
    const began = performance.now();
    let time = 0;
    const cpu = await cpuOf(server, async () => {
      await Promise.all(Array.from({ length: Math.min(load.connections, amount) }, connection));
      time = performance.now() - began;
    });
    return { cpu: cpu / amount, time: (time * 1000) / amount };
  } finally {
    agent.destroy();
  }
}

async function one(server: MeasuredServer, agent: Agent, load: Load, request: FileRequest): Promise<void> {
  const { status, bytes, text } = await sent(server, agent, request);
  const isWhole = request.method === "POST" || bytes === load.bytes;
  if (status !== load.status || !isWhole)
    throw new Error(`${server.name}, ${load.name}: answered ${status}, ${bytes} bytes ${text}`);
}

/** What is answered; its text where that is short. */
export function sent(
  server: MeasuredServer,
  agent: Agent,
  { method, path, headers, body = [] }: FileRequest,
): Promise<{ readonly status: number; readonly bytes: number; readonly text: string }> {
  const length = body.reduce((sum, { byteLength }) => sum + byteLength, 0);
  return new Promise((resolve, reject) => {
    const own = method === "POST" ? { "content-length": length } : {};
    const request = send(
      `${server.url}${path}`,
      { agent, method, headers: { ...server.headers, ...own, ...headers } },
      (response) => counted(response).then(resolve, reject),
    );
    request.on("error", reject);
    for (const piece of body) request.write(piece);
    request.end();
  });
}

function counted(response: IncomingMessage) {
  return new Promise<{ status: number; bytes: number; text: string }>((resolve, reject) => {
    let bytes = 0;
    let first: Buffer | undefined;
    response.on("data", (piece: Buffer) => {
      first ??= piece;
      bytes += piece.length;
    });
    response.on("error", reject);
    response.on("end", () => {
      const text = bytes < 2_000 ? (first?.toString() ?? "") : "";
      resolve({ status: response.statusCode ?? 0, bytes, text });
    });
  });
}
