/** `export.json` of an exported folder: what is in it, and how far it is. */
import { open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue, objectIn } from "../../json.ts";
import { UsageError } from "../command.ts";

export const catalogName = "export.json";

/** A file that is whole. */
export interface CatalogFile {
  /** In the folder, with `/`. */
  readonly path: string;
  readonly realm: string;
  /** `<database>/<collection>`. */
  readonly collection: string;
  readonly documents: number;
  readonly bytes: number;
  /** In hexadecimal. */
  readonly sha256: string;
}

export interface Catalog {
  readonly format: 1;
  /** Of the configuration that says which collections there are. */
  readonly fingerprint: string;
  /** What was asked for: an export goes on only as it began. */
  readonly asked: JsonObject;
  readonly files: readonly CatalogFile[];
  /** RFC 3339; absent while it is under way. */
  readonly finished_at?: string;
}

/** @throws UsageError where it makes no sense */
export async function readCatalog(folder: string): Promise<Catalog | undefined> {
  const path = join(folder, catalogName);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  const { format, fingerprint, asked, files, finished_at: finishedAt } = objectIn(text) ?? {};
  if (format !== 1 || typeof fingerprint !== "string" || !isJsonObject(asked) || !Array.isArray(files))
    throw new UsageError(`${path} is not what an export writes`);
  const read = files.map(readFileEntry);
  const whole = read.filter((file) => file !== undefined);
  if (whole.length < read.length) throw new UsageError(`${path} is not what an export writes`);
  return {
    ...{ format, fingerprint, asked, files: whole },
    ...(typeof finishedAt === "string" && { finished_at: finishedAt }),
  };
}

function readFileEntry(entry: JsonValue): CatalogFile | undefined {
  if (!isJsonObject(entry)) return undefined;
  const { path, realm, collection, documents, bytes, sha256 } = entry;
  const isRead =
    typeof path === "string" &&
    typeof realm === "string" &&
    typeof collection === "string" &&
    typeof documents === "number" &&
    typeof bytes === "number" &&
    typeof sha256 === "string";
  return isRead ? { path, realm, collection, documents, bytes, sha256 } : undefined;
}

/** It is there whole, or as it was before, whenever the process dies. */
export async function writeCatalog(folder: string, catalog: Catalog): Promise<void> {
  const path = join(folder, catalogName);
  const file = await open(`${path}.part`, "w");
  try {
    await file.writeFile(`${JSON.stringify(catalog, undefined, 2)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.part`, path);
}
