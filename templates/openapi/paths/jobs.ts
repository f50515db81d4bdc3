import type { Build, Paths } from "../build.ts";
import type { JobSchemas } from "../schemas/jobs.ts";
import { administrate } from "./administration.ts";

const areas = ["functions", "data"] as const;

/** api-decisions: Administrator routes about jobs. */
export function jobPaths(build: Build, { job, jobs }: JobSchemas): Paths {
  const path = `/v1/${build.realm.name}/_admin/jobs`;
  return {
    [path]: build.path([], {
      get: administrate(build, areas, {
        id: "adminListJobs",
        summary: "List jobs",
        about: "Newest first.",
        parameters: ["Limit", "After", "JobStatus"],
        answers: { 200: { description: "A page.", schema: jobs } },
      }),
    }),
    [`${path}/{id}`]: build.path(["Id"], {
      get: administrate(build, areas, {
        id: "adminGetJob",
        summary: "Fetch a job",
        answers: { 200: { description: "The job.", schema: job } },
      }),
    }),
    [`${path}/{id}/retry`]: build.path(["Id"], {
      post: administrate(build, areas, {
        id: "adminRetryJob",
        summary: "Retry a failed job",
        about:
          "It goes on where it was, with as many attempts as a new one. One that has not failed: `409 conflict`.",
        answers: { 202: { description: "The job, which waits for its turn.", schema: job } },
        errors: ["conflict"],
      }),
    }),
  };
}
