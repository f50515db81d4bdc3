/** How a stream names organizations, and what is in them. */
import type { JsonObject } from "../../../runtime/json.ts";
import { type Ask, bodies } from "./ask.ts";
import type { Names } from "./town.ts";

const path = "/_realtime";

/** Subscriptions of `wiki`, unless they say otherwise. */
export function following(...subscriptions: readonly JsonObject[]): JsonObject {
  return {
    subscriptions: subscriptions.map((each, at) => ({
      id: `s${at}`,
      db: "main",
      collection: "wiki",
      ...each,
    })),
  };
}

export function streams({ org, team, user, documents, trashed }: Names): readonly Ask[] {
  const { wiki, tasks } = documents;
  const subscriptions: readonly JsonObject[] = [
    { doc: wiki },
    { doc: trashed },
    { where: { "_meta.org": org } },
    { where: { "_meta.org": { $ne: org } } },
    { where: { "_meta.team": { $in: [team] } } },
    { where: { "_meta.owner": user } },
    { where: { id: { $gte: wiki } } },
    { where: { task_id: tasks, page_ids: trashed } },
    // Not followed.
    { collection: "tasks", doc: tasks },
  ];
  return [
    ...bodies(path, following(...subscriptions.slice(0, -1))),
    ...subscriptions.map((each) => ({ path, body: following(each, {}) })),
    { path: `${path}?resume_from=${org}`, body: following({ doc: wiki }) },
    { path, body: following({ doc: wiki }), headers: { "last-event-id": org } },
  ];
}
