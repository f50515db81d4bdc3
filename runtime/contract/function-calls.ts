/** functions.md: functions that requests have run. What they take and return is made of their schemas. */
import { contract, type RouteContract } from "./contract.ts";
import { queuedJob } from "./function-jobs.ts";
import { closed, named } from "./schema.ts";
import { ofFunction, type RealmTraits } from "./traits.ts";

/** What both kinds have in common. */
const requested = {
  method: "POST",
  path: "/{database}/_func/{fn}",
  who: { kind: "invoker" },
  refusesFreely: true,
  tag: "{database}",
} as const;

/** What may become of a run. */
const runErrors = ofFunction(({ secrets }) => [
  ...(["function_failed", "invalid_output", "function_timeout"] as const),
  ...(secrets.length > 0 ? (["secret_missing"] as const) : []),
]);

const replayed = ({ auth, fn }: RealmTraits) =>
  auth && fn?.idempotency !== "none" ? { "Idempotent-Replayed": "IdempotentReplayed" as const } : {};

const call = {
  ...requested,
  id: "call{stem}",
  query: ["Async"],
  headers: ["IdempotencyKeyOfCall", "RequiredIdempotencyKey"],
  answers: {
    200: { description: "What it returned.", schema: { made: "Result" }, headers: replayed },
    202: {
      description: "The job that makes the call, with `async=true`.",
      schema: queuedJob,
      headers: (realm: RealmTraits) => ({ Location: "JobLocation" as const, ...replayed(realm) }),
    },
  },
  errors: ofFunction(({ idempotency }, realm) => [
    ...runErrors(realm),
    "too_many_requests" as const,
    ...(idempotency === "required" ? (["idempotency_key_required"] as const) : []),
    ...(realm.auth && idempotency !== "none"
      ? (["request_in_progress", "idempotency_key_reused"] as const)
      : []),
  ]),
  summary: "Call {fn}",
  about: ofFunction(({ idempotency }) =>
    [
      "At once, or by a job.",
      ...(idempotency === "none" ? ["It takes no `Idempotency-Key`: every call is one more."] : []),
    ].join(" "),
  ),
} as const;

export const callFunction = contract({
  ...call,
  body: { schema: { made: "Arguments" }, media: "json" },
  when: ({ fn }) => fn?.mode === "call" && fn.input !== undefined,
});

export const callFunctionWithoutInput = contract({
  ...call,
  body: { schema: named("NoArguments", closed({})), media: "json", optional: true },
  when: ({ fn }) => fn?.mode === "call" && fn.input === undefined,
});

const bytes = named("Bytes", { description: "Whatever it is: it is not looked at." });

export const receiveWebhook = contract({
  ...requested,
  id: "webhook{stem}",
  body: { schema: bytes, media: "any", optional: true },
  answers: {
    200: {
      description: "What the function returns, as it does without a status.",
      schema: bytes,
      media: "*/*",
    },
    default: {
      description: "What the function returns: status, headers and body are its own.",
      schema: bytes,
      media: "*/*",
    },
  },
  errors: runErrors,
  summary: "The webhook {fn}",
  about: "The function gets the bytes of the body, the query and all headers as they come.",
  when: ({ fn }) => fn?.mode === "webhook",
});

/** Those of each function. */
export const functionCalls: readonly RouteContract[] = [
  callFunction,
  callFunctionWithoutInput,
  receiveWebhook,
];
