// Functions: what a webhook, a call, a trigger and a queued job cost, against the same handlers written by hand as routes;
// how long a trigger and a cold call take; what reads notice of a queue that is drained; what functions add to a start.
import { Report } from "../report.ts";
import { startGenerated, startHandwritten } from "../servers.ts";
import type { Setting } from "../setting.ts";
import { coldCalls } from "./cold.ts";
import { drain } from "./drain.ts";
import { requests } from "./requests.ts";
import { starts } from "./starts.ts";
import { triggers } from "./trigger.ts";

interface Options extends Omit<Setting, "report"> {
  /** Where files may be made. */
  readonly work: string;
  /** Another checkout: that of before, for start and memory. */
  readonly against: string | undefined;
}

export async function functionBenchmark({ work, against, ...options }: Options): Promise<void> {
  const { place, bundle, rounds } = options;
  const report = new Report();
  const setting: Setting = { ...options, report };
  const byHand = await startHandwritten(place, "functions");
  try {
    const generated = await startGenerated(bundle, place, "functions");
    try {
      const both = { byHand, generated };
      await requests(setting, both);
      await triggers(setting, both);
    } finally {
      await generated.stop();
    }
    await coldCalls(setting);
    await drain(setting, byHand);
  } finally {
    await byHand.stop();
  }
  // Of the embedded engine.
  if (!place.environment("functions")["SVC_STORE"]?.startsWith("mongodb"))
    await starts({ work, rounds, against, report });
  report.print("functions", `Medians of ${rounds} rounds, in turns; ratios above 1 are better.`);
}
