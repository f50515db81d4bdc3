import { Agent, request } from "node:http";
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

  /** Answers its id. */
  create(channel: string): Promise<string> {
    const { url, realm } = this.#server;
    const text = JSON.stringify({
      channel,
      public: true,
      sent: performance.timeOrigin + performance.now(),
      title: "The printer on the second floor jams",
      body: "whenever somebody prints more than ten pages at a time. ".repeat(5),
    });
    return new Promise((resolve, reject) => {
      const sent = request(`${url}/v1/${realm}/live/items`, {
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
          if (statusCode === 201) resolve(headers.location?.split("/").at(-1) ?? "");
          else reject(new Error(`a create answered ${statusCode}`));
        });
      });
      sent.once("error", reject);
      sent.end(text);
    });
  }
}
