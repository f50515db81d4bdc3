import { hash, randomBytes, randomInt } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { openLocalBlobs } from "../../../runtime/blobs/local/store.ts";
import { openSpool } from "../../../runtime/blobs/spool.ts";
import { systemClock } from "../../../runtime/clock.ts";
import { fileLedger } from "../../../runtime/documents/files/ledger.ts";
import { collections, fileCollections, readUsage } from "../../../runtime/documents/files/records.ts";
import { fileSweep } from "../../../runtime/files/sweep.ts";
import { silent } from "../../../runtime/http/testing/server.ts";
import { idGenerator } from "../../../runtime/ids.ts";
import { laneShape } from "../../../runtime/jobs/lanes.ts";
import { jobShape } from "../../../runtime/jobs/records.ts";
import { runJobs } from "../../../runtime/jobs/testing/run.ts";
import { isJsonObject, type JsonObject } from "../../../runtime/json.ts";
import { openStores } from "../../../runtime/store/engines.ts";
import type { StoreLocation } from "../../../runtime/store/location.ts";
import { programOf } from "../../program.ts";
import { Processes } from "../processes.ts";

export interface FileReport {
  /** Uploads and removals that were acknowledged. */
  readonly acknowledged: number;
  /** What is wrong; empty when all is well. */
  readonly problems: readonly string[];
}

const writers = 4;
/** Writes acknowledged between two kills, at least and at most. */
const WRITES = [5, 40] as const;
const hour = 3_600_000;

/**
 * Has clients upload, exchange and remove files while a server is killed with SIGKILL again and again, then judges what is
 * there: all that was acknowledged, whole, and after a sweep nothing that no document names.
 * @param place of the store; on a folder one server runs at a time, on a database two that share the files
 */
export async function crashFiles(
  place: { readonly setting: string; readonly location: StoreLocation; readonly realm: string },
  kills: number,
): Promise<FileReport> {
  const { setting, location, realm } = place;
  const data = mkdtempSync(join(tmpdir(), "realmc-crash-files-"));
  const environment = {
    ...process.env,
    HOST: "127.0.0.1",
    SVC_STORE: setting,
    SVC_DATA: data,
    SVC_KEYS: randomBytes(32).toString("base64"),
  };
  const script = await programOf("scripts/crash/files/server.ts");
  const processes = new Processes([script, realm], environment);
  const client = new Client(() => `${processes.anyUrl()}/v1/${realm}/main/papers`);
  try {
    await processes.start(setting.startsWith("sqlite:") ? 1 : 2);
    let goesOn = true;
    const written = Array.from({ length: writers }, () => client.write(() => goesOn));
    for (let kill = 0; kill < kills; kill += 1) {
      const enough = client.acknowledged + randomInt(...WRITES);
      while (client.acknowledged < enough) await setTimeout(2);
      await processes.replaceOne();
    }
    goesOn = false;
    await Promise.all(written);
    const problems = await client.problems();
    const named = await client.named();
    await processes.stop();
    const left = await swept(location, realm, join(data, "files", realm), named);
    return { acknowledged: client.acknowledged, problems: [...problems, ...left] };
  } finally {
    await processes.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

/** What is wrong after a sweep of long afterwards. @param named sizes of what documents name, by SHA-256 */
async function swept(
  location: StoreLocation,
  realm: string,
  folder: string,
  named: readonly { readonly sha256: string; readonly size: number }[],
): Promise<readonly string[]> {
  const later = { now: () => systemClock.now() + 30 * hour };
  const limits = { queryTime: 5_000, searchTime: 5_000, feedBytes: 2 ** 28 };
  const warn = () => undefined;
  const stores = await openStores({
    location,
    setting: "SVC_STORE",
    clock: later,
    ...limits,
    holder: "judge",
    warn,
  });
  try {
    const storage = { driver: { kind: "local" } } as const;
    const store = await stores.open(realm);
    await store.provision([...fileCollections({ storage }), jobShape, laneShape]);
    const spool = await openSpool(join(folder, "spool"));
    const blobs = await openLocalBlobs(folder, spool);
    const definition = {
      name: realm,
      origins: [],
      appConfig: {},
      effective: { realm: {}, databases: {} },
      collections: [],
      storage,
    };
    const jobs = { definition, store, clock: later, newId: idGenerator(later), log: silent };
    const sweep = fileSweep(fileLedger(store, storage, later.now), { blobs, spool, metrics: undefined });
    await runJobs(jobs, [sweep]);
    const wanted = new Set(named.map(({ sha256 }) => sha256));
    const problems: string[] = [];
    for await (const { key } of blobs.list())
      if (!wanted.delete(key)) problems.push(`bytes ${key} are left that nothing names`);
    for (const sha256 of wanted) problems.push(`bytes ${sha256} are gone that a document names`);
    const usage = await store.collection(collections.usage).get("realm", "live");
    const used = usage === undefined ? 0 : readUsage(usage).record.bytes;
    const bytes = named.reduce((sum, { size }) => sum + size, 0);
    if (used !== bytes) problems.push(`${used} bytes are counted, and ${bytes} named`);
    await blobs.close();
    return problems;
  } finally {
    await stores.close();
  }
}

/** Of a document what was acknowledged last: a file's SHA-256, or that there is none; undefined where nobody knows. */
type Known = string | "none" | undefined;

class Client {
  acknowledged = 0;
  readonly #base: () => string;
  readonly #known = new Map<string, Known>();
  readonly #problems: string[] = [];

  constructor(base: () => string) {
    this.#base = base;
  }

  /** Each writer has documents of its own. */
  async write(goesOn: () => boolean): Promise<void> {
    const own: string[] = [];
    while (goesOn()) {
      const id = own.length < 5 ? await this.#create() : own[randomInt(own.length)];
      if (id === undefined) continue;
      if (!own.includes(id)) own.push(id);
      const what = randomInt(8);
      if (what < 2) await this.#remove(id);
      else if (what < 5) await this.#upload(id);
      else await this.#resumable(id);
    }
  }

  async #create(): Promise<string | undefined> {
    const headers = { "content-type": "application/json" };
    const { body } = await this.#ask("", { method: "POST", headers, body: "{}" });
    if (typeof body["id"] !== "string") return undefined;
    this.#known.set(body["id"], "none");
    return body["id"];
  }

  async #upload(id: string): Promise<void> {
    const bytes = randomBytes(randomInt(1, 200_000));
    this.#known.set(id, undefined);
    const { status } = await this.#ask(`/${id}/_files/scan?replace=true`, {
      method: "POST",
      body: new Blob([bytes]),
    });
    if (status !== 201) return;
    this.#known.set(id, hash("sha256", bytes));
    this.acknowledged += 1;
  }

  /** In pieces, over kills: what was acknowledged of it is never sent again. */
  async #resumable(id: string): Promise<void> {
    const bytes = randomBytes(randomInt(1, 400_000));
    const tus = { "tus-resumable": "1.0.0" };
    const field = `/${id}/_files/scan/_tus`;
    const begun = await this.#ask(`${field}?replace=true`, {
      method: "POST",
      headers: { ...tus, "upload-length": String(bytes.length) },
    });
    if (begun.status !== 201) return;
    const upload = `${field}/${begun.headers?.get("location")?.split("/").at(-1)}`;
    this.#known.set(id, undefined);
    let acknowledged = 0;
    while (acknowledged < bytes.length) {
      const { status, headers } = await this.#ask(upload, { method: "HEAD", headers: tus });
      if (status !== 200) {
        if (status !== 0 && status !== 423 && status < 500) {
          this.#problems.push(`HEAD of an upload of ${id}: ${status}`);
          return;
        }
        await setTimeout(20);
        continue;
      }
      const offset = Number(headers?.get("upload-offset"));
      if (offset < acknowledged)
        this.#problems.push(`${acknowledged} bytes were acknowledged, and ${offset} are there`);
      acknowledged = offset;
      if (offset === bytes.length) break;
      const sent = await this.#ask(upload, {
        method: "PATCH",
        headers: {
          ...tus,
          "upload-offset": String(offset),
          "content-type": "application/offset+octet-stream",
        },
        body: new Blob([bytes.subarray(offset, offset + randomInt(1, 200_000))]),
      });
      if (sent.status === 204) acknowledged = Number(sent.headers?.get("upload-offset"));
    }
    this.#known.set(id, hash("sha256", bytes));
    this.acknowledged += 1;
  }

  async #remove(id: string): Promise<void> {
    const { body } = await this.#ask(`/${id}`, {});
    const { scan } = body;
    if (!isJsonObject(scan)) return;
    this.#known.set(id, undefined);
    const { status } = await this.#ask(`/${id}/_files/scan/${scan["id"]}`, { method: "DELETE" });
    if (status !== 204) return;
    this.#known.set(id, "none");
    this.acknowledged += 1;
  }

  /** What was acknowledged and is not so, and what is named and not there. */
  async problems(): Promise<readonly string[]> {
    const problems = [...this.#problems];
    for (const [id, known] of this.#known) {
      const { status, body } = await this.#ask(`/${id}`, {});
      if (status !== 200) {
        problems.push(`${id} is gone`);
        continue;
      }
      const { scan } = body;
      const has = isJsonObject(scan) ? String(scan["sha256"]) : "none";
      if (known !== undefined && known !== has)
        problems.push(`${id} has ${has}, and was acknowledged with ${known}`);
      if (!isJsonObject(scan)) continue;
      const response = await fetch(`${this.#base()}/${id}/_files/scan/${scan["id"]}`);
      const bytes = Buffer.from(await response.arrayBuffer());
      if (response.status !== 200 || hash("sha256", bytes) !== has)
        problems.push(`the file of ${id} cannot be read: ${response.status}`);
    }
    return problems;
  }

  /** What documents name now. */
  async named(): Promise<readonly { readonly sha256: string; readonly size: number }[]> {
    const named = [];
    for (const id of this.#known.keys()) {
      const { scan } = (await this.#ask(`/${id}`, {})).body;
      if (isJsonObject(scan)) named.push({ sha256: String(scan["sha256"]), size: Number(scan["size"]) });
    }
    return named;
  }

  /** Status 0 where there was no answer. */
  async #ask(
    path: string,
    init: RequestInit,
  ): Promise<{ readonly status: number; readonly body: JsonObject; readonly headers?: Headers }> {
    try {
      const response = await fetch(`${this.#base()}${path}`, init);
      const text = await response.text();
      const body: unknown = text === "" ? {} : JSON.parse(text);
      return { status: response.status, body: isJsonObject(body) ? body : {}, headers: response.headers };
    } catch {
      await setTimeout(5);
      return { status: 0, body: {} };
    }
  }
}
