import { type Administrator, administratorRoute, type Need } from "../auth/administration/administrator.ts";
import { appendAudit } from "../auth/administration/audit.ts";
import { answerPage, invalidParameter, listOf, pageParameters, pageRequest } from "../auth/paging.ts";
import { ApiError } from "../errors.ts";
import { eq, type Filter, TRUE } from "../filter/algebra.ts";
import { documentFields } from "../filter/fields.ts";
import type { JsonObject } from "../json.ts";
import type { RealmInstance, Received, Route, RouteTable } from "../realm/exchange.ts";
import { findJob, retryJob } from "./queue.ts";
import { type JobRecord, jobCollection, jobFields, jobStatuses, readJob } from "./records.ts";

/** The routes of `/v1/{realm}/_admin/jobs` (api-decisions: Administrator routes). */
export function jobRoutes(realm: string): RouteTable {
  const base = `/v1/${realm}/_admin/jobs`;
  return {
    [base]: { GET: listJobs },
    [`${base}/:id`]: { GET: getJob },
    [`${base}/:id/retry`]: { POST: retry },
  };
}

const sees: Need = { area: "functions", or: "data", to: "see" };
const changes: Need = { ...sees, to: "change" };

const jobList = listOf(
  jobCollection,
  documentFields.id,
  readJob,
  (job) => [job.created_at, job.id],
  "newest first",
);

/** GET `/jobs`: newest first; all, or those of a `status`. */
function listJobs(realm: RealmInstance): Route {
  return administratorRoute(
    realm,
    sees,
    async (_, _by, query) => answerPage(realm, jobList, search(query), pageRequest(query), jobView),
    [...pageParameters, "status"],
  );
}

/** GET `/jobs/{id}`. */
function getJob(realm: RealmInstance): Route {
  return administratorRoute(realm, sees, async (exchange) => {
    return { status: 200, body: JSON.stringify(jobView(await requireJob(realm, exchange))) };
  });
}

/** POST `/jobs/{id}/retry`: one that has failed goes on where it was, with as many attempts as a new one; audited. */
function retry(realm: RealmInstance): Route {
  return administratorRoute(realm, changes, async (exchange, { caller }: Administrator) => {
    const { id, kind } = await requireJob(realm, exchange);
    const job = await retryJob(realm, id, (transaction) =>
      appendAudit(realm, transaction, exchange, caller, {
        action: "job.retry",
        target: `job:${id}`,
        details: { kind },
      }),
    );
    if (job === undefined) throw new ApiError("conflict", "The job has not failed.");
    realm.wakeJobs();
    return { status: 202, body: JSON.stringify(jobView(job)) };
  });
}

/** @throws ApiError `not_found` */
async function requireJob({ store }: RealmInstance, { params: { id = "" } }: Received): Promise<JobRecord> {
  const job = await findJob(store, id);
  if (job === undefined) throw new ApiError("not_found", "There is no such job.");
  return job;
}

/** @throws ApiError `invalid_query` */
function search(query: ReadonlyMap<string, string>): Filter {
  const status = query.get("status");
  if (status === undefined) return TRUE;
  if (!jobStatuses.some((known) => known === status))
    throw invalidParameter("status", `must be one of ${jobStatuses.join(", ")}`);
  return eq(jobFields.status, status);
}

function jobView(job: JobRecord): JsonObject {
  const { id, kind, status, target, created_at, started_at, finished_at, result, error } = job;
  return { id, kind, status, target, created_at, started_at, finished_at, result, error };
}
