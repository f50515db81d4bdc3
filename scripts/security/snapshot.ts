import { collections } from "../../runtime/auth/collections.ts";
import { consumerShape } from "../../runtime/feed/consumer-position.ts";
import { realmCollections } from "../../runtime/instance/realm.ts";
import { laneCollection } from "../../runtime/jobs/lanes.ts";
import { jobCollection, readJob } from "../../runtime/jobs/records.ts";
import { isJsonObject, type JsonValue } from "../../runtime/json.ts";
import type { RealmDefinition } from "../../runtime/realm/definition.ts";
import type { StoredDocument } from "../../runtime/store/contract/document.ts";
import type { Store } from "../../runtime/store/contract/store.ts";

/** Notes of use, which a look at something makes too. */
const passing = new Set(["last_used_at", "administered_at"]);

/** The jobs of the service's own, which run when they are due, whatever is asked. */
const ownJobs: ReadonlySet<string> = new Set(["retention", "function.schedules", "file_sweep"]);

/** Where triggers stand, and which of their runs wait for which. */
const ofTriggers: ReadonlySet<string> = new Set([consumerShape.name, laneCollection]);

/**
 * Everything that a realm stores, but for when its sessions were used and what the service does by itself: what a refused
 * request must leave as it is. Triggers tell in their own time of what was written before; of what a refused request would
 * write, the document itself is here, and a run that it would begin by hand.
 */
export async function snapshot(store: Store, definition: RealmDefinition): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { name } of realmCollections(definition)) {
    if (ofTriggers.has(name)) continue;
    const sessions = name === collections.sessions;
    const collection = store.collection(name);
    let after: string | undefined;
    for (;;) {
      const page = await collection.scan(after, 1_000);
      for (const document of page) {
        const { id, text, version } = document;
        if (name === jobCollection && isOwnWork(document)) continue;
        found.push(sessions ? `${name} ${id} ${withoutUse(text)}` : `${name} ${id} ${version} ${text}`);
      }
      if (page.length < 1_000) break;
      after = page.at(-1)?.id;
    }
  }
  return found;
}

/** A job of the service's own, or a trigger's. */
function isOwnWork(document: StoredDocument): boolean {
  const { id, kind, created_by } = readJob(document).record;
  return ownJobs.has(id) || (kind.startsWith("function.event:") && created_by === "service");
}

function withoutUse(text: string): string {
  const record: JsonValue = JSON.parse(text);
  const kept = isJsonObject(record) ? Object.entries(record).filter(([name]) => !passing.has(name)) : [];
  return JSON.stringify(kept);
}
