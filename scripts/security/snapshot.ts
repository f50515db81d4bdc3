import { collections } from "../../runtime/auth/collections.ts";
import { realmCollections } from "../../runtime/instance/realm.ts";
import { jobCollection } from "../../runtime/jobs/records.ts";
import { isJsonObject, type JsonValue } from "../../runtime/json.ts";
import type { RealmDefinition } from "../../runtime/realm/definition.ts";
import type { Store } from "../../runtime/store/contract/store.ts";

/** Notes of use, which a look at something makes too. */
const passing = new Set(["last_used_at", "administered_at"]);

/** The jobs of the service's own, which run when they are due, whatever is asked. */
const ownJobs: ReadonlySet<string> = new Set(["retention", "function.schedules"]);

/**
 * Everything that a realm stores, but for when its sessions were used and what the service does by itself: what a refused
 * request must leave as it is.
 */
export async function snapshot(store: Store, definition: RealmDefinition): Promise<readonly string[]> {
  const found: string[] = [];
  for (const { name } of realmCollections(definition)) {
    const sessions = name === collections.sessions;
    const collection = store.collection(name);
    let after: string | undefined;
    for (;;) {
      const page = await collection.scan(after, 1_000);
      for (const { id, text, version } of page) {
        if (name === jobCollection && ownJobs.has(id)) continue;
        found.push(sessions ? `${name} ${id} ${withoutUse(text)}` : `${name} ${id} ${version} ${text}`);
      }
      if (page.length < 1_000) break;
      after = page.at(-1)?.id;
    }
  }
  return found;
}

function withoutUse(text: string): string {
  const record: JsonValue = JSON.parse(text);
  const kept = isJsonObject(record) ? Object.entries(record).filter(([name]) => !passing.has(name)) : [];
  return JSON.stringify(kept);
}
