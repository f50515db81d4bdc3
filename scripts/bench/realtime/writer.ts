import { Agent, type IncomingHttpHeaders, request } from "node:http";
import type { MeasuredServer } from "../servers.ts";

/** Creates documents that streams are told of. */
export class Writer {
  readonly #server: MeasuredServer;
  readonly #token: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 128 });

  constructor(server: MeasuredServer, token: string) {
    this.#server = server;
    this.#token = token;
  }

  /** So many documents of a channel, each when the one before is stored. */
  async oneByOne(count: number, channel: string): Promise<void> {
    for (let n = 0; n < count; n += 1) await this.create(channel);
  }

  /** So many a second, whether those before are stored or not. @param channelOf of a document by its number */
  async atRate(perSecond: number, seconds: number, channelOf: (at: number) => string): Promise<void> {
    const began = performance.now();
    const all: Promise<string>[] = [];
    for (let sent = 0; sent < perSecond * seconds; ) {
      const due = Math.min(perSecond * seconds, ((performance.now() - began) / 1000) * perSecond);
      for (; sent < due; sent += 1) all.push(this.create(channelOf(sent)));
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await Promise.all(all);
  }

  /** So many documents of a channel, a hundred at a time. */
  async batches(count: number, channel: string): Promise<void> {
    for (let left = count; left > 0; left -= 100) {
      const operations = Array.from({ length: Math.min(left, 100) }, () => ({
        op: "create",
        collection: "items",
        document: documentOf(channel),
      }));
      await this.#post("_batch", 200, JSON.stringify({ operations }));
    }
  }

  /** Answers its id. */
  async create(channel: string): Promise<string> {
    const { location } = await this.#post("items", 201, JSON.stringify(documentOf(channel)));
    return location?.split("/").at(-1) ?? "";
  }

  #post(to: string, status: number, text: string): Promise<IncomingHttpHeaders> {
    const { url, realm } = this.#server;
    return new Promise((resolve, reject) => {
      const sent = request(`${url}/v1/${realm}/live/${to}`, {
        method: "POST",
        agent: this.#agent,
        headers: {
          "content-type": "application/json",
          "content-length": Buffer.byteLength(text),
          authorization: `Bearer ${this.#token}`,
        },
      });
      sent.once("response", (response) => {
        const { statusCode, headers } = response;
        response.resume();
        response.once("end", () => {
          if (statusCode === status) resolve(headers);
          else reject(new Error(`a write answered ${statusCode}`));
        });
      });
      sent.once("error", reject);
      sent.end(text);
    });
  }
}

function documentOf(channel: string): object {
  return {
    channel,
    public: true,
    sent: performance.timeOrigin + performance.now(),
    title: "The printer on the second floor jams",
    body: "whenever somebody prints more than ten pages at a time. ".repeat(5),
  };
}
