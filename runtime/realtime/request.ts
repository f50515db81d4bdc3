import type { openRealtimeStream } from "../contract/realtime.ts";
import { ApiError } from "../errors.ts";
import type { BodyOf, Judge, ReadBody } from "../http/contract-body.ts";
import type { RealtimeLimits } from "../realm/definition.ts";

type Body = BodyOf<typeof openRealtimeStream>;

/** A subscription as it is asked for (spec: Realtime subscription): with at most one of `where` and `doc`. */
export type Asked = Body["subscriptions"][number];

/**
 * The subscriptions that a stream is asked for: their shape alone is judged.
 * @throws ApiError as `read`, with paths as `subscriptions.0.id` | `too_many_subscriptions`
 */
export function readSubscriptions(
  read: ReadBody<Body>,
  { maxSubscriptions }: Pick<RealtimeLimits, "maxSubscriptions">,
): readonly Asked[] {
  const { subscriptions } = read(judge);
  if (subscriptions.length <= maxSubscriptions) return subscriptions;
  throw new ApiError(
    "too_many_subscriptions",
    `A stream has at most ${maxSubscriptions} subscriptions; open another one for more.`,
  );
}

const judge: Judge<Body> = ({ subscriptions = [] }, tell) => {
  const ids = new Set<string>();
  for (const [at, { id, where, doc }] of subscriptions.entries()) {
    if (where !== undefined && doc !== undefined)
      tell(`subscriptions.${at}.doc`, "excludes where: a subscription has one of the two");
    if (ids.has(id)) tell(`subscriptions.${at}.id`, "must be unique");
    ids.add(id);
  }
};
