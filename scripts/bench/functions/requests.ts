import { middle } from "../middle.ts";
import { type Both, inTurn, type Setting } from "../setting.ts";
import { type Measure, measure, type Row, seed } from "../workload.ts";

const rows: readonly (Row & { readonly target: string })[] = [
  {
    name: "webhook that answers a constant",
    target: "at least 0.45",
    amount: 10_000,
    status: 200,
    consumes: false,
    request: ({ functions }) => ({
      method: "POST",
      path: `${functions}/hook`,
      headers: { "content-type": "application/octet-stream" },
      body: "x".repeat(500),
    }),
  },
  {
    name: "call with a read and a write",
    target: "at least 0.5",
    amount: 5_000,
    status: 200,
    consumes: true,
    request: ({ functions, next }) => ({
      method: "POST",
      path: `${functions}/take`,
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ id: next(), amount: 1 }),
    }),
  },
];

/** A webhook and a call, under 64 connections. */
export async function requests({ rounds, scale, report }: Setting, both: Both): Promise<void> {
  for (const server of [both.byHand, both.generated]) await seed(server, 100);
  for (const row of rows) {
    const amount = Math.max(100, Math.round(row.amount * scale));
    const [own, its]: [Measure[], Measure[]] = [[], []];
    // The first round warms up: threads start, too.
    for (let round = -1; round < rounds; round++) {
      for (const server of inTurn(both, round)) {
        const one = await measure(server, row, [], amount);
        if (round >= 0) (server === both.generated ? own : its).push(one);
      }
    }
    const ratio = (of: (own: Measure, its: Measure) => number) =>
      middle(own.map((one, round) => of(one, its[round] ?? one)));
    const figures = (of: (one: Measure) => number) =>
      `${middle(own.map(of)).toFixed(0)} / ${middle(its.map(of)).toFixed(0)}`;
    report.add(
      `${row.name}: CPU µs a request, ours / by hand`,
      figures(({ cpu }) => cpu),
      "",
    );
    report.add(
      `${row.name}: CPU, by hand / ours`,
      ratio((one, byHand) => byHand.cpu / one.cpu),
      row.target,
    );
    report.add(
      `${row.name}: throughput, ours / by hand`,
      ratio((one, byHand) => one.perSecond / byHand.perSecond),
      "",
    );
    report.add(
      `${row.name}: p99, ms, ours / by hand`,
      figures(({ p99 }) => p99),
      "",
    );
  }
}
