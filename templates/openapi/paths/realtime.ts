import type { OpenAPIV3_1 } from "openapi-types";
import type { Build, Paths } from "../build.ts";
import { type RealtimeSchemas, realtimeSchemas } from "../schemas/realtime.ts";
import { accessBy } from "../security.ts";
import type { Described } from "./described.ts";
import type { Way } from "./way.ts";

export const realtimeTag: OpenAPIV3_1.TagObject = {
  name: "realtime",
  description: "Changes as they happen, of the collections that can be followed.",
};

/** spec: Realtime stream. None where no collection can be followed: the server has the route all the same. */
export function realtimePaths(build: Build, way: Way, described: readonly Described[]): Paths {
  const followed = described.filter(({ collection }) => collection.realtime !== undefined);
  if (followed.length === 0) return {};
  const { request, event }: RealtimeSchemas = realtimeSchemas(build.schemas, build.realm, followed);
  const accesses = followed.map(({ rules }) => accessBy(rules.read));
  const widest = (["anyone", "users"] as const).find((access) => accesses.includes(access)) ?? "keys";
  return {
    [`${way.base}/_realtime`]: build.path(way.parameters, {
      post: build.operation({
        id: way.id("openRealtimeStream"),
        tag: realtimeTag.name,
        summary: "Follow changes of documents",
        about: [
          "Server-sent events, to be read as they come: `ready` first, then what changes in each subscription from there on.",
          "To have what was there before, load the subscription by ordinary reads after `ready`, and pass over events whose `_meta.version` is not newer than the document held.",
          "Subscriptions see live documents that the caller may read; fields that the caller may not always read are unknown to `where`.",
          "Comments come every 25 seconds.",
        ].join(" "),
        parameters: ["ResumeFrom", "LastEventId"],
        body: { schema: request },
        answers: {
          200: {
            description: "The stream, until either side closes it.",
            schema: event,
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
        admits: way.admits(widest),
      }),
    }),
  };
}
