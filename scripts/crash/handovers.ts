// npm run handovers: a bundle under load is replaced by itself, again and again; no request may fail, and every document that was
// acknowledged must be there afterwards.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { load } from "../../runtime/instance/testing/handover.ts";
import { ready } from "../bench/ready.ts";
import { freePort } from "../bench/servers.ts";
import { item } from "../bench/workload.ts";
import { realmc } from "../command-line.ts";
import { root, withWorkspace } from "../workspace.ts";

const { values: options } = parseArgs({
  options: {
    handovers: { type: "string", default: "20" },
    clients: { type: "string", default: "64" },
    /** `SVC_STORE`; default: the embedded store in a folder of its own. */
    store: { type: "string" },
  },
});

await withWorkspace(async (work) => {
  const dist = join(work, "dist");
  const config = join(root, "scripts/bench/config");
  const words = [realmc, "build", config, "--out", join(work, "generated"), "--bundle", dist];
  execFileSync(process.execPath, words, { stdio: ["ignore", "ignore", "inherit"] });
  const port = await freePort();
  const serve = spawn(process.execPath, [realmc, "serve", dist], {
    stdio: ["ignore", "pipe", "inherit"],
    env: {
      ...process.env,
      NODE_ENV: "production",
      HOST: "127.0.0.1",
      PORT: String(port),
      SVC_MAX_UPLOAD_BYTES: "2GiB",
      SVC_STORE: options.store ?? `sqlite:${join(work, "data")}`,
      SVC_KEYS: Buffer.alloc(32, 7).toString("base64"),
    },
  });
  const outcomes: string[] = [];
  const lines = createInterface({ input: serve.stdout });
  lines.on("line", (line) => {
    const { msg, reason }: { msg?: string; reason?: string } = JSON.parse(line);
    if (msg === "handed over" || msg === "not handed over; going on") outcomes.push(reason ?? msg);
  });
  const url = `http://127.0.0.1:${port}`;
  await ready(serve, url);
  const items = `${url}/v1/open/shop/items`;
  const clients = load(items, Number(options.clients), item);
  await clients.more(1_000);
  const quiet = middleAndMost(clients.times.splice(0));
  const took: number[] = [];
  while (took.length < Number(options.handovers)) {
    const begun = performance.now();
    const before = outcomes.length;
    serve.kill("SIGUSR2");
    while (outcomes.length === before) await once(lines, "line");
    took.push(performance.now() - begun);
    await clients.more(500);
  }
  await clients.stop();
  const answers = clients.times.length;
  const busy = middleAndMost(clients.times);
  const missing: string[] = [];
  for (const id of clients.created) {
    const answer = await fetch(`${items}/${id}`);
    await answer.arrayBuffer();
    if (answer.status !== 200) missing.push(id);
  }
  serve.kill("SIGTERM");
  const [code] = await once(serve, "exit");
  const done = outcomes.filter((outcome) => outcome === "handed over").length;
  console.log(`${done} of ${took.length} handovers under ${options.clients} connections, ${answers} requests
failed requests: ${clients.failures.length} ${[...new Set(clients.failures)].join("; ")}
acknowledged documents that are missing: ${missing.length} of ${clients.created.length}
milliseconds of a handover: ${middleAndMost(took)}
milliseconds of a request: ${busy}; before: ${quiet}
exit code: ${code}`);
  const isFine = done === took.length && clients.failures.length + missing.length === 0 && code === 0;
  process.exitCode = isFine ? 0 : 1;
});

function middleAndMost(times: readonly number[]): string {
  const sorted = times.toSorted((one, other) => one - other);
  const at = (part: number) =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0).toFixed(0);
  return `median ${at(0.5)}, 99 % ${at(0.99)}, most ${at(1)}`;
}
