import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
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

/** Prints how long `check`, `diff` and `build` of a realm of 50 collections take, and what each further collection costs. */
export async function compileTimes(): Promise<void> {
  await withWorkspace((work) => {
    const [fifty, hundred] = [join(work, "fifty"), join(work, "hundred")];
    manyCollections(fifty, 50);
    manyCollections(hundred, 100);
    const changed = join(work, "changed");
    manyCollections(changed, 50, (settings) => settings.replaceAll("hasRole('lead')", "hasRole('agent')"));
    const check = seconds(() => run(["check", fifty]));
    const diff = seconds(() => run(["diff", fifty, changed, "--allow-breaking"]));
    const build50 = seconds(() => run(["build", fifty, "--out", join(work, "out50")]));
    const build100 = seconds(() => run(["build", hundred, "--out", join(work, "out100")]));
    console.log(
      `check of 50 collections: ${check.toFixed(2)} s; diff of two: ${diff.toFixed(2)} s; build: ${build50.toFixed(2)} s; ` +
        `each further collection: ${(((build100 - build50) / 50) * 1000).toFixed(0)} ms`,
    );
  });
}

/** The helpdesk's tickets, many times: four rules, field rules, references, indexes and a schema with `$ref`s. */
function manyCollections(
  folder: string,
  count: number,
  change: (settings: string) => string = (settings) => settings,
): void {
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
      change(readFileSync(settings, "utf8").replace("collection: customers", "collection: tickets0")),
    );
  }
}

function run(args: readonly string[]): void {
  execFileSync(process.execPath, [realmc, ...args], { stdio: ["ignore", "ignore", "pipe"] });
}

/** The best of three, since other work on the machine only ever adds. */
function seconds(work: () => void): number {
  const times = [0, 1, 2].map(() => {
    const begun = performance.now();
    work();
    return (performance.now() - begun) / 1000;
  });
  return Math.min(...times);
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
