import { administratorRoute, type Need } from "../auth/administration/administrator.ts";
import { answerPage, invalidParameter, listOf, pageParameters, pageRequest } from "../auth/paging.ts";
import { ApiError } from "../errors.ts";
import { and, eq, type Filter, isIn } from "../filter/algebra.ts";
import { documentFields } from "../filter/fields.ts";
import type { JsonObject } from "../json.ts";
import type { RealmInstance, Route, RouteTable } from "../realm/exchange.ts";
import { findJob } from "./queue.ts";
import { type JobRecord, jobCollection, jobFields, jobStatuses, readJob } from "./records.ts";

/** The routes of `/v1/{realm}/_admin/jobs` (api-decisions: Administrator routes). */
export function jobRoutes(realm: string): RouteTable {
  const base = `/v1/${realm}/_admin/jobs`;
  return { [base]: { GET: listJobs }, [`${base}/:id`]: { GET: getJob } };
}

const need: Need = { area: "functions", or: "data", to: "see" };

const jobList = listOf(
  jobCollection,
  documentFields.id,
  readJob,
  (job) => [job.created_at, job.id],
  "newest first",
);

/** Kinds that administrators see; whom a realm mails is no concern of theirs. */
const shown: readonly string[] = ["org_delete", "assign_org"];

const statuses = jobStatuses.filter((status) => status !== "cancelled");

/** GET `/jobs`: newest first; all, or those of a `status`. */
function listJobs(realm: RealmInstance): Route {
  return administratorRoute(
    realm,
    need,
    async (_, _by, query) => answerPage(realm, jobList, search(query), pageRequest(query), jobView),
    [...pageParameters, "status"],
  );
}

/** GET `/jobs/{id}`. */
function getJob(realm: RealmInstance): Route {
  return administratorRoute(realm, need, async ({ params: { id = "" } }) => {
    const job = await findJob(realm.store, id);
    if (job === undefined || !shown.includes(job.kind))
      throw new ApiError("not_found", "There is no such job.");
    return { status: 200, body: JSON.stringify(jobView(job)) };
  });
}

/** @throws ApiError `invalid_query` */
function search(query: ReadonlyMap<string, string>): Filter {
  const status = query.get("status");
  const kinds = isIn(jobFields.kind, shown);
  if (status === undefined) return kinds;
  if (!statuses.some((known) => known === status))
    throw invalidParameter("status", `must be one of ${statuses.join(", ")}`);
  return and(kinds, eq(jobFields.status, status));
}

function jobView(job: JobRecord): JsonObject {
  const { id, kind, status, target, created_at, started_at, finished_at, result, error } = job;
  return { id, kind, status, target, created_at, started_at, finished_at, result, error };
}
