import { setTimeout } from "node:timers/promises";
import { ApiError } from "../errors.ts";
import { retryJob } from "../jobs/queue.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import { findOrganization } from "./change.ts";

/** Milliseconds for which a request waits, and between two looks. */
const longest = 5_000;
const between = 50;

/**
 * Waits until nothing of a deleted organization is left to be erased, as it has to be before it is active again. A job
 * that failed is tried once more.
 * @throws ApiError `conflict`, naming the job, where that takes longer
 */
export async function finishErasing(
  realm: Pick<RealmInstance, "store" | "clock" | "wakeJobs">,
  id: string,
  patience = longest,
): Promise<void> {
  const until = performance.now() + patience;
  for (let looked = false; ; looked = true) {
    const job = (await findOrganization(realm, id))?.record.cleanup?.job;
    if (job === undefined) return;
    if (!looked) {
      await retryJob(realm, job);
      realm.wakeJobs();
    }
    if (performance.now() >= until) throw stillErasing(job);
    await setTimeout(between);
  }
}

export function stillErasing(job: string): ApiError {
  return new ApiError(
    "conflict",
    `The job ${job} still erases what the organization left; try again later.`,
    {
      details: [{ path: "job", reason: job }],
    },
  );
}
