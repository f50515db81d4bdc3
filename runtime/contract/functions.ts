/** Design: functions; what administrators see and do of them. */
import { contract, type RouteContract } from "./contract.ts";
import { queuedJob } from "./function-jobs.ts";
import { administrationTag as tag } from "./jobs.ts";
import { paging } from "./parameters.ts";
import { closed, id, named, page, timestamp } from "./schema.ts";

const sees = { kind: "administrator", area: "functions", to: "see" } as const;

const count = { type: "integer", minimum: 0 } as const;
const outcomes = { succeeded: count, failed: count, timeout: count, cancelled: count } as const;

const realmFunction = named(
  "RealmFunction",
  closed({
    id: { type: "string", description: "`<database>/<function>`." },
    mode: { type: "string", enum: ["webhook", "call", "event"] },
    invocations: {
      ...closed(outcomes),
      description: "Those that are kept: of seven days, at most 1,000 of a function.",
    },
  }),
);

export const listFunctions = contract({
  id: "adminListFunctions",
  method: "GET",
  path: "/_admin/functions",
  who: sees,
  query: paging,
  answers: { 200: { description: "A page.", schema: page("FunctionPage", realmFunction) } },
  tag,
  summary: "List functions",
  about: "With counts of their invocations.",
  client: "$admin.listFunctions",
});

const invocation = named(
  "Invocation",
  closed({
    id,
    kind: { type: "string", enum: ["webhook", "call", "trigger", "schedule"] },
    status: { type: "string", enum: Object.keys(outcomes) },
    started_at: timestamp,
    duration_ms: { type: "integer", minimum: 0, description: "In its thread." },
    attempt: { type: "integer", minimum: 1 },
    caller: {
      type: ["string", "null"],
      description: "`user:<id>`, `key:<name>` or `anonymous`; null: nobody called it.",
    },
    request_id: { type: "string" },
    error: {
      anyOf: [
        closed(
          {
            code: { type: "string" },
            message: { type: "string" },
            details: {
              type: "array",
              description: "Of what it was refused, as requests are told; at most 20.",
              items: { type: "object" },
            },
          },
          ["code", "message"],
        ),
        { type: "null" },
      ],
    },
    logs: {
      type: "array",
      description: "At most 64 KiB.",
      items: closed({
        at: timestamp,
        level: { type: "string", enum: ["debug", "info", "warn", "error"] },
        message: { type: "string" },
        fields: { type: "object" },
      }),
    },
  }),
);

export const listInvocations = contract({
  id: "adminListInvocations",
  method: "GET",
  path: "/_admin/functions/{database}/{fn}/invocations",
  who: sees,
  query: [...paging, "InvocationStatus"],
  answers: { 200: { description: "A page.", schema: page("InvocationPage", invocation) } },
  tag,
  summary: "List invocations of a function",
  about: "Newest first. Inputs, outputs and secrets are not kept.",
  client: { method: "$admin.listInvocations", options: "InvocationOptions" },
});

export const runFunction = contract({
  id: "adminRunFunction",
  method: "POST",
  path: "/_admin/functions/{database}/{fn}/run",
  who: { ...sees, to: "change" },
  body: {
    schema: named(
      "FunctionRun",
      closed(
        {
          kind: { type: "string", enum: ["schedule", "trigger"] },
          collection: {
            type: "string",
            description: "Of a trigger: `<collection>` or `<database>/<collection>`.",
          },
          event: { type: "string", enum: ["create", "update", "delete"] },
          document: { type: "string", description: "Id of a document that is there now." },
        },
        ["kind"],
      ),
    ),
    media: "json",
  },
  answers: { 202: { description: "The job that runs it.", schema: queuedJob } },
  tag,
  summary: "Run an event function by hand",
  about: "As if its schedule were due, or as if the event had just happened to the document.",
  client: "$admin.runFunction",
});

export const functions: readonly RouteContract[] = [listFunctions, listInvocations, runFunction];
