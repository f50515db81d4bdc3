import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { realmc, root, withWorkspace } from "../workspace.ts";
import { freePort } from "./servers.ts";

/** Prints start to ready and idle memory of the bundle with all examples loaded. */
export async function startTimes(): Promise<void> {
  await withWorkspace(async (work) => {
    run(["build", join(root, "examples"), "--out", join(work, "generated"), "--bundle", join(work, "dist")]);
    const times: number[] = [];
    let rss = 0;
    for (let start = 0; start < 6; start++) {
      const port = await freePort();
      const begun = performance.now();
      const child = spawn(process.execPath, [join(work, "dist/server.mjs")], {
        stdio: "ignore",
        env: {
          ...process.env,
          NODE_ENV: "production",
          PORT: String(port),
          SVC_STORE: `sqlite:${join(work, "data")}`,
        },
      });
      await answering(`http://127.0.0.1:${port}/readyz`);
      // The first makes the tables.
      if (start > 0) times.push(performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 500));
      rss = Math.max(rss, residentMiB(child.pid ?? 0));
      const exit = once(child, "exit");
      child.kill("SIGTERM");
      await exit;
    }
    times.sort((a, b) => a - b);
    console.log(
      `\nstart to ready: ${times[2]?.toFixed(0)} ms (median of 5); idle resident memory: ${rss.toFixed(0)} MiB`,
    );
  });
}

function run(args: readonly string[]): void {
  execFileSync(process.execPath, [realmc, ...args], { stdio: ["ignore", "ignore", "pipe"] });
}

async function answering(url: string): Promise<void> {
  for (let attempt = 0; attempt < 5_000; attempt++) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error(`${url} never answered 200`);
}

function residentMiB(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(line?.[1] ?? 0) / 1024;
}
