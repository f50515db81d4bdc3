import { MongoClient } from "mongodb";

/** What a change stream of the bare driver tells of new documents that say when they were sent, and when. */
export class Changes {
  readonly #client: MongoClient;
  readonly #reading: Promise<void>;
  #latencies: number[] = [];
  #told = () => {};

  /** @param collection of which it tells; absent: of all */
  static async watch(uri: string, database: string, collection?: string): Promise<Changes> {
    const client = new MongoClient(uri);
    await client.connect();
    return new Changes(client, database, collection);
  }

  private constructor(client: MongoClient, database: string, collection: string | undefined) {
    this.#client = client;
    const stream = client.db(database).watch([{ $match: { operationType: "insert" } }]);
    this.#reading = (async () => {
      for await (const change of stream) {
        if (change.operationType === "insert" && collection !== undefined && change.ns.coll !== collection)
          continue;
        const sent = change.operationType === "insert" ? change.fullDocument["sent"] : undefined;
        if (typeof sent !== "number") continue;
        this.#latencies.push(performance.timeOrigin + performance.now() - sent);
        this.#told();
      }
    })().catch(() => undefined);
  }

  /** Resolves when so many were told since the last call. */
  async take(count: number): Promise<{ readonly p50: number; readonly p99: number }> {
    while (this.#latencies.length < count) await new Promise<void>((resolve) => (this.#told = resolve));
    const latencies = this.#latencies.sort((a, b) => a - b);
    this.#latencies = [];
    const part = (share: number) => latencies[Math.floor(latencies.length * share)] ?? Number.NaN;
    return { p50: part(0.5), p99: part(0.99) };
  }

  async stop(): Promise<void> {
    await this.#client.close();
    await this.#reading;
  }
}
