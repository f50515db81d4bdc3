import { Agent, request } from "node:http";
import type { MeasuredServer } from "../servers.ts";

export interface Answered {
  readonly text: string;
  /** Milliseconds. */
  readonly time: number;
}

/** Sends requests to the database of a server, whose connections stay open. */
export class Sender {
  readonly #server: MeasuredServer;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(server: MeasuredServer) {
    this.#server = server;
  }

  get(path: string): Promise<Answered> {
    return this.#send("GET", path);
  }

  post(path: string, body: object): Promise<Answered> {
    return this.#send("POST", path, JSON.stringify(body));
  }

  patch(path: string, body: object): Promise<Answered> {
    return this.#send("PATCH", path, JSON.stringify(body));
  }

  /** Receipts that are stored. */
  async receipts(): Promise<number> {
    const { text } = await this.get("receipts?limit=1&count=true");
    const { total }: { total: number } = JSON.parse(text);
    return total;
  }

  /** Resolves when so many receipts are stored. */
  async untilReceipts(count: number, every: number): Promise<void> {
    for (let left = 120_000; left > 0; left -= every) {
      if ((await this.receipts()) >= count) return;
      await new Promise((resolve) => setTimeout(resolve, every));
    }
    throw new Error(`${this.#server.name}: ${await this.receipts()} of ${count} receipts after two minutes`);
  }

  /** Sends so many a second, whether those before are answered or not, until `isOver` says so of their number; answers their times. */
  async atRate(
    perSecond: number,
    isOver: (sent: number) => boolean,
    send: (at: number) => Promise<Answered>,
  ): Promise<readonly number[]> {
    const began = performance.now();
    const all: Promise<Answered>[] = [];
    while (!isOver(all.length)) {
      const due = ((performance.now() - began) / 1000) * perSecond;
      while (all.length < due && !isOver(all.length)) all.push(send(all.length));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return (await Promise.all(all)).map(({ time }) => time);
  }

  close(): void {
    this.#agent.destroy();
  }

  #send(method: string, path: string, body = ""): Promise<Answered> {
    const { url, realm, name } = this.#server;
    const began = performance.now();
    return new Promise((resolve, reject) => {
      const sent = request(`${url}/v1/${realm}/shop/${path}`, {
        method,
        agent: this.#agent,
        headers: {
          ...(body !== "" && {
            "content-type": method === "PATCH" ? "application/merge-patch+json" : "application/json",
            "content-length": Buffer.byteLength(body),
          }),
        },
      });
      sent.once("response", (response) => {
        const pieces: Buffer[] = [];
        response.on("data", (piece: Buffer) => pieces.push(piece));
        response.once("error", reject);
        response.once("end", () => {
          const text = Buffer.concat(pieces).toString();
          const { statusCode = 0 } = response;
          if (statusCode < 300) resolve({ text, time: performance.now() - began });
          else reject(new Error(`${name}, ${path}: ${statusCode} ${text.slice(0, 300)}`));
        });
      });
      sent.once("error", reject);
      sent.end(body);
    });
  }
}
