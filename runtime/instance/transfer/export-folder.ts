import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { type Clock, timestamp } from "../../clock.ts";
import type { JsonObject } from "../../json.ts";
import { UsageError } from "../command.ts";
import { type Catalog, type CatalogFile, catalogName, readCatalog, writeCatalog } from "./catalog.ts";
import type { Part } from "./export.ts";
import { fileSink, type Sink, sha256Of, type Written } from "./sinks.ts";

export interface FolderOptions {
  readonly folder: string;
  readonly fingerprint: string;
  /** What the export is of, and how: it goes on only as it began. */
  readonly asked: JsonObject;
  readonly clock: Clock;
}

type Which = Pick<Part, "realm" | "path">;

/** A folder that collections are exported into, one after the other. */
export class ExportFolder {
  readonly #folder: string;
  readonly #clock: Clock;
  #catalog: Catalog;

  private constructor({ folder, clock }: FolderOptions, catalog: Catalog) {
    this.#folder = folder;
    this.#clock = clock;
    this.#catalog = catalog;
  }

  /**
   * Begins an export, or goes on with the one that was begun in the folder.
   * @throws UsageError where the folder holds anything else
   */
  static async open(options: FolderOptions): Promise<ExportFolder> {
    const { folder, fingerprint, asked } = options;
    const begun = await readCatalog(folder);
    if (begun?.finished_at !== undefined)
      throw new UsageError(
        `--to: ${folder} holds an export, finished at ${begun.finished_at}; name another folder`,
      );
    if (begun !== undefined) {
      if (begun.fingerprint === fingerprint && isDeepStrictEqual(begun.asked, asked))
        return new ExportFolder(options, begun);
      const why = `--to: ${folder} holds an export that was interrupted, of another configuration or with other options`;
      throw new UsageError(`${why} (see ${catalogName}): finish that one, or name another folder`);
    }
    await requireEmpty(folder);
    await mkdir(folder, { recursive: true });
    const catalog: Catalog = { format: 1, fingerprint, asked, files: [] };
    await writeCatalog(folder, catalog);
    return new ExportFolder(options, catalog);
  }

  get files(): readonly CatalogFile[] {
    return this.#catalog.files;
  }

  /** The file of a part that an earlier run has finished, and that is still what it was. */
  async finished(part: Which): Promise<CatalogFile | undefined> {
    const path = fileOf(part);
    const file = this.#catalog.files.find((each) => each.path === path);
    if (file === undefined) return undefined;
    const sha256 = await sha256Of(join(this.#folder, path), file.bytes);
    return sha256 === file.sha256 ? file : undefined;
  }

  sink(part: Which): Promise<Sink> {
    return fileSink(join(this.#folder, fileOf(part)), true);
  }

  /** A file is whole. */
  async add(part: Which, written: Written): Promise<CatalogFile> {
    const path = fileOf(part);
    const file = { path, realm: part.realm, collection: part.path, ...written };
    const others = this.#catalog.files.filter((each) => each.path !== path);
    this.#catalog = { ...this.#catalog, files: [...others, file] };
    await writeCatalog(this.#folder, this.#catalog);
    return file;
  }

  /** All files are. */
  async finish(): Promise<void> {
    this.#catalog = { ...this.#catalog, finished_at: timestamp(this.#clock.now()) };
    await writeCatalog(this.#folder, this.#catalog);
  }
}

function fileOf({ realm, path }: Which): string {
  return `${realm}/${path}.ndjson`;
}

async function requireEmpty(folder: string): Promise<void> {
  try {
    // The catalog's own, of a process that died before anything was written.
    const others = (await readdir(folder)).filter((name) => name !== `${catalogName}.part`);
    if (others.length === 0) return;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") return;
    throw code === "ENOTDIR" ? new UsageError(`--to: ${folder} is no folder`) : error;
  }
  throw new UsageError(`--to: ${folder} is not empty, and what is in it is no export`);
}
