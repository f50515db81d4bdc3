import { timestamp } from "../clock.ts";
import { and, compare, eq } from "../filter/algebra.ts";
import { documentFields } from "../filter/fields.ts";
import type { Order } from "../filter/order.ts";
import { type JobKind, type JobRealm, jobsKept } from "./kind.ts";
import { isOver, jobCollection, jobFields, readJob } from "./records.ts";

/** Jobs removed in one transaction. */
const batch = 200;

const newestFirst: Order = [jobFields.finished_at, documentFields.id].map((field) => ({
  field,
  descending: true,
}));

/** Removes jobs that are over beyond those that their kinds keep, the oldest of them; answers how many. */
export async function trimHistory(
  { store, clock }: Pick<JobRealm, "store" | "clock">,
  kinds: readonly JobKind[],
  goesOn: () => boolean,
): Promise<number> {
  let removed = 0;
  for (const { name, kept = jobsKept } of kinds) {
    const filter = and(
      eq(jobFields.kind, name),
      compare("lte", jobFields.finished_at, timestamp(clock.now())),
    );
    const jobs = store.collection(jobCollection);
    for (;;) {
      if (!goesOn()) return removed;
      const found = await jobs.find({
        filter,
        visibility: "live",
        order: newestFirst,
        limit: batch,
        skip: kept,
      });
      const over = found.filter((document) => isOver(readJob(document).record));
      if (over.length === 0) break;
      removed += await store.transaction((transaction) =>
        transaction.collection(jobCollection).removeAll(over),
      );
      if (found.length < batch) break;
    }
  }
  return removed;
}
