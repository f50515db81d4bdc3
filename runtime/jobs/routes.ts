import { appendAudit } from "../auth/administration/audit.ts";
import { administratorRoute } from "../auth/contracted.ts";
import { answerPage, listOf, oneOf, pageRequest } from "../auth/paging.ts";
import * as contract from "../contract/jobs.ts";
import { ApiError } from "../errors.ts";
import { eq, type Filter, TRUE } from "../filter/algebra.ts";
import { documentFields } from "../filter/fields.ts";
import { routeTable } from "../http/contracted-routes.ts";
import type { JsonObject } from "../json.ts";
import type { RealmInstance, RouteTable } from "../realm/exchange.ts";
import { findJob, retryJob } from "./queue.ts";
import { type JobRecord, jobCollection, jobFields, jobStatuses, readJob } from "./records.ts";

const jobList = listOf(
  jobCollection,
  documentFields.id,
  readJob,
  (job) => [job.created_at, job.id],
  "newest first",
);

/** Newest first; all, or those of a `status`. */
const listJobs = administratorRoute(
  contract.listJobs,
  (realm) =>
    async ({ query }) =>
      answerPage(realm, jobList, search(query), pageRequest(query), jobView),
);

const getJob = administratorRoute(
  contract.getJob,
  (realm) =>
    async ({ params }) =>
      jobView(await requireJob(realm, params.id)),
);

/** One that has failed goes on where it was, with as many attempts as a new one; audited. */
const retry = administratorRoute(contract.retryJob, (realm) => async ({ exchange, params }, { caller }) => {
  const { id, kind } = await requireJob(realm, params.id);
  const job = await retryJob(realm, id, (transaction) =>
    appendAudit(realm, transaction, exchange, caller, {
      action: "job.retry",
      target: `job:${id}`,
      details: { kind },
    }),
  );
  if (job === undefined) throw new ApiError("conflict", "The job has not failed.");
  realm.wakeJobs();
  return jobView(job);
});

/** The routes of `/v1/{realm}/_admin/jobs` (api-decisions: Administrator routes). */
export function jobRoutes(realm: string): RouteTable {
  return routeTable(realm, [listJobs, getJob, retry]);
}

/** @throws ApiError `not_found` */
async function requireJob({ store }: RealmInstance, id: string): Promise<JobRecord> {
  const job = await findJob(store, id);
  if (job === undefined) throw new ApiError("not_found", "There is no such job.");
  return job;
}

/** @throws ApiError `invalid_query` */
function search(query: ReadonlyMap<string, string>): Filter {
  const status = oneOf(query, "status", jobStatuses);
  return status === undefined ? TRUE : eq(jobFields.status, status);
}

/** What everybody sees of it who may see it at all. */
export function jobView(job: JobRecord): JsonObject {
  const { id, kind, status, target, created_at, started_at, finished_at, result, error } = job;
  const [shown = kind] = kind.split(":", 1);
  return { id, kind: shown, status, target, created_at, started_at, finished_at, result, error };
}
