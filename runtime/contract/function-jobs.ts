/** functions.md: jobs of functions, for who queued them. */
import { contract, type RouteContract } from "./contract.ts";
import { job } from "./jobs.ts";
import { closed, id, named } from "./schema.ts";

const who = { kind: "queuer" } as const;
const tag = "{database}";

/** What is answered where a run is queued. */
export const queuedJob = named("QueuedJob", closed({ job: id }));

const functionJob = named(
  "FunctionJob",
  closed({
    ...job.schema.properties,
    result: { description: "What the call returned, once it has succeeded; else null." },
  }),
);

export const getFunctionJob = contract({
  id: "getJobOf{stem}",
  method: "GET",
  path: "/{database}/_jobs/{id}",
  who,
  answers: { 200: { description: "The job.", schema: functionJob } },
  errors: ["not_found"],
  tag,
  summary: "Fetch a job of a function",
  about: "For who had it queued, by whatever session or key of theirs, and for who administers functions.",
});

export const cancelFunctionJob = contract({
  id: "cancelJobOf{stem}",
  method: "DELETE",
  path: "/{database}/_jobs/{id}",
  who,
  answers: { 204: { description: "The job is over: a run that is under way ends." } },
  errors: ["not_found", "conflict"],
  tag,
  summary: "Cancel a job of a function",
  about: "One that has ended: `409 conflict`.",
});

/** Those of each database that has functions. */
export const functionJobs: readonly RouteContract[] = [getFunctionJob, cancelFunctionJob];
