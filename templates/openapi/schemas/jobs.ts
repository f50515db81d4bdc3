import { addPage, closed, timestamp } from "./common.ts";
import type { Ref, SchemaPool } from "./pool.ts";

/** The schemas of work that goes on in the background. */
export interface JobSchemas {
  readonly job: Ref;
  readonly jobs: Ref;
}

export function jobSchemas(pool: SchemaPool): JobSchemas {
  const later = { ...timestamp, type: ["string", "null"] };
  const job = pool.add(
    "Job",
    closed({
      id: { type: "string" },
      kind: {
        type: "string",
        enum: ["org_delete", "assign_org", "text_index", "mail", "retention"],
        description:
          "Erases what a deleted organization leaves, gives documents to an organization, brings documents into a text index, sends a mail, or removes what has expired (one that never ends).",
      },
      status: { type: "string", enum: ["queued", "running", "succeeded", "failed", "cancelled"] },
      target: {
        type: "string",
        description: "`org:<id>`, `collection:<database>/<collection>`, `mail`, `realm`.",
      },
      created_at: timestamp,
      started_at: later,
      finished_at: later,
      result: { type: ["object", "null"], description: "Counts, once it has succeeded." },
      error: { type: ["string", "null"], description: "Why it failed." },
    }),
  );
  return { job, jobs: addPage(pool, "JobPage", job) };
}
