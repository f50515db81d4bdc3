import { assignOrganization } from "../documents/administration/assigning.ts";
import { runJobs } from "../jobs/run.ts";
import type { JobLane, JobRealm } from "../jobs/step.ts";
import { eraseOrganization } from "../organizations/erasing.ts";
import type { Log } from "../realm/exchange.ts";
import { type BackgroundJob, type Every, startJob } from "./job.ts";

const organizations: JobLane = {
  name: "jobs",
  works: { org_delete: eraseOrganization, assign_org: assignOrganization },
};

/** Does the jobs of realms with organizations. */
export function startJobs(realms: readonly JobRealm[], log: Log, repeat: Every): BackgroundJob {
  const having = realms.filter(({ definition }) => definition.accounts?.organizations !== undefined);
  return startLane(having, organizations, log, repeat);
}

/**
 * Does the jobs of a lane: at once, so that those go on which the last process left half done, whenever one is queued, and
 * every minute. Where the store is shared one instance does those of a realm at a time.
 * @param isOver when nothing more is begun; default: when it is stopped
 */
export function startLane(
  realms: readonly JobRealm[],
  lane: JobLane,
  log: Log,
  repeat: Every,
  isOver?: () => boolean,
): BackgroundJob {
  return startJob(repeat, async (stopped) => {
    const over = isOver ?? stopped;
    for (const realm of realms) {
      if (over()) return false;
      try {
        await runJobs(realm, lane, async () => !over());
      } catch (err) {
        log.error({ err, realm: realm.definition.name }, "running jobs failed; trying again in a minute");
      }
    }
    return realms.length === 0;
  });
}
