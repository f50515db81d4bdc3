import { join } from "node:path";
import { named, read } from "../keys.ts";
import type { BlobKey } from "../store.ts";

/** Where a key's bytes lie, below the driver's folder. */
export interface Place {
  readonly path: string;
  /** The folders above it, from the outermost one, without the driver's own. */
  readonly folders: readonly string[];
  /** What goes with it: the folder of a file's versions. */
  readonly below: string | undefined;
}

/** A file and the folder of its versions cannot have the same name. */
const VERSIONS = ".versions";
const UPLOADS = "uploads";

/** `<2 hex>/<sha256>`, `<2 hex>/<sha256>.versions/<version>` or `uploads/<id>`. */
export function placeOf(folder: string, key: BlobKey): Place {
  const what = named(key);
  if (what.kind === "upload") {
    const uploads = join(folder, UPLOADS);
    return { path: join(uploads, what.id), folders: [uploads], below: undefined };
  }
  const shelf = join(folder, what.sha256.slice(0, 2));
  const file = join(shelf, what.sha256);
  const versions = file + VERSIONS;
  return what.kind === "file"
    ? { path: file, folders: [shelf], below: versions }
    : { path: join(versions, what.version), folders: [shelf, versions], below: undefined };
}

/** The key of a path relative to the driver's folder; undefined for what is not the driver's. */
export function keyAt(path: string): BlobKey | undefined {
  const [top = "", name = "", version] = path.split("/");
  const key =
    top === UPLOADS
      ? path
      : version === undefined
        ? name
        : name.endsWith(VERSIONS)
          ? `${name.slice(0, -VERSIONS.length)}/${version}`
          : "";
  const what = read(key);
  const isThere = what?.kind === "upload" ? top === UPLOADS : what?.sha256.startsWith(top) === true;
  return isThere && top.length > 1 ? key : undefined;
}
