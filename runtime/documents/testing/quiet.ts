import { setTimeout } from "node:timers/promises";
import { expect } from "vitest";
import { jobCollection } from "../../jobs/records.ts";
import type { FaultProxy } from "../../store/mongodb/testing/faults.ts";
import { testClient } from "../../store/mongodb/testing/server.ts";
import { until } from "../../testing/until.ts";

/** Milliseconds without a command after which none is under way. */
const silence = 200;

/**
 * Resolves when jobs that began with a server, or by a sign-up's mail, have come to their end: after that a server whose
 * clock is held asks its database for nothing by itself.
 * @param database of its realm
 */
export async function untilQuiet(proxy: FaultProxy, database: string): Promise<void> {
  const jobs = (await testClient())
    .db(database)
    .collection<{ claimed_by?: string; result: unknown }>(jobCollection);
  await until(
    async () => {
      const found = await jobs.find().toArray();
      // The standing ones, done for the first time.
      expect(found.length).toBeGreaterThan(0);
      expect(found.filter(({ claimed_by, result }) => claimed_by !== undefined || result === null)).toEqual(
        [],
      );
    },
    { limit: 60_000, interval: 50 },
  );
  for (let seen = -1; seen < proxy.commands.length; await setTimeout(silence)) seen = proxy.commands.length;
}
