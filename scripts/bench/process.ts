import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { realmc } from "../command-line.ts";
import { root, withWorkspace } from "../workspace.ts";
import { middle } from "./middle.ts";
import { ready } from "./ready.ts";
import { freePort } from "./servers.ts";

/** Prints start to ready and idle memory of the bundle with all examples loaded. */
export async function startTimes(): Promise<void> {
  await withWorkspace(async (work) => {
    run(["build", join(root, "examples"), "--out", join(work, "generated"), "--bundle", join(work, "dist")]);
    const bundle = join(work, "dist");
    const data = join(work, "data");
    // The first makes the tables.
    await startOnce(bundle, data);
    const starts: Start[] = [];
    while (starts.length < 5) starts.push(await startOnce(bundle, data));
    const time = middle(starts.map(({ time }) => time)).toFixed(0);
    const memory = Math.max(...starts.map(({ memory }) => memory)).toFixed(0);
    console.log(`\nstart to ready: ${time} ms (median of 5); idle resident memory: ${memory} MiB`);
  });
}

export interface Start {
  /** Milliseconds until it was ready. */
  readonly time: number;
  /** MiB that are resident half a second later. */
  readonly memory: number;
}

/** Starts a bundle on the embedded engine, and ends it. */
export async function startOnce(bundle: string, data: string): Promise<Start> {
  const port = await freePort();
  const begun = performance.now();
  const child = spawn(process.execPath, [join(bundle, "server.mjs")], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_ENV: "production", PORT: String(port), SVC_STORE: `sqlite:${data}` },
  });
  const exit = once(child, "exit");
  try {
    await ready(child, `http://127.0.0.1:${port}`, { interval: 2 });
    const time = performance.now() - begun;
    await new Promise((resolve) => setTimeout(resolve, 500));
    return { time, memory: residentMiB(child.pid ?? 0) };
  } finally {
    child.kill("SIGTERM");
    await exit;
  }
}

function run(args: readonly string[]): void {
  execFileSync(process.execPath, [realmc, ...args], { stdio: ["ignore", "ignore", "pipe"] });
}

function residentMiB(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(line?.[1] ?? 0) / 1024;
}
