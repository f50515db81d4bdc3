/** Where the bytes of files lie: in an exported folder, and in the storage of realms. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { RealmDefinition } from "../../realm/definition.ts";
import { UsageError } from "../command.ts";
import { type FilePlace, usualPlace } from "../copy/places.ts";
import type { Included } from "./include.ts";
import type { Place } from "./places.ts";

/** In the folder of a realm: the folder of the bytes, and with `.ndjson` the list of them. */
export const filesName = "_files";

/** By the names of realms. */
export type FilePlaces = ReadonlyMap<string, FilePlace>;

/**
 * Where the files of realms lie that have any; empty where files are not asked for.
 * @throws UsageError where that is not said
 */
export function filePlaces(asked: {
  readonly all: ReadonlySet<Included>;
  /** `SVC_DATA`, as the command line says it. */
  readonly data: string | undefined;
  readonly place: Place;
  readonly realms: readonly RealmDefinition[];
}): FilePlaces {
  const { all, data, place, realms } = asked;
  if (!all.has("files") || place.kind === "server") {
    if (data !== undefined) throw new UsageError("--data is for --include files");
    return new Map();
  }
  if (data !== undefined && !existsSync(data)) throw new UsageError(`--data: there is no folder ${data}`);
  const storing = realms.filter(({ storage }) => storage !== undefined);
  return new Map(
    storing.map((realm) => {
      const isBucket = realm.storage?.driver.kind === "s3";
      const own: FilePlace | undefined =
        data !== undefined && !isBucket
          ? { kind: "local", data: resolve(data) }
          : usualPlace(realm, place.location);
      if (own === undefined)
        throw new UsageError(
          `--data is missing: which folder do servers of ${realm.name} have for its files (SVC_DATA)?`,
        );
      return [realm.name, own];
    }),
  );
}
