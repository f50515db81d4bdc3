/** Streams under random writers, rights and cuts, against the lists that their callers see. */
import { writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isEmbedded } from "../../runtime/store/testing/stores.ts";
import { runs } from "../../runtime/testing/random.ts";
import { type Outcome, runSeed } from "./model/run.ts";
import { compileVariants, setStage } from "./model/stage.ts";

/** The seed of this run; another one by `REALTIME_SEED`. */
const seed = Number(process.env["REALTIME_SEED"] ?? 100);
const sequences = Number(process.env["REALTIME_RUNS"] ?? runs(isEmbedded ? 40 : 10));
const length = Number(process.env["REALTIME_LENGTH"] ?? (isEmbedded ? 160 : 80));

/** What sequences meet, if not each of them: else they would prove little. */
const everywhere = [
  "reset access_changed",
  "reset config_changed",
  "reset history_expired",
  "reset slow_consumer",
  "session_ended deleted",
  "session_ended disabled",
  "session_ended revoked",
  "session_ended signed_out",
  "reauth",
];

const variants = await compileVariants();

describe("Realtime stream events 1 to 8: whatever happens", () => {
  const met = new Map<string, number>();

  it.each(Array.from({ length: sequences }, (_, at) => seed + at))(
    "each subscriber has what their list shows, and was told nothing else (seed %d)",
    async (each) => {
      const { faults, seen, outcomes, events, journal }: Outcome = await runSeed(
        (random) => setStage(variants, random),
        each,
        length,
      );
      for (const [what, count] of seen) met.set(what, (met.get(what) ?? 0) + count);
      if (process.env["REALTIME_TALK"]) console.log(each, events, Object.fromEntries([...seen, ...outcomes]));
      if (faults.length > 0 && process.env["REALTIME_JOURNAL"]) {
        writeFileSync(`${process.env["REALTIME_JOURNAL"]}.${each}`, journal.join("\n"));
      }
      if (faults.length > 0) expect.fail(`seed ${each}:\n${faults.slice(0, 20).join("\n")}`);
    },
    600_000,
  );

  it.skipIf(sequences < 4)("they meet what the rules speak of", () => {
    expect(everywhere.filter((outcome) => !met.has(outcome))).toEqual([]);
  });
});
