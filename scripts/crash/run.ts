// npm run crash [-- kills [--store <MongoDB URI> | --migrate <documents>]]: kills servers under load many times. On the embedded store one server
// of the built examples; on MongoDB one of two on a database, which is dropped in the end.
import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { realmc } from "../command-line.ts";
import { root, withWorkspace } from "../workspace.ts";
import { crash } from "./crash.ts";
import { crashFeed } from "./feed/run.ts";
import { crashFunctions } from "./functions/run.ts";
import { crashInstances } from "./instances/run.ts";
import { crashMigrations } from "./migrations/run.ts";
import { crashRealtime } from "./realtime/run.ts";

const { values, positionals } = parseArgs({
  options: {
    store: { type: "string" },
    /** On the embedded store, nothing but the migration of so many documents, as fast as it goes. */
    migrate: { type: "string" },
  },
  allowPositionals: true,
});
const many = values.migrate === undefined ? undefined : Number(values.migrate);
const kills = Number(positionals[0] ?? 50);
const numbers = many === undefined ? [kills] : [kills, many];
if (numbers.some((each) => !Number.isInteger(each) || each < 1) || positionals.length > 1) {
  console.error(
    "usage: npm run crash [-- <kills> [--store <MongoDB URI> | --migrate <documents>]]; 50 kills by default",
  );
  process.exit(2);
}
if (many !== undefined)
  await withWorkspace((work) => migrated(`sqlite:${join(work, "migrations")}`, "migrations", many));
else await (values.store === undefined ? embedded() : shared(values.store));

async function embedded(): Promise<void> {
  await withWorkspace(async (work) => {
    const bundle = join(work, "dist");
    const output = ["--out", join(work, "generated"), "--bundle", bundle];
    execFileSync(process.execPath, [realmc, "build", join(root, "examples"), ...output], {
      stdio: "inherit",
    });
    const { acknowledged, verified } = await crash(join(bundle, "server.mjs"), join(work, "data"), kills);
    console.log(
      `${kills} kills, ${acknowledged} acknowledged writes, ${verified} documents verified: nothing lost.`,
    );
    await consumed(`sqlite:${join(work, "feed")}`, "feed");
    await streamed(`sqlite:${join(work, "streams")}`, "streams");
    await triggered(`sqlite:${join(work, "functions")}`, "functions");
    await migrated(`sqlite:${join(work, "migrations")}`, "migrations");
  });
}

async function shared(uri: string): Promise<void> {
  const realm = `crash-${randomBytes(6).toString("hex")}`;
  const { MongoClient } = await import("mongodb");
  const client = new MongoClient(uri);
  try {
    const { acknowledged, problems } = await crashInstances(uri, realm, kills);
    for (const problem of problems) console.error(problem);
    const verdict = problems.length === 0 ? "nothing lost, nothing twice" : `${problems.length} problems`;
    console.log(`${kills} kills, ${acknowledged} acknowledged writes: ${verdict}.`);
    if (problems.length > 0) process.exitCode = 1;
    await consumed(uri, realm);
    await streamed(uri, `${realm}-streams`);
    await triggered(uri, `${realm}-functions`);
    await migrated(uri, `${realm}-migrations`);
  } finally {
    for (const name of [realm, `${realm}-streams`, `${realm}-functions`, `${realm}-migrations`])
      await client.db(`svc-${name}`).dropDatabase();
    await client.close();
  }
}

/** The same of a durable consumer of the change feed. */
async function consumed(setting: string, realm: string): Promise<void> {
  const { acknowledged, seen, problems } = await crashFeed(setting, realm, kills);
  for (const problem of problems) console.error(problem);
  const verdict = problems.length === 0 ? "each once, in order" : `${problems.length} problems`;
  console.log(`${kills} kills, ${acknowledged} acknowledged writes, ${seen} changes consumed: ${verdict}.`);
  if (problems.length > 0) process.exitCode = 1;
}

/** The same of a trigger, whose function counts what it is told. */
async function triggered(setting: string, realm: string): Promise<void> {
  const { acknowledged, counted, problems } = await crashFunctions(setting, realm, kills);
  for (const problem of problems) console.error(problem);
  const verdict =
    problems.length === 0 ? "all told in order, and counted once" : `${problems.length} problems`;
  console.log(`${kills} kills, ${acknowledged} acknowledged writes, ${counted} changes counted: ${verdict}.`);
  if (problems.length > 0) process.exitCode = 1;
}

/** The same of documents that are migrated while clients update them. */
async function migrated(setting: string, realm: string, many?: number): Promise<void> {
  const { during, acknowledged, documents, problems } = await crashMigrations(setting, realm, kills, many);
  for (const problem of problems) console.error(problem);
  const verdict = problems.length === 0 ? "each once, no update lost" : `${problems.length} problems`;
  console.log(
    `${during} kills during migrations of ${documents} documents, ${acknowledged} acknowledged writes: ${verdict}.`,
  );
  if (problems.length > 0) process.exitCode = 1;
}

/** The same of clients that follow by streams. */
async function streamed(setting: string, realm: string): Promise<void> {
  const { acknowledged, events, problems } = await crashRealtime(setting, realm, kills);
  for (const problem of problems) console.error(problem);
  const verdict = problems.length === 0 ? "everybody has what is stored" : `${problems.length} problems`;
  console.log(`${kills} kills, ${acknowledged} acknowledged writes, ${events} events: ${verdict}.`);
  if (problems.length > 0) process.exitCode = 1;
}
