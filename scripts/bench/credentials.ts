// What looking at a credential costs: get by id in a realm with `auth: disabled` and, in the same process, in one whose
// rules allow everything, with a session and with an API key.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { middle } from "./middle.ts";
import type { MeasuredRealm, Place } from "./place.ts";
import { type MeasuredServer, startGenerated } from "./servers.ts";
import { type Measure, measure, rows, seed } from "./workload.ts";

export interface CredentialOptions {
  readonly place: Place;
  readonly bundle: string;
  readonly rounds: number;
  readonly scale: number;
}

export async function credentialBenchmark(options: CredentialOptions): Promise<void> {
  const { place, bundle } = options;
  const server = await startGenerated(bundle, place, "checked");
  try {
    const key = makeKey(bundle, place, "checked");
    await compareCallers(
      [
        { ...server, name: "auth: disabled", realm: place.nameOf("open"), headers: {} },
        { ...server, name: "session" },
        { ...server, name: "API key", headers: { authorization: `Bearer ${key}` } },
      ],
      options,
    );
  } finally {
    await server.stop();
  }
}

/** A get by id by each caller in turn, of documents of their own; reports them against the first. */
export async function compareCallers(
  callers: readonly MeasuredServer[],
  { rounds, scale }: Pick<CredentialOptions, "rounds" | "scale">,
): Promise<void> {
  const [row] = rows;
  if (row === undefined) return;
  const ids = new Map<MeasuredServer, readonly string[]>();
  for (const caller of callers) ids.set(caller, await seed(caller, 5_000));
  const measured = new Map<MeasuredServer, Measure[]>(callers.map((caller) => [caller, []]));
  // The first round warms up. The order changes, so that none always comes first.
  for (let round = -1; round < rounds; round++) {
    for (const caller of round % 2 === 0 ? callers : callers.toReversed()) {
      const one = await measure(caller, row, ids.get(caller) ?? [], Math.round(row.amount * scale));
      if (round >= 0) measured.get(caller)?.push(one);
    }
  }
  report(measured, rounds);
}

/** An operator's key. @param flags more words of `key create` */
export function makeKey(
  bundle: string,
  place: Place,
  realm: MeasuredRealm,
  flags: readonly string[] = [],
): string {
  const words = ["key", "create", "--realm", place.nameOf(realm), "--name", "bench", ...flags];
  const env = { ...process.env, ...place.environment(realm) };
  const output = execFileSync(process.execPath, [join(bundle, "server.mjs"), ...words], {
    env,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  return output.trim();
}

function report(measured: ReadonlyMap<MeasuredServer, readonly Measure[]>, rounds: number): void {
  const [[{ name: first }, base] = [{ name: "" }, []]] = measured;
  console.log(
    "\n| get by id with | CPU µs/request | requests/s | added CPU | added time |\n|---|---:|---:|---:|---:|",
  );
  for (const [{ name }, all] of measured) {
    const added = (of: (one: Measure) => number): string => {
      const ratios = all.map((one, round) => of(one) / of(base[round] ?? one));
      return `${((middle(ratios) - 1) * 100).toFixed(1)} %`;
    };
    const cells = [
      middle(all.map(({ cpu }) => cpu)).toFixed(1),
      middle(all.map(({ perSecond }) => perSecond)).toFixed(0),
      added(({ cpu }) => cpu),
      added(({ perSecond }) => 1 / perSecond),
    ];
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
  console.log(`\nMedians of ${rounds} rounds, against ${first} in the same round and process.`);
}
