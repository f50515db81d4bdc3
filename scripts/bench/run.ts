// npm run bench: the generated server against servers written by hand, in one run, interleaved. Judged by processor time
// a request, which is far steadier than requests per second on a busy machine, and for heavy queries by throughput too.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { realmc, root, withWorkspace } from "../workspace.ts";
import { documentBenchmark } from "./documents.ts";
import { compileTimes, startTimes } from "./process.ts";
import { queryRows } from "./queries/rows.ts";
import { queryBenchmark } from "./queries/run.ts";
import { rows } from "./workload.ts";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    scale: { type: "string", default: "1" },
    /** `documents`, `queries`, `isolation`, `process`, or the name of one row. */
    only: { type: "string" },
  },
});
const { only } = options;
const rounds = Number(options.rounds);
const scale = Number(options.scale);
const named = (part: string, all: readonly { readonly name: string }[]): readonly string[] =>
  all.map(({ name }) => name).filter((name) => only === undefined || only === part || only === name);
const documentRows = rows.filter(({ name }) => named("documents", rows).includes(name));
const queries = queryRows.filter(({ name }) => named("queries", queryRows).includes(name));

await withWorkspace(async (work) => {
  const isolated = only === undefined || only === "queries" || only === "isolation";
  if (documentRows.length + queries.length === 0 && !isolated) return;
  const bundle = join(work, "dist");
  const config = join(root, "scripts/bench/config");
  execFileSync(
    process.execPath,
    [realmc, "build", config, "--out", join(work, "generated"), "--bundle", bundle],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  if (documentRows.length > 0) await documentBenchmark({ work, bundle, rounds, scale, rows: documentRows });
  if (queries.length > 0 || isolated)
    await queryBenchmark({ work, bundle, rounds, scale, rows: queries, isolated });
});
if (only === undefined || only === "process") {
  await startTimes();
  await compileTimes();
}
