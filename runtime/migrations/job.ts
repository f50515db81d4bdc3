import type { JobKind } from "../jobs/kind.ts";
import { storeNameOf } from "../realm/definition.ts";
import { isPending, migrateCollection } from "./pass.ts";
import { tellEnd, tellingRefused } from "./telling.ts";

const minute = 60_000;

/** Milliseconds until it is looked whether another process is done with what it migrates, or a pause is over. */
const LOOK = 5_000;

/** Whose documents are to be migrated. */
interface Migrating {
  /** As the store names the collection. */
  readonly collection: string;
}

/**
 * Migrates documents beside the requests of a realm that asks for that. How far it has come is recorded batch by batch, so
 * that the next process goes on right there. Where old bundles share the store, what they have written since is looked for
 * at every start, also where documents are migrated before it.
 */
export const migrating: JobKind = {
  name: "migration",
  limit: 1,
  // Want of space may last for a while: two days.
  backoff: [1_000, 10_000, minute, ...Array.from({ length: 288 }, () => 10 * minute)],
  needed({ definition, store }) {
    const isLooked = definition.migrations === "start" && store.isShared;
    if (definition.migrations !== "background" && !isLooked) return [];
    return definition.collections
      .filter(({ migrations }) => migrations !== undefined)
      .map((collection) => {
        const state: Migrating = { collection: storeNameOf(collection) };
        return { target: `collection:${collection.database}/${collection.name}`, state };
      });
  },
  async step({ definition: realm, store, clock, log }, job, { goesOn, signal }) {
    const state: Migrating = JSON.parse(job.state);
    const definition = realm.collections.find((each) => storeNameOf(each) === state.collection);
    // Nothing is left to do of one that is declared no longer.
    if (definition === undefined) return {};
    if (!store.isShared && !(await isPending({ store, definition }))) return {};
    const end = await migrateCollection({
      store,
      definition,
      authored: realm.accounts !== undefined,
      clock,
      goesOn: () => goesOn() && !signal.aborted,
      pausable: true,
      refused: tellingRefused({ definition }, log),
    });
    if (end === "stopped") return { state };
    if (end === "taken" || end === "paused") return { state, pause: LOOK };
    tellEnd({ definition }, end, log);
    return {};
  },
};
