import { randomBytes, randomInt } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { placeOf } from "../../../runtime/blobs/local/places.ts";
import type { StoreLocation } from "../../../runtime/store/location.ts";
import { programOf } from "../../program.ts";
import { Processes } from "../processes.ts";
import { Client } from "./client.ts";
import { fastSince, SINCE } from "./fast-clock.ts";
import { swept } from "./judge.ts";

export interface FileReport {
  /** What was acknowledged, and how often. */
  readonly acknowledged: Client["acknowledged"];
  readonly total: number;
  /** Acknowledged contents that servers had removed, under the kills. */
  readonly swept: number;
  /** What is wrong; empty when all is well. */
  readonly problems: readonly string[];
}

const writers = 4;
/** Writes acknowledged between two kills, at least and at most. */
const WRITES = [3, 40] as const;
const hour = 3_600_000;

/**
 * Has clients upload, exchange and remove files, send some past the documents' routes, and delete documents, while a server
 * that sweeps every second is killed with SIGKILL again and again; then judges what is there: all that was acknowledged,
 * whole, and after a sweep nothing that no document names.
 * @param place of the store; on a folder one server runs at a time, on a database two that share the files
 */
export async function crashFiles(
  place: { readonly setting: string; readonly location: StoreLocation; readonly realm: string },
  kills: number,
): Promise<FileReport> {
  const { setting, location, realm } = place;
  const data = mkdtempSync(join(tmpdir(), "realmc-crash-files-"));
  const since = Date.now();
  const environment = {
    ...process.env,
    HOST: "127.0.0.1",
    SVC_STORE: setting,
    SVC_DATA: data,
    SVC_KEYS: randomBytes(32).toString("base64"),
    [SINCE]: String(since),
  };
  const script = await programOf("scripts/crash/files/server.ts");
  const processes = new Processes([script, realm], environment);
  const client = new Client(() => `${processes.anyUrl()}/v1/${realm}/main/papers`);
  try {
    await processes.start(setting.startsWith("sqlite:") ? 1 : 2);
    let goesOn = true;
    const written = Array.from({ length: writers }, () => client.write(() => goesOn));
    const folder = join(data, "files", realm);
    // Servers that live as briefly as these sweep when they start.
    for (let kill = 0; kill < kills || gone(folder, client.contents) === 0; kill += 1) {
      const enough = client.total + randomInt(...WRITES);
      while (client.total < enough) await setTimeout(2);
      await processes.replaceOne();
    }
    goesOn = false;
    await Promise.all(written);
    const { problems, named } = await client.judged();
    await processes.stop();
    const removed = gone(folder, client.contents);
    const fast = fastSince(since);
    const clock = { now: () => fast() + 30 * hour };
    const left = await swept({ location, realm, folder, clock }, named);
    const { acknowledged, total } = client;
    return { acknowledged, total, swept: removed, problems: [...problems, ...left] };
  } finally {
    await processes.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

/** How many contents lie in a folder no longer. */
function gone(folder: string, contents: ReadonlySet<string>): number {
  return [...contents].filter((sha256) => !existsSync(placeOf(folder, sha256).path)).length;
}
