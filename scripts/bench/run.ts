// npm run bench: the generated server against servers written by hand, in one run, interleaved. Judged by processor time
// a request, which is far steadier than requests per second on a busy machine, and for heavy queries by throughput too.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { realmc } from "../command-line.ts";
import { withWorkspace } from "../workspace.ts";
import { compileBenchmark } from "./compile/run.ts";
import { credentialBenchmark } from "./credentials.ts";
import { documentBenchmark } from "./documents.ts";
import { fileBenchmark } from "./files/run.ts";
import { functionBenchmark } from "./functions/run.ts";
import { jobBenchmark } from "./jobs.ts";
import { keyBenchmark } from "./keys.ts";
import { migrationBenchmark } from "./migrations/run.ts";
import { organizationBenchmark } from "./organizations.ts";
import { databases, folders } from "./place.ts";
import { planBenchmark } from "./plan.ts";
import { startTimes } from "./process.ts";
import { queryRows } from "./queries/rows.ts";
import { queryBenchmark } from "./queries/run.ts";
import { realtimeBenchmark } from "./realtime/run.ts";
import { rows } from "./workload.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    scale: { type: "string", default: "1" },
    /** A `mongodb://` URI: both store there, each in databases of its own, dropped afterwards. */
    store: { type: "string" },
    /**
     * `documents`, `credentials`, `keys`, `queries`, `isolation`, `organizations`, `realtime`, `functions`, `files`,
     * `migrations`, `jobs`, `process`, `compile`, `plan`, or names of rows, between `;`.
     */
    only: { type: "string" },
    /** Realtime streams that are open at a time. */
    streams: { type: "string", default: "10000" },
    /** Of `compile`: numbers of collections, between commas. */
    collections: { type: "string", default: "1,10,50,200,500" },
    /** Of `compile`, and of the starts in `functions`: another checkout, to measure beside this one. */
    against: { type: "string" },
  },
});
const { store } = options;
const only = options.only?.split(";");
if (store !== undefined && !/^mongodb(\+srv)?:/.test(store))
  throw new Error("--store must be a mongodb:// URI");
const rounds = Number(options.rounds);
const scale = Number(options.scale);
const isWanted = (part: string): boolean => only === undefined || only.includes(part);
const named = (part: string, all: readonly { readonly name: string }[]): readonly string[] =>
  all.map(({ name }) => name).filter((name) => isWanted(part) || only?.includes(name));
const documentRows = rows.filter(({ name }) => named("documents", rows).includes(name));
const queries = queryRows.filter(({ name }) => named("queries", queryRows).includes(name));

await withWorkspace(async (work) => {
  const isolated = isWanted("queries") || isWanted("isolation");
  const checked = isWanted("credentials");
  const withKeys = isWanted("keys");
  const inOrganizations = isWanted("organizations");
  const inRealtime = isWanted("realtime");
  const withFunctions = isWanted("functions");
  // The bytes lie in a folder, whatever the store.
  const withFiles = store === undefined && isWanted("files");
  const withMigrations = isWanted("migrations");
  const isNothing = documentRows.length + queries.length === 0 && !isolated && !checked;
  const others = [withKeys, inOrganizations, inRealtime, withFunctions, withFiles, withMigrations];
  if (isNothing && !others.includes(true)) return;
  const bundle = join(work, "dist");
  const place = store === undefined ? folders(work) : databases(store, work);
  execFileSync(
    process.execPath,
    [realmc, "build", place.config, "--out", join(work, "generated"), "--bundle", bundle],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  try {
    if (documentRows.length > 0)
      await documentBenchmark({ place, bundle, rounds, scale, rows: documentRows });
    if (checked) await credentialBenchmark({ place, bundle, rounds, scale });
    if (withKeys) await keyBenchmark({ place, bundle, rounds, scale });
    if (queries.length > 0 || isolated)
      await queryBenchmark({ place, bundle, rounds, scale, rows: queries, isolated });
    if (inOrganizations) await organizationBenchmark({ place, bundle, rounds, scale });
    if (inRealtime)
      await realtimeBenchmark({ place, bundle, rounds, scale, streams: Number(options.streams) });
    if (withFunctions)
      await functionBenchmark({ place, bundle, work, rounds, scale, against: options.against });
    if (withFiles) await fileBenchmark({ place, bundle, rounds, scale });
    if (withMigrations) await migrationBenchmark({ place, bundle, work, rounds, scale });
  } finally {
    await place.clear();
  }
});
if (store === undefined && isWanted("jobs"))
  await withWorkspace((work) => jobBenchmark({ work, rounds, scale }));
if (store === undefined && isWanted("plan")) await withWorkspace((work) => planBenchmark({ work, scale }));
// Of the embedded engine, with the examples.
if (store === undefined && isWanted("process")) await startTimes();
if (store === undefined && isWanted("compile")) {
  const sizes = options.collections.split(",").map(Number);
  await withWorkspace((work) => compileBenchmark({ work, rounds, sizes, against: options.against }));
}
