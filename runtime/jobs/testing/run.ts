import { Outdated } from "../../retry.ts";
import type { JobKind, JobRealm } from "../kind.ts";
import { JobWorker } from "../worker.ts";

/** Whether another step is to begin. */
export type GoOn = () => Promise<boolean>;

/** Does what is due of a realm's jobs, and what comes due by it at once; ends before a step that is not to begin. */
export async function runJobs(
  realm: JobRealm,
  kinds: readonly JobKind[],
  goOn: GoOn = async () => true,
): Promise<void> {
  let stopped: Promise<void> | undefined;
  const worker = new JobWorker(
    realm,
    kinds.map((kind) => ({
      ...kind,
      async step(...given) {
        if (stopped === undefined && (await goOn())) return kind.step(...given);
        stopped ??= worker.stop(0);
        throw new Outdated();
      },
    })),
  );
  worker.wake();
  await worker.idle();
  await (stopped ?? worker.stop(0));
}
