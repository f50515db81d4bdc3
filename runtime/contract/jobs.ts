/** api-decisions: Administrator routes about jobs. */
import { contract, type RouteContract } from "./contract.ts";
import { paging } from "./parameters.ts";
import { closed, id, named, page, timestamp } from "./schema.ts";

export const administrationTag = "administration";
const tag = administrationTag;

const sees = { kind: "administrator", area: "functions", or: "data", to: "see" } as const;
const changes = { ...sees, to: "change" } as const;

const later = { ...timestamp, type: ["string", "null"] } as const;

export const job = named(
  "Job",
  closed({
    id,
    kind: {
      type: "string",
      enum: [
        "org_delete",
        "assign_org",
        "text_index",
        "mail",
        "retention",
        "key-ends",
        "function.call",
        "function.event",
        "function.schedules",
        "file_sweep",
        "image_versions",
        "migration",
      ],
      description:
        "Erases what a deleted organization leaves, gives documents to an organization, brings documents into a text index, sends a mail, removes what has expired (one that never ends), runs a function that was called in the background, or one for what has happened, begins what schedules have due (one that never ends, too), removes the bytes of files that no document names (another), makes the versions of an image, or migrates the documents of a collection.",
    },
    status: { type: "string", enum: ["queued", "running", "succeeded", "failed", "cancelled"] },
    target: {
      type: "string",
      description:
        "`org:<id>`, `collection:<database>/<collection>`, `mail`, `realm`, `function:<database>/<function>`.",
    },
    created_at: timestamp,
    started_at: later,
    finished_at: later,
    result: { type: ["object", "null"], description: "Counts, once it has succeeded." },
    error: { type: ["string", "null"], description: "Why it failed." },
  }),
);

export const listJobs = contract({
  id: "adminListJobs",
  method: "GET",
  path: "/_admin/jobs",
  who: sees,
  query: [...paging, "JobStatus"],
  answers: { 200: { description: "A page.", schema: page("JobPage", job) } },
  tag,
  summary: "List jobs",
  about: "Newest first.",
  client: { method: "$admin.listJobs", options: "JobOptions" },
});

export const getJob = contract({
  id: "adminGetJob",
  method: "GET",
  path: "/_admin/jobs/{id}",
  who: sees,
  answers: { 200: { description: "The job.", schema: job } },
  tag,
  summary: "Fetch a job",
  client: "$admin.getJob",
});

export const retryJob = contract({
  id: "adminRetryJob",
  method: "POST",
  path: "/_admin/jobs/{id}/retry",
  who: changes,
  answers: { 202: { description: "The job, which waits for its turn.", schema: job } },
  errors: ["conflict"],
  tag,
  summary: "Retry a failed job",
  about:
    "It goes on where it was, with as many attempts as a new one. One that has not failed: `409 conflict`.",
  client: "$admin.retryJob",
});

export const jobs: readonly RouteContract[] = [listJobs, getJob, retryJob];
