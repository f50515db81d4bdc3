import { assignOrganization } from "../documents/administration/assigning.ts";
import { runJobs } from "../jobs/run.ts";
import type { JobRealm, JobWorks } from "../jobs/step.ts";
import { eraseOrganization } from "../organizations/erasing.ts";
import type { Log } from "../realm/exchange.ts";
import { type BackgroundJob, type Every, holding, leaseTime, startJob } from "./job.ts";

const works: JobWorks = { org_delete: eraseOrganization, assign_org: assignOrganization };

/**
 * Does the jobs of realms that have any: at once, so that those go on which the last process left half done, whenever one
 * is queued, and every minute. Where the store is shared one instance does those of a realm at a time.
 */
export function startJobs(realms: readonly JobRealm[], log: Log, repeat: Every): BackgroundJob {
  const having = realms.filter(({ definition }) => definition.accounts?.organizations !== undefined);
  return startJob(repeat, async (stopped) => {
    for (const realm of having) {
      if (stopped()) return false;
      try {
        await runAlone(realm, stopped);
      } catch (err) {
        log.error({ err, realm: realm.definition.name }, "running jobs failed; trying again in a minute");
      }
    }
    return having.length === 0;
  });
}

async function runAlone(realm: JobRealm, stopped: () => boolean): Promise<void> {
  const lease = await realm.store.lease("jobs", leaseTime);
  if (lease === undefined) return;
  const hold = holding(lease, realm.clock);
  try {
    await runJobs(realm, works, async () => !stopped() && (await hold()));
  } finally {
    await lease.release();
  }
}
