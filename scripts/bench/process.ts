import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./servers.ts";

/** Start to ready and idle memory of the bundle with all examples loaded. */
export async function startTimes(root: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), "realmc-start-"));
  try {
    build(root, join(root, "examples"), work, true);
    const times: number[] = [];
    let rss = 0;
    for (let run = 0; run < 5; run++) {
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
      times.push(performance.now() - begun);
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
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** `check` and `build` of a realm of 50 collections, and what each further collection costs. */
export function compileTimes(root: string): void {
  const work = mkdtempSync(join(tmpdir(), "realmc-compile-"));
  try {
    const fifty = join(work, "fifty");
    const hundred = join(work, "hundred");
    manyCollections(root, fifty, 50);
    manyCollections(root, hundred, 100);
    const check = seconds(() => realmc(root, ["check", fifty]));
    const build50 = seconds(() => build(root, fifty, join(work, "out50"), false));
    const build100 = seconds(() => build(root, hundred, join(work, "out100"), false));
    console.log(
      `check of 50 collections: ${check.toFixed(2)} s; build: ${build50.toFixed(2)} s; ` +
        `each further collection: ${(((build100 - build50) / 50) * 1000).toFixed(0)} ms`,
    );
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The helpdesk's tickets, many times: four rules, field rules, references, indexes and a schema with `$ref`s. */
export function manyCollections(root: string, folder: string, count: number): void {
  const helpdesk = join(root, "examples/helpdesk");
  const realm = join(folder, "helpdesk");
  mkdirSync(realm, { recursive: true });
  cpSync(join(helpdesk, "realm.yaml"), join(realm, "realm.yaml"));
  cpSync(join(helpdesk, "_shared"), join(realm, "_shared"), { recursive: true });
  for (let number = 0; number < count; number++) {
    const collection = join(realm, "support", `tickets${number}`);
    cpSync(join(helpdesk, "support/tickets"), collection, { recursive: true });
    const settings = join(collection, "collection.yaml");
    writeFileSync(
      settings,
      readFileSync(settings, "utf8").replace("collection: customers", "collection: tickets0"),
    );
  }
}

function build(root: string, config: string, work: string, bundle: boolean): void {
  const to = bundle ? ["--bundle", join(work, "dist")] : [];
  realmc(root, ["build", config, "--out", join(work, "generated"), ...to]);
}

function realmc(root: string, args: readonly string[]): void {
  execFileSync(process.execPath, [join(root, "compiler/cli/realmc.mjs"), ...args], {
    stdio: ["ignore", "ignore", "inherit"],
  });
}

function seconds(run: () => void): number {
  run();
  const begun = performance.now();
  run();
  return (performance.now() - begun) / 1000;
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
