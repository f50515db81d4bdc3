// The document half of the benchmark: the generated server against a hand-written one and bare Fastify, interleaved.

import { middle } from "./middle.ts";
import type { Place } from "./place.ts";
import { type MeasuredServer, RULES, startGenerated, startHandwritten, startHello } from "./servers.ts";
import { helloRow, type Measure, measure, type Row, seed } from "./workload.ts";

export interface DocumentOptions {
  readonly place: Place;
  readonly bundle: string;
  readonly rounds: number;
  readonly scale: number;
  readonly rows: readonly Row[];
}

export async function documentBenchmark(options: DocumentOptions): Promise<void> {
  const { place, bundle } = options;
  const servers: MeasuredServer[] = [];
  const started = async (server: Promise<MeasuredServer>): Promise<MeasuredServer> => {
    servers.push(await server);
    return server;
  };
  try {
    const hello = await started(startHello());
    const handwritten = await started(startHandwritten(place, "open"));
    const guardedByHand = await started(startHandwritten(place, "guarded"));
    const open = await started(startGenerated(bundle, place, "open"));
    const guarded = await started(startGenerated(bundle, place, "guarded"));
    const measured = await interleaved(hello, [handwritten, open, guardedByHand, guarded], options);
    report(measured, handwritten.name, options.rounds);
    summarize(measured, handwritten.name, open.name);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

type Measured = Map<string, Map<string, Measure[]>>;

async function interleaved(
  hello: MeasuredServer,
  compared: readonly MeasuredServer[],
  { rounds, scale, rows }: DocumentOptions,
): Promise<Measured> {
  const measured: Measured = new Map();
  const ids = new Map<MeasuredServer, readonly string[]>([[hello, []]]);
  for (const server of compared) ids.set(server, await seed(server, 5_000));
  for (let round = -1; round < rounds; round++) {
    for (const row of [helloRow, ...rows]) {
      // The order changes, so that none always comes first.
      const inTurn = round % 2 === 0 ? compared : compared.toReversed();
      for (const server of row === helloRow ? [hello] : inTurn) {
        const amount = Math.max(100, Math.round(row.amount * scale * (round < 0 ? 0.5 : 1)));
        const one = await measure(server, row, ids.get(server) ?? [], amount);
        if (round >= 0) remember(measured, row, server, one);
      }
      process.stderr.write(
        `\rround ${Math.max(round, 0) + (round < 0 ? 0 : 1)} of ${rounds}: ${row.name}          `,
      );
    }
  }
  process.stderr.write("\n");
  return measured;
}

function remember(measured: Measured, row: Row, server: MeasuredServer, one: Measure): void {
  const byServer = measured.get(row.name) ?? new Map<string, Measure[]>();
  measured.set(row.name, byServer);
  byServer.set(server.name, [...(byServer.get(server.name) ?? []), one]);
}

function report(measured: Measured, reference: string, rounds: number): void {
  console.log(
    "| row | server | CPU µs/request | requests/s | p50 ms | p99 ms | RSS MiB | throughput | CPU |",
  );
  console.log("|---|---|---:|---:|---:|---:|---:|---:|---:|");
  for (const [row, byServer] of measured) {
    for (const [server, all] of byServer) {
      const base = byServer.get(server.endsWith(RULES) ? reference + RULES : reference);
      const cells = [
        middle(all.map(({ cpu }) => cpu)).toFixed(1),
        middle(all.map(({ perSecond }) => perSecond)).toFixed(0),
        middle(all.map(({ p50 }) => p50)).toFixed(1),
        middle(all.map(({ p99 }) => p99)).toFixed(1),
        (middle(all.map(({ rss }) => rss)) / 2 ** 20).toFixed(0),
        ratio(base, all, (its, own) => own.perSecond / its.perSecond),
        ratio(base, all, (its, own) => its.cpu / own.cpu),
      ];
      console.log(`| ${row} | ${server} | ${cells.join(" | ")} |`);
    }
  }
  console.log(
    `\nthroughput: of the server / ${reference}; CPU: ${reference} / of the server, a request. Medians of ${rounds} interleaved rounds; above 1 is better.`,
  );
}

/** CPU a request, reference to generated: the median of the rounds, and the range of the middle half of them. */
function summarize(measured: Measured, reference: string, generated: string): void {
  console.log("\n| CPU, reference / generated | auth: disabled | with sessions and rules |\n|---|---:|---:|");
  for (const [row, byServer] of measured) {
    const cells = ["", RULES].map((rules) => {
      const base = byServer.get(reference + rules);
      const all = byServer.get(generated + rules);
      if (base === undefined || all === undefined) return "";
      const ratios = all.map(({ cpu }, round) => (base[round]?.cpu ?? cpu) / cpu).sort((a, b) => a - b);
      const at = (part: number) => (ratios[Math.round((ratios.length - 1) * part)] ?? Number.NaN).toFixed(2);
      return `${at(0.5)} (${at(0.25)}-${at(0.75)})`;
    });
    if (cells.some((cell) => cell !== "")) console.log(`| ${row} | ${cells.join(" | ")} |`);
  }
}

/** The median of the rounds. */
function ratio(
  reference: readonly Measure[] | undefined,
  all: readonly Measure[],
  compare: (its: Measure, own: Measure) => number,
): string {
  if (reference === undefined) return "";
  return middle(all.map((own, round) => compare(reference[round] ?? own, own))).toFixed(2);
}
