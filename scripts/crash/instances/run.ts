import { execFile } from "node:child_process";
import { randomBytes, randomInt } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { programOf } from "../../program.ts";
import { Processes } from "../processes.ts";
import { Client, type Documents, type Fleet } from "./client.ts";
import { check, type Final, type History } from "./history.ts";

export interface InstancesReport {
  readonly kills: number;
  /** Requests whose answers said that something was written. */
  readonly acknowledged: number;
  /** What is wrong; empty when all is well. */
  readonly problems: readonly string[];
}

const clients = 8;

/** Writes acknowledged before each kill, beside those before the last one. */
const writesBefore = 20;

/**
 * Runs two servers on one store under load, kills one of them with SIGKILL again and again, and judges what clients
 * have seen by what is stored in the end.
 * @param uri of a MongoDB server
 * @param realm whose database (`svc-<realm>`) is written, and left to the caller
 */
export async function crashInstances(uri: string, realm: string, kills: number): Promise<InstancesReport> {
  const environment = {
    ...process.env,
    HOST: "127.0.0.1",
    SVC_STORE: uri,
    SVC_KEYS: randomBytes(32).toString("base64"),
  };
  const words = [await programOf("scripts/crash/instances/server.ts"), realm];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...words, "key", "create", "--realm", realm, "--name", "crash"],
    { env: environment },
  );
  const key = stdout.trim().split("\n").at(-1) ?? "";
  const fleet = new Processes(words, environment);
  try {
    await fleet.start(2);
    const base = `/v1/${realm}/main`;
    const documents = await prepare(fleet, base, key);
    const all = Array.from({ length: clients }, (_, at) => new Client(`c${at}`, fleet, base, key, documents));
    let over = false;
    const running = Promise.all(all.map((client) => client.run(() => !over)));
    for (let kill = 1; kill <= kills; kill += 1) {
      // However slow the machine is, a kill hits servers that are writing.
      while (acknowledged(historyOf(all)) < kill * writesBefore) await setTimeout(10);
      await setTimeout(randomInt(50, 600));
      await fleet.replaceOne();
    }
    over = true;
    await running;
    const history = historyOf(all);
    const problems = check(history, await final(fleet, base, key, documents));
    return { kills, acknowledged: acknowledged(history), problems };
  } finally {
    await fleet.stop();
  }
}

function historyOf(all: readonly Client[]): History {
  return {
    reads: all.flatMap(({ reads }) => reads),
    updates: all.flatMap(({ updates }) => updates),
    batches: all.flatMap(({ batches }) => batches),
    creates: all.flatMap(({ creates }) => creates),
  };
}

function acknowledged({ updates, batches, creates }: History): number {
  const done = [...updates, ...batches].filter(({ outcome }) => outcome === "done").length;
  return done + creates.filter(({ ids }) => ids.length > 0).length;
}

async function prepare(fleet: Fleet, base: string, key: string): Promise<Documents> {
  const ids: string[] = [];
  for (let at = 0; at < 6; at += 1) {
    const { id } = await request<{ id: string }>(fleet, "POST", `${base}/notes`, key, {
      value: "start",
      kind: "shared",
    });
    ids.push(id);
  }
  return { single: ids.slice(0, 3), group: ids.slice(3) };
}

async function final(fleet: Fleet, base: string, key: string, { single, group }: Documents): Promise<Final> {
  const shared = await allOf(fleet, base, key, "shared");
  if (shared.length !== single.length + group.length) throw new Error("shared documents are missing");
  return { shared, group, created: await allOf(fleet, base, key, "created") };
}

interface Note {
  readonly id: string;
  readonly value: string;
  readonly version: number;
}

async function allOf(fleet: Fleet, base: string, key: string, kind: string): Promise<readonly Note[]> {
  const found: Note[] = [];
  const where = encodeURIComponent(JSON.stringify({ kind }));
  for (let after = ""; ; ) {
    const page: {
      items: { id: string; value: string; _meta: { version: number } }[];
      next_cursor?: string;
    } = await request(fleet, "GET", `${base}/notes?limit=100&where=${where}${after}`, key);
    found.push(...page.items.map(({ id, value, _meta }) => ({ id, value, version: _meta.version })));
    if (page.next_cursor === undefined) return found;
    after = `&after=${encodeURIComponent(page.next_cursor)}`;
  }
}

async function request<T>(
  fleet: Fleet,
  method: string,
  path: string,
  key: string,
  body?: object,
): Promise<T> {
  const answer = await fetch(fleet.anyUrl() + path, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status} ${text}`);
  return JSON.parse(text);
}
