// `realmc plan` over many documents beside a server that is asked for some of them: how long it takes, how much memory, and
// what the requests wait.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { stored } from "../../compiler/plan/testing/case.ts";
import { systemClock } from "../../runtime/clock.ts";
import { documentFields, field } from "../../runtime/filter/fields.ts";
import { openSqliteStore } from "../../runtime/store/sqlite/store.ts";
import { realmc } from "../command-line.ts";

export interface PlanBenchmark {
  /** Where files may be made. */
  readonly work: string;
  readonly scale: number;
}

const names = ["title", "status", "customer", "number"] as const;
const statuses = ["open", "waiting", "done", "gone"];
const properties = {
  title: { type: "string", maxLength: 200 },
  status: { type: "string" },
  customer: { type: "string" },
  number: { type: "integer" },
};
/** Requests a second. */
const rate = 200;
/** Milliseconds for which an idle server is asked. */
const idle = 10_000;

export async function planBenchmark({ work, scale }: PlanBenchmark): Promise<void> {
  const count = Math.round(1_000_000 * scale);
  const [was, now, data] = ["was", "now", "data"].map((name) => join(work, name)) as [string, string, string];
  configure(was, { properties }, "rules: { read: true, create: user != null }\n", []);
  // A narrower schema, a unique index, a reference to itself, another rule: every judge has something to do.
  configure(
    now,
    { properties: { ...properties, status: { enum: statuses.slice(0, 3) } }, required: ["title"] },
    `rules: { read: "user != null || document.status == 'open'", create: user != null }\nreferences: { customer: { collection: items } }\n`,
    [{ fields: ["number"], unique: true }, { fields: ["customer"] }],
  );
  const bundle = join(work, "dist");
  execFileSync(process.execPath, [realmc, "build", was, "--out", join(work, "out"), "--bundle", bundle]);
  const server = await start(bundle, data);
  await stop(server.process);
  await fill(data, count);
  const again = await start(bundle, data);
  try {
    await asked(again.url, count, setTimeout(3_000));
    const before = await asked(again.url, count, setTimeout(idle));
    const begun = performance.now();
    const plan = spawn("/usr/bin/env", [
      ...["-", `PATH=${process.env["PATH"]}`, `XDG_CACHE_HOME=${work}`, process.execPath],
      ...["--import", new URL("peak.mjs", import.meta.url).href],
      ...[realmc, "plan", now, "--store", `sqlite:${data}`],
    ]);
    let said = "";
    for (const stream of [plan.stdout, plan.stderr]) stream.on("data", (text) => (said += text));
    const ended = once(plan, "exit");
    const during = await asked(again.url, count, ended);
    const seconds = (performance.now() - begun) / 1000;
    console.log(`\n| realmc plan, ${count} documents | |\n|---|---:|`);
    console.log(
      `| seconds | ${seconds.toFixed(1)} |\n| memory at most, MiB | ${/peak (\d+)/.exec(said)?.[1]} |`,
    );
    console.log(
      `| get p99 ms, idle | ${before.toFixed(2)} |\n| get p99 ms, beside it | ${during.toFixed(2)} |\n`,
    );
    console.log(said.replace(/^.*\d+\/s\n/gm, ""));
  } finally {
    await stop(again.process);
  }
}

function configure(folder: string, schema: object, collection: string, indexes: readonly object[]): void {
  const files = {
    "shop/realm.yaml": "auth: enabled\n",
    "shop/main/items/schema.json": JSON.stringify({ type: "object", ...schema }),
    "shop/main/items/collection.yaml": collection,
    "shop/main/items/indexes.json": JSON.stringify({ indexes }),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const idOf = (n: number): string => `d${String(n).padStart(9, "0")}`;

async function fill(data: string, count: number): Promise<void> {
  const options = { location: data, realm: "shop", clock: systemClock, queryTime: 600_000 };
  const store = await openSqliteStore(options);
  const fields = {
    ...documentFields,
    ...Object.fromEntries(names.map((name) => [name, field(name, "string")])),
  };
  await store.provision([{ name: "main.items", fields, indexes: [], feed: false, permanent: true }]);
  const items = store.collection("main.items");
  const batch = 1_000;
  for (let from = 0; from < count; from += batch) {
    const documents = Array.from({ length: Math.min(batch, count - from) }, (_, at) => {
      const n = from + at;
      const owner = `u${n % 1_000}`;
      return stored(idOf(n), {
        title: `Item ${n} of the list that is kept here`,
        status: statuses[n % 1_000 === 0 ? 3 : n % 3] ?? "",
        customer: idOf((n * 7) % (count + 5)),
        number: n % 100_000 === 1 ? 1 : n,
        _meta: { owner, created_by: `user:${owner}`, updated_by: `user:${owner}` },
      });
    });
    await items.load(documents);
  }
  await store.close();
}

async function start(bundle: string, data: string): Promise<{ process: ChildProcess; url: string }> {
  const listener = createServer().listen(0, "127.0.0.1");
  await once(listener, "listening");
  const address = listener.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  await new Promise((closed) => listener.close(closed));
  const child = spawn(process.execPath, [join(bundle, "server.mjs")], {
    stdio: ["ignore", "ignore", "inherit"],
    env: {
      ...process.env,
      HOST: "127.0.0.1",
      PORT: String(port),
      SVC_STORE: `sqlite:${data}`,
    },
  });
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 600; tries += 1) {
    const ready = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (ready) return { process: child, url };
    await setTimeout(100);
  }
  throw new Error("the server does not start");
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

/** The 99th percentile of what gets take, in milliseconds, until something has ended. */
async function asked(url: string, count: number, until: Promise<unknown>): Promise<number> {
  const took: number[] = [];
  const under: Promise<void>[] = [];
  let isOver = false;
  void until.then(() => (isOver = true));
  const begun = performance.now();
  for (let n = 0; !isOver; n += 1) {
    const due = begun + (n * 1000) / rate;
    const wait = due - performance.now();
    if (wait > 1) await setTimeout(wait);
    const path = `${url}/v1/shop/main/items/${idOf((n * 7_919) % count)}`;
    const from = performance.now();
    under.push(
      fetch(path).then(async (answer) => {
        await answer.arrayBuffer();
        took.push(performance.now() - from);
      }),
    );
    if (under.length >= 1_000) await Promise.all(under.splice(0));
  }
  await Promise.all(under);
  took.sort((a, b) => a - b);
  return took[Math.floor(took.length * 0.99)] ?? Number.NaN;
}
