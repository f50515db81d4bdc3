import { randomBytes, randomInt } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { isJsonObject, type JsonObject, objectIn } from "../../../runtime/json.ts";
import { fillBeforeMigrations } from "../../before-migrations.ts";
import { programOf } from "../../program.ts";
import { Processes } from "../processes.ts";
import { type Person, type Update, wrongIn } from "./judge.ts";
import { oldPerson, people } from "./people.ts";

export interface MigrationReport {
  /** Kills that came while documents were to be migrated yet. */
  readonly during: number;
  /** Updates that were acknowledged. */
  readonly acknowledged: number;
  readonly documents: number;
  /** What is wrong; empty when all is well. */
  readonly problems: readonly string[];
}

const writers = 4;
/** Documents to each kill, and how many of them are migrated a second: more than between two kills. */
const FEW = { perKill: 1_500, rate: 1_000 };
/** Milliseconds from a server's being ready to its end; the longest where documents are few. */
const LIFE = [50, 500] as const;
/** Milliseconds within which a dead process's migration is taken over, and done. */
const patience = 240_000;
/** Documents of which migrations and reads are done in a millisecond by a machine that has much else to do. */
const SLOWEST = 0.5;

/**
 * Fills a store as it was before any migration, has servers migrate it while clients update its documents, kills a server
 * with SIGKILL again and again, and judges every document.
 * @param setting `SVC_STORE`; on a folder one server runs at a time, on a database two
 * @param documents migrated as fast as they can be; default: few, and slowly
 */
export async function crashMigrations(
  setting: string,
  realm: string,
  kills: number,
  documents?: number,
): Promise<MigrationReport> {
  const length = documents ?? kills * FEW.perKill;
  const longest = Math.max(LIFE[1], length / kills / 10);
  const ids = Array.from({ length }, (_, at) => `p${String(at).padStart(7, "0")}`);
  await fillBeforeMigrations(setting, realm, people(realm), ids.map(oldPerson));
  const environment = {
    ...process.env,
    HOST: "127.0.0.1",
    SVC_STORE: setting,
    SVC_QUERY_TIME: "55s",
    SVC_KEYS: randomBytes(32).toString("base64"),
  };
  const script = await programOf("scripts/crash/migrations/server.ts");
  const rate = documents === undefined ? [String(FEW.rate)] : [];
  const processes = new Processes([script, realm, ...rate], environment);
  const client = new Client(() => `${processes.anyUrl()}/v1/${realm}/main/people`, ids);
  let during = 0;
  try {
    await processes.start(setting.startsWith("sqlite:") ? 1 : 2);
    let goesOn = true;
    const written = Array.from({ length: writers }, () => client.write(() => goesOn));
    for (let kill = 0; kill < kills; kill += 1) {
      await setTimeout(randomInt(LIFE[0], Math.ceil(longest)));
      if (await client.isPending()) during += 1;
      await processes.replaceOne();
    }
    for (const until = performance.now() + patience + length / SLOWEST; await client.isPending(); ) {
      if (performance.now() > until) throw new Error("documents are never migrated");
      await setTimeout(50 + length / 1_000);
    }
    goesOn = false;
    await Promise.all(written);
    const problems = wrongIn(ids, client.updates, await client.all());
    const acknowledged = client.updates.filter(({ version }) => version !== undefined).length;
    return { during, acknowledged, documents: ids.length, problems };
  } finally {
    await processes.stop();
  }
}

/** Updates documents, those that are migrated and those that are not, and remembers what it sent. */
class Client {
  readonly updates: Update[] = [];
  readonly #url: () => string;
  readonly #ids: readonly string[];
  #serial = 0;

  constructor(url: () => string, ids: readonly string[]) {
    this.#url = url;
    this.#ids = ids;
  }

  async write(goesOn: () => boolean): Promise<void> {
    while (goesOn()) {
      // Few of them are written often, the others once.
      const at = randomInt(2) === 0 ? randomInt(20) : randomInt(this.#ids.length);
      await this.#update(this.#ids[at] ?? "");
      await setTimeout(1);
    }
  }

  async #update(id: string): Promise<void> {
    this.#serial += 1;
    const serial = this.#serial;
    const headers = { "content-type": "application/merge-patch+json" };
    try {
      const answer = await fetch(`${this.#url()}/${id}`, {
        method: "PATCH",
        headers,
        body: JSON.stringify({ serial }),
      });
      const body = objectIn(await answer.text()) ?? {};
      if (answer.status === 503) return;
      if (answer.status !== 200) throw new Refused(`${id} answered ${answer.status}`);
      this.updates.push({ id, serial, version: personIn(body).version });
    } catch (error) {
      if (error instanceof Refused) throw error;
      // The server was killed.
      this.updates.push({ id, serial });
      await setTimeout(10);
    }
  }

  /** Whether documents are stored that no migration has met. */
  async isPending(): Promise<boolean> {
    const where = encodeURIComponent(JSON.stringify({ name: { $notNull: true } }));
    try {
      const answer = await fetch(`${this.#url()}?limit=1&where=${where}`);
      const items = objectIn(await answer.text())?.["items"];
      if (Array.isArray(items)) return items.length > 0;
      if (answer.status !== 503) throw new Refused(`the list answered ${answer.status}`);
    } catch (error) {
      if (error instanceof Refused) throw error;
    }
    return true;
  }

  async all(): Promise<readonly Person[]> {
    const found: Person[] = [];
    for (let after = ""; ; ) {
      const answer = await fetch(`${this.#url()}?limit=100&order_by=id${after}`);
      const { items, next_cursor: next } = objectIn(await answer.text()) ?? {};
      if (!Array.isArray(items)) throw new Error(`no page: ${answer.status}`);
      found.push(...items.filter(isJsonObject).map(personIn));
      if (typeof next !== "string") return found;
      after = `&after=${encodeURIComponent(next)}`;
    }
  }
}

class Refused extends Error {}

function personIn({ _meta: meta, ...members }: JsonObject): Person {
  const version = isJsonObject(meta) ? Number(meta["version"]) : 0;
  return { ...members, id: String(members["id"]), version };
}
