import type { Clock } from "../../clock.ts";
import type { Incoming } from "../../documents/importing/incoming.ts";
import { DocumentMaker } from "../../documents/importing/maker.ts";
import { Rejected } from "../../documents/importing/rejected.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import { paced } from "../progress.ts";
import type { CollectionOptions, Destination } from "./destination.ts";
import type { Counts } from "./import-position.ts";
import type { RealmInputs } from "./import-sources.ts";
import { upcomingIn } from "./import-upcoming.ts";
import { importAuthor } from "./importing.ts";
import type { Input } from "./input.ts";
import { pathOf } from "./selection.ts";

/** What has become of the documents of an input. */
export interface Imported extends Counts {
  readonly realm: string;
  /** `<database>/<collection>`, or `_users`. */
  readonly collection: string;
}

/** What is imported into a realm, and how. */
export interface RealmImport extends Pick<CollectionOptions, "mode" | "meta" | "batch" | "rejects" | "tell"> {
  readonly destination: Destination;
  readonly inputs: RealmInputs;
  readonly clock: Clock;
  /** There are other realms, too. */
  readonly isOneOfMany: boolean;
}

/** Tells documents that would be taken from those that schema, ids or `_meta` reject; of a merge that depends on what there is. */
function fitting(
  { mode, meta, clock, inputs: { realm } }: RealmImport,
  definition: CollectionDefinition,
): (incoming: Incoming) => boolean {
  if (mode === "merge") return () => true;
  const maker = new DocumentMaker({ definition, mode, meta, clock, author: importAuthor(realm) });
  return (incoming) => {
    try {
      maker.prepared(maker.draft(incoming), undefined);
      return true;
    } catch (error) {
      if (error instanceof Rejected) return false;
      throw error;
    }
  };
}

/**
 * Imports one input after the other: those whom documents belong to come before these. How far each is stays where they are
 * imported into.
 * @throws UsageError, or as {@link Destination} does
 */
export async function importRealm(options: RealmImport): Promise<readonly Imported[]> {
  const { destination, inputs: ofRealm, mode, meta, tell } = options;
  const { realm, inputs, records } = ofRealm;
  const isOneOfMany = options.isOneOfMany || records.length + inputs.length > 1;
  await destination.prepare(ofRealm);
  const imported: Imported[] = [];
  for (const { input, ...ofKind } of records) {
    const { path } = ofKind.kind;
    const counts = await destination.importRecords?.({ ...how(input, path), records: ofKind });
    if (counts === undefined) throw new Error("only stores take records of the service");
    imported.push(importedOf(path, counts));
  }
  const upcoming = await upcomingIn(inputs, tell, (definition) => fitting(options, definition));
  try {
    for (const { definition, input } of inputs) {
      const path = pathOf(definition);
      const counts = await destination.import({ ...how(input, path), definition, meta, upcoming });
      imported.push(importedOf(path, counts));
    }
    return imported;
  } finally {
    upcoming.close();
  }

  function how(input: Input, path: string) {
    return {
      ...options,
      ...{ realm, input, isOneOfMany },
      asked: JSON.stringify({ from: input.name, mode, meta, ...(ofRealm.files && { files: true }) }),
      progress: paced((counts: Counts, seconds) => {
        const done = counts.created + counts.replaced + counts.rejected;
        tell(`${realm.name} ${path}: ${done} documents, ${Math.round(done / seconds)}/s`);
      }),
    };
  }

  function importedOf(path: string, { created, replaced, rejected }: Counts): Imported {
    return { realm: realm.name, collection: path, created, replaced, rejected };
  }
}
