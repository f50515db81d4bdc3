import { randomBytes, randomInt } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { isJsonObject, type JsonObject } from "../../../runtime/json.ts";
import { programOf } from "../../program.ts";
import { Processes } from "../processes.ts";
import { type Stored, unlike } from "./judge.ts";

export interface FunctionReport {
  /** Writes that were acknowledged. */
  readonly acknowledged: number;
  /** Changes that the handler has counted. */
  readonly counted: number;
  /** What is wrong; empty when all is well. */
  readonly problems: readonly string[];
}

const writers = 4;
/** Documents that writers share at a time. */
const documents = 12;
/** Writes acknowledged between two kills, at least and at most. */
const WRITES = [20, 120] as const;
/** Milliseconds after the last write by which everything has to be told, also what a killed process has claimed. */
const patience = 180_000;

/**
 * Has clients write to a collection whose changes have a handler run, kills a server with SIGKILL again and again, and
 * judges what the handler has counted.
 * @param setting `SVC_STORE`; on a folder one server runs at a time, on a database two
 */
export async function crashFunctions(setting: string, realm: string, kills: number): Promise<FunctionReport> {
  const environment = {
    ...process.env,
    HOST: "127.0.0.1",
    SVC_STORE: setting,
    SVC_KEYS: randomBytes(32).toString("base64"),
  };
  const script = await programOf("scripts/crash/functions/server.ts");
  const processes = new Processes([script, realm], environment);
  const client = new Client(() => `${processes.anyUrl()}/v1/${realm}/main`);
  try {
    await processes.start(setting.startsWith("sqlite:") ? 1 : 2);
    let goesOn = true;
    const written = Array.from({ length: writers }, () => client.write(() => goesOn));
    for (let kill = 0; kill < kills; kill += 1) {
      const enough = client.acknowledged.length + randomInt(...WRITES);
      while (client.acknowledged.length < enough) await setTimeout(5);
      await processes.replaceOne();
    }
    goesOn = false;
    await Promise.all(written);
    return await settled(client);
  } finally {
    await processes.stop();
  }
}

async function settled(client: Client): Promise<FunctionReport> {
  const { acknowledged } = client;
  for (const until = performance.now() + patience; ; ) {
    const stored: Stored = { things: await client.all("things"), counts: await client.all("counts") };
    const problems = unlike(acknowledged, stored);
    const counted = stored.counts.reduce((sum, { count }) => sum + Number(count), 0);
    if (problems.length === 0 || performance.now() > until)
      return { acknowledged: acknowledged.length, counted, problems };
    await setTimeout(200);
  }
}

/** Writes to documents that all of its writers share, and remembers what was acknowledged. */
class Client {
  /** Documents as they were answered; of those that were deleted the id alone. */
  readonly acknowledged: JsonObject[] = [];
  readonly #url: () => string;
  #ids: string[] = [];

  constructor(url: () => string) {
    this.#url = url;
  }

  async write(goesOn: () => boolean): Promise<void> {
    for (let serial = 0; goesOn(); serial += 1) {
      const id = this.#ids[randomInt(documents)];
      if (id === undefined) await this.#create(serial);
      else if (randomInt(12) === 0) await this.#remove(id);
      else await this.#send("PATCH", `things/${id}`, { serial });
    }
  }

  async #create(serial: number): Promise<void> {
    const made = await this.#send("POST", "things", { serial });
    if (typeof made?.["id"] === "string") this.#ids.push(made["id"]);
  }

  async #remove(id: string): Promise<void> {
    this.#ids = this.#ids.filter((known) => known !== id);
    await this.#send("DELETE", `things/${id}`);
  }

  /** All of a collection, page by page. */
  async all(name: string): Promise<readonly JsonObject[]> {
    const found: JsonObject[] = [];
    for (let after = ""; ; ) {
      const query = `limit=100&order_by=id${after === "" ? "" : `&after=${after}`}`;
      const answer = await fetch(`${this.#url()}/${name}?${query}`);
      const page: unknown = await answer.json();
      if (!isJsonObject(page) || !Array.isArray(page["items"])) throw new Error(`no page: ${answer.status}`);
      found.push(...page["items"].filter(isJsonObject));
      if (page["has_more"] !== true) return found;
      after = String(found.at(-1)?.["id"]);
    }
  }

  /** What is answered to a write that was made; undefined of one that was not, and of one of which nobody knows. */
  async #send(method: string, path: string, body?: JsonObject): Promise<JsonObject | undefined> {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    try {
      const answer = await fetch(`${this.#url()}/${path}`, {
        method,
        ...(body !== undefined && { headers: { "content-type": type }, body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      if (answer.status >= 300) return undefined;
      const made: unknown = text === "" ? { id: path.split("/").at(-1) ?? "" } : JSON.parse(text);
      if (!isJsonObject(made)) throw new Error("no document");
      this.acknowledged.push(made);
      return made;
    } catch {
      // The server was killed.
      await setTimeout(10);
      return undefined;
    }
  }
}
