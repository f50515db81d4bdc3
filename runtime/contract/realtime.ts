/** spec: Realtime stream. */
import { contract, type RouteContract } from "./contract.ts";
import { closed, named } from "./schema.ts";

export const realtimeTag = "realtime";

/** Characters of a subscription's id (spec: Limits). */
const longestId = 64;
/** Characters of the id of a document that is followed: no document has a longer one. */
const longestDoc = 128;

const name = { type: "string", minLength: 1, told: "must be a non-empty string" } as const;

const subscription = closed(
  {
    id: {
      ...name,
      maxLength: longestId,
      told: `must be a string of 1 to ${longestId} characters`,
    },
    db: name,
    collection: name,
    where: { type: "object", made: "Filter" },
    doc: {
      ...name,
      maxLength: longestDoc,
      told: `must be a string of 1 to ${longestDoc} characters`,
    },
  },
  ["id", "db", "collection"],
);

export const openRealtimeStream = contract({
  id: "openRealtimeStream",
  method: "POST",
  path: "/_realtime",
  who: { kind: "ruled", to: "see", by: [["read"]] },
  query: ["ResumeFrom"],
  headers: ["LastEventId"],
  body: {
    schema: named(
      "RealtimeRequest",
      closed({
        subscriptions: {
          type: "array",
          minItems: 1,
          itself: "must be a non-empty array",
          items: subscription,
        },
      }),
    ),
    shown: { made: "RealtimeRequest" },
    media: "json",
  },
  answers: {
    200: {
      description: "The stream, until either side closes it.",
      schema: { made: "RealtimeEvent" },
      media: "text/event-stream",
    },
  },
  errors: [
    "not_found",
    "realtime_not_enabled",
    "too_many_subscriptions",
    "invalid_resume_token",
    "too_many_requests",
    "realtime_unavailable",
  ],
  tag: realtimeTag,
  summary: "Follow changes of documents",
  about: [
    "Server-sent events, to be read as they come: `ready` first, then what changes in each subscription from there on.",
    "To have what was there before, load the subscription by ordinary reads after `ready`, and pass over events whose `_meta.version` is not newer than the document held.",
    "Subscriptions see live documents that the caller may read; fields that the caller may not always read are unknown to `where`.",
    "Comments come every 25 seconds.",
  ].join(" "),
  useful: ({ collections = [] }) => collections.length > 0,
});

export const realtime: readonly RouteContract[] = [openRealtimeStream];
