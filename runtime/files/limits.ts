import type { CollectionDefinition } from "../realm/definition.ts";
import { printSize } from "../units.ts";

/**
 * Problems of a start, each naming its file: fields whose files could be larger than what goes through the server, and
 * could come no other way.
 * @param most `SVC_MAX_UPLOAD_BYTES`
 */
export function checkUploadLimits(
  collections: readonly CollectionDefinition[],
  most: number,
): readonly string[] {
  return collections.flatMap(({ realm, database, name, files = [] }) =>
    files
      .filter(({ upload, maxSize }) => upload === "proxy" && maxSize > most)
      .map(
        ({ name: field, maxSize }) =>
          `${realm}/${database}/${name}/collection.yaml: files.${field}.max_size is ${printSize(maxSize)}, and SVC_MAX_UPLOAD_BYTES is ${printSize(most)}`,
      ),
  );
}
