/** The drill of docs/backup.md, with real processes: they are killed with SIGKILL, as a machine that fails does. */
import { type ChildProcess, spawn } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { programOf } from "../../../scripts/program.ts";
import { isEmbedded } from "../../store/testing/stores.ts";
import { untilHolds } from "../../testing/until.ts";
import { startNode, urlOf } from "../testing/process.ts";
import { readManifest } from "./manifest.ts";
import { BackupPlace, put, some } from "./testing/place.ts";

const program = await programOf("runtime/instance/testing/fixture-files-process.ts");

let place: BackupPlace;
beforeEach(() => {
  place = new BackupPlace();
});
afterEach(() => place.discard());

const backupWords = () => ["backup", "--store", `sqlite:${place.store}`, "--to", place.backup];
const restoreWords = () => ["restore", "--from", place.backup, "--to", `sqlite:${place.path("restored")}`];

function started(words: readonly string[]): ChildProcess {
  return spawn(process.execPath, [program, place.realm, ...words], { stdio: "ignore" });
}

async function served(folder: string) {
  const at = {
    setting: `sqlite:${folder}`,
    realm: place.realm,
    location: { engine: "sqlite", folder },
  } as const;
  const server = startNode([program, place.realm], {
    ...at,
    bytes: async () => Buffer.alloc(0),
    discard: async () => undefined,
  });
  return { server, url: await urlOf(server) };
}

// Of the embedded engine, whatever the tests run on.
describe.runIf(isEmbedded)("the drill", () => {
  it("a server under load, a backup, kill -9 and a lost disk: all that was acknowledged before the backup is back", async () => {
    const { server, url } = await served(place.store);
    const acknowledged: { readonly id: string; readonly n: number; readonly sha256: string }[] = [];
    const running = { on: true };
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = writer; running.on; n += 4) {
        const bytes = some(500 + n);
        const id = await put({ url }, place.realm, { n }, bytes);
        acknowledged.push({ id, n, sha256: hash("sha256", bytes) });
      }
    });
    await untilHolds(() => acknowledged.length >= 40, { limit: 60_000 });
    const before = [...acknowledged];
    const [code] = await once(started(backupWords()), "exit");
    expect(code).toBe(0);
    running.on = false;
    await Promise.all(writers);
    server.child.kill("SIGKILL");
    await server.ended;
    rmSync(place.store, { recursive: true });

    expect(await place.restore("restored")).toMatchObject({ code: 0 });
    const restored = place.path("restored");
    expect(await place.verify(`sqlite:${restored}`)).toMatchObject({ code: 0 });
    const again = await served(restored);
    const path = `${again.url}/v1/${place.realm}/main/papers`;
    for (const { id, n, sha256 } of before) {
      const document: { readonly n: number; readonly scan: readonly { readonly id: string }[] } = JSON.parse(
        await (await fetch(`${path}/${id}`)).text(),
      );
      expect(document.n).toBe(n);
      const file = await fetch(`${path}/${id}/_files/scan/${document.scan[0]?.id}`);
      expect(hash("sha256", Buffer.from(await file.arrayBuffer()))).toBe(sha256);
    }
    again.server.child.kill("SIGKILL");
    await again.server.ended;
  }, 120_000);

  it("backups and restores that are killed anywhere leave the backup before, and go on", async () => {
    let moment = 0;
    /** Kills it a while after it has begun: it takes its folder first. */
    const killed = async (words: readonly string[], folder: string) => {
      const child = started(words);
      const ended = once(child, "exit");
      const holder = join(folder, "lock.holder");
      const hasBegun = () =>
        existsSync(holder) && readFileSync(holder, "utf8").includes(`process ${child.pid} `);
      await untilHolds(() => child.exitCode !== null || hasBegun(), { limit: 60_000, interval: 2 });
      moment = (moment + 37) % 300;
      await setTimeout(moment);
      child.kill("SIGKILL");
      await ended;
    };
    const change = (round: number) =>
      place.serving(place.store, async (server) => {
        const papers = server.store(place.realm).collection("main.papers");
        const text = (id: string) => JSON.stringify({ id, round, text: "x".repeat(2_000) });
        const ids = Array.from({ length: 1_000 }, (_, n) => `i${n}`);
        await papers.load(ids.map((id) => ({ id, version: 1, createdAt: 0, text: text(id) })));
        await put(server, place.realm, { round }, some(50_000));
      });
    const stored = new Map<number, readonly string[]>();
    for (let round = 1; round <= 2; round += 1) {
      await change(round);
      stored.set(round, await place.documents(place.store));
      for (let kill = 0; kill < 3; kill += 1) {
        await killed(backupWords(), place.backup);
        const manifest = await readManifest(place.backup);
        if ((manifest?.taken_at ?? null) === null) continue;
        expect(await place.restore("tried")).toMatchObject({ code: 0 });
        const found = await place.documents(place.path("tried"));
        expect([stored.get(round), stored.get(round - 1)]).toContainEqual(found);
        rmSync(place.path("tried"), { recursive: true });
      }
      expect(await place.backUp()).toMatchObject({ code: 0 });
      expect(await place.verify(place.backup)).toMatchObject({ code: 0 });
      await killed(restoreWords(), place.path("restored"));
      // Either it was done, or nothing but the same command has the folder.
      const isDone =
        existsSync(place.path("restored/shop.sqlite")) && !existsSync(place.path("restored/restore.json"));
      if (!isDone) expect(await place.restore("restored")).toMatchObject({ code: 0 });
      expect(await place.documents(place.path("restored"))).toEqual(stored.get(round));
      rmSync(place.path("restored"), { recursive: true });
    }
  }, 120_000);
});
