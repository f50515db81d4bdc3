import { type ChildProcess, spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createInterface } from "node:readline";
import type { Store } from "../../../runtime/store/contract/store.ts";
import { programOf } from "../../program.ts";
import { judge } from "./judge.ts";
import { consume, followed, openStore, type Seen, seen } from "./setting.ts";

export interface FeedReport {
  /** Writes acknowledged before the kills. */
  readonly acknowledged: number;
  /** Changes that the consumer wrote down. */
  readonly seen: number;
  /** What is wrong; empty when all is well. */
  readonly problems: readonly string[];
}

/** Writes acknowledged between two kills, at least and at most. */
const WRITES = [20, 120] as const;

/**
 * Has processes write to followed collections, each with the same durable consumer beside, kills one of them with SIGKILL
 * again and again, and judges what the consumer has written down.
 * @param setting `SVC_STORE`; on a folder one process runs at a time, on a database two
 */
export async function crashFeed(setting: string, realm: string, kills: number): Promise<FeedReport> {
  const script = await programOf("scripts/crash/feed/program.ts");
  const acknowledged: string[] = [];
  let told = () => {};
  let started = 0;
  const start = (): ChildProcess => {
    started += 1;
    const words = [script, setting, realm, `p${started}`];
    const child = spawn(process.execPath, words, { stdio: ["ignore", "pipe", "inherit"] });
    createInterface({ input: child.stdout }).on("line", (line) => {
      acknowledged.push(line);
      told();
    });
    child.once("exit", () => told());
    return child;
  };
  // The consumer begins where it is first opened: before anything is written.
  await drained(setting, realm);
  const running = Array.from({ length: setting.startsWith("sqlite:") ? 1 : 2 }, start);
  try {
    for (let kill = 0; kill < kills; kill++) {
      const enough = acknowledged.length + randomInt(...WRITES);
      while (acknowledged.length < enough) {
        if (running.some(({ exitCode }) => exitCode !== null)) throw new Error("a process ended by itself");
        await new Promise<void>((resolve) => (told = resolve));
      }
      const child = running.shift();
      if (child !== undefined) await killed(child);
      if (kill < kills - 1) running.push(start());
    }
  } finally {
    await Promise.all(running.map(killed));
  }
  const { changes, documents } = await drained(setting, realm);
  return {
    acknowledged: acknowledged.length,
    seen: changes.length,
    problems: judge(acknowledged, changes, documents),
  };
}

/** Everything that it wrote before its end has been read. */
async function killed(child: ChildProcess): Promise<void> {
  const closed = once(child, "close");
  child.kill("SIGKILL");
  await closed;
}

interface Stored {
  readonly changes: readonly Seen[];
  /** `<collection> <id>` to version. */
  readonly documents: ReadonlyMap<string, number>;
}

/** What is stored once the consumer has come to the end. */
async function drained(setting: string, realm: string): Promise<Stored> {
  const { store, close } = await openStore(setting, realm);
  const consumer = consume(store);
  try {
    while (!(await isAtEnd(store))) await new Promise((resolve) => setTimeout(resolve, 20));
    const changes = (await all(store, seen)).map(({ text }): Seen => JSON.parse(text));
    const documents = new Map<string, number>();
    for (const collection of followed)
      for (const { id, version } of await all(store, collection))
        documents.set(`${collection} ${id}`, version);
    return { changes, documents };
  } finally {
    await consumer.close();
    await close();
  }
}

/** Whether nothing comes after the position that the consumer has stored, of what is there now. */
async function isAtEnd(store: Store): Promise<boolean> {
  const head = await store.feed.head();
  const record = await store.collection("_svc.consumers").get("crash", "live");
  const position: unknown = JSON.parse(record?.text ?? "{}").position;
  if (typeof position !== "string") return false;
  if (position === head) return true;
  return (await store.feed.read(position, 1)).changes.length === 0;
}

async function all(store: Store, collection: string) {
  const found = [];
  for (let after: string | undefined; ; after = found.at(-1)?.id) {
    const page = await store.collection(collection).scan(after, 1_000);
    if (page.length === 0) return found;
    found.push(...page);
  }
}
