// The query half of the benchmark: 100,000 documents, each query against the same one by hand, interleaved.

import autocannon from "autocannon";
import { middle } from "../middle.ts";
import type { Place } from "../place.ts";
import { type MeasuredServer, startGenerated, startHandwritten } from "../servers.ts";
import { type Batch, batches } from "./data.ts";
import { type Page, type QueryRow, queryRows } from "./rows.ts";

const collectionOf = ({ realm }: MeasuredServer): string => `/v1/${realm}/desk/tickets`;

interface Options {
  readonly place: Place;
  readonly bundle: string;
  readonly rounds: number;
  readonly scale: number;
  readonly rows: readonly QueryRow[];
  /** Whether to measure how other requests fare meanwhile. */
  readonly isolated: boolean;
}

interface Side {
  readonly server: MeasuredServer;
  readonly page: Page;
  path(row: QueryRow): string;
}

interface Sample {
  readonly perSecond: number;
  /** Microseconds of processor time a request. */
  readonly cpu: number;
}

export async function queryBenchmark({
  place,
  bundle,
  rounds,
  scale,
  rows,
  isolated,
}: Options): Promise<void> {
  const servers: MeasuredServer[] = [];
  try {
    servers.push(await startHandwritten(place, "queries"));
    servers.push(await startGenerated(bundle, place, "queries"));
    const sides: Side[] = [];
    for (const server of servers) {
      process.stderr.write(`\rstoring 100,000 documents: ${server.name}          `);
      await store(server);
      sides.push(await sideOf(server));
    }
    if (rows.length > 0) report(await interleaved(rows, sides, rounds, scale));
    if (isolated) await isolation(sides);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/** Batches on the way at a time: those of a shared store take many round trips each. */
const AT_ONCE = 8;

async function store(server: MeasuredServer): Promise<void> {
  const all = batches();
  await Promise.all(Array.from({ length: AT_ONCE }, () => storeFrom(all, server)));
}

async function storeFrom(all: Iterable<Batch>, server: MeasuredServer): Promise<void> {
  for (const { collection: name, documents } of all) {
    const operations = documents.map((document) => ({ op: "create", collection: name, document }));
    const answer = await fetch(`${server.url}/v1/${server.realm}/desk/_batch`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ operations }),
    });
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${server.name}: ${answer.status} ${text.slice(0, 300)}`);
  }
}

/** Pages up to the 1,000th, to learn where it begins. */
async function sideOf(server: MeasuredServer): Promise<Side> {
  const isGenerated = server.name.startsWith("generated");
  const path = (row: QueryRow): string => (isGenerated ? row.generated(page) : row.handwritten(page));
  let after = "";
  for (let at = 0; at < 200; at++) {
    const start = after === "" ? "" : `&after=${encodeURIComponent(after)}`;
    const route = isGenerated ? "" : after === "" ? "/first" : "/after";
    // 200 pages of 100 are 1,000 of 20.
    const answer = await fetch(`${server.url}${collectionOf(server)}${route}?limit=100${start}`);
    const body: unknown = await answer.json();
    if (typeof body !== "object" || body === null || !("next_cursor" in body))
      throw new Error(`${server.name}: no cursor: ${JSON.stringify(body).slice(0, 300)}`);
    after = String(body.next_cursor);
  }
  const page = { after };
  return { server, page, path };
}

async function interleaved(
  rows: readonly QueryRow[],
  sides: readonly Side[],
  rounds: number,
  scale: number,
): Promise<ReadonlyMap<QueryRow, readonly (readonly Sample[])[]>> {
  const samples = new Map<QueryRow, Sample[][]>(rows.map((row) => [row, sides.map(() => [])]));
  for (let round = -1; round < rounds; round++) {
    for (const row of rows) {
      for (const [at, side] of sides.entries()) {
        const sample = await measure(side, row, Math.max(row.connections, Math.round(row.amount * scale)));
        if (round >= 0) samples.get(row)?.[at]?.push(sample);
      }
      process.stderr.write(`\rqueries, round ${round + 1} of ${rounds}: ${row.name}                    `);
    }
  }
  process.stderr.write("\n");
  return samples;
}

async function measure({ server, path }: Side, row: QueryRow, amount: number): Promise<Sample> {
  const before = await server.usage();
  const result = await autocannon({
    url: server.url,
    connections: row.connections,
    amount,
    sampleInt: 20,
    timeout: 60,
    requests: [
      {
        setupRequest: (request) => ({
          ...request,
          method: "GET",
          path: `${collectionOf(server)}${path(row)}`,
        }),
      },
    ],
  });
  const after = await server.usage();
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${server.name}, ${row.name}: ${JSON.stringify(result.statusCodeStats)}`);
  const seconds = (result.finish.getTime() - result.start.getTime()) / 1000;
  return { perSecond: amount / seconds, cpu: (after.cpu - before.cpu) / amount };
}

function report(samples: ReadonlyMap<QueryRow, readonly (readonly Sample[])[]>): void {
  console.log("\n| query | by hand, requests/s | generated | throughput | CPU |");
  console.log("|---|---:|---:|---:|---:|");
  for (const [{ name }, [byHand = [], generated = []]] of samples) {
    const ratio = (value: (at: number) => number): string =>
      middle(generated.map((_, at) => value(at))).toFixed(2);
    const cells = [
      middle(byHand.map(({ perSecond }) => perSecond)).toFixed(1),
      middle(generated.map(({ perSecond }) => perSecond)).toFixed(1),
      ratio((at) => (generated[at]?.perSecond ?? 0) / (byHand[at]?.perSecond ?? 1)),
      ratio((at) => (byHand[at]?.cpu ?? 0) / (generated[at]?.cpu ?? 1)),
    ];
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
  console.log("\nthroughput: generated / by hand; CPU: by hand / generated, a request. Above 1 is better.");
}

/** Get by id while expensive queries run, at a rate that leaves the processor idle in between. */
async function isolation(sides: readonly Side[]): Promise<void> {
  console.log("\n| get by id, 200 a second, while | server | p50 ms | p99 ms |\n|---|---|---:|---:|");
  const expensive = queryRows.filter(({ name }) => /^(aggregation|search|unindexed)/.test(name));
  for (const { server, path } of sides) {
    const isGenerated = server.name.startsWith("generated");
    const target = isGenerated
      ? `/v1/${server.realm}/desk/customers/customer-7`
      : `${collectionOf(server)}/first?limit=1`;
    const gets = () =>
      autocannon({
        url: `${server.url}${target}`,
        connections: 4,
        overallRate: 200,
        duration: 5,
      });
    const idle = await gets();
    line("nothing else", server.name, idle);
    for (const row of expensive) {
      let running = true;
      const load = Promise.all(
        [0, 1].map(async () => {
          while (running)
            await (await fetch(`${server.url}${collectionOf(server)}${path(row)}`)).arrayBuffer();
        }),
      );
      line(row.name, server.name, await gets());
      running = false;
      await load;
    }
  }
}

function line(name: string, server: string, { latency }: autocannon.Result): void {
  console.log(`| ${name} | ${server} | ${latency.p50} | ${latency.p99} |`);
}
