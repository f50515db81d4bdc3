/** What a plan has counted so far: where it was interrupted, the same command goes on. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { isJsonObject, type JsonObject, objectIn } from "../../runtime/json.ts";
import { lockFolder } from "../../runtime/store/sqlite/lock.ts";
import { hashOf, Spill } from "./spill.ts";

/** Milliseconds after which what was counted says too little of what is stored. */
const STALE = 3_600_000;
const stateName = "state.json";

/** How far a collection is. */
export interface Progress {
  readonly done: boolean;
  /** Documents up to this id have been looked at. */
  readonly after: string | undefined;
  readonly documents: number;
  readonly characters: number;
  /** As {@link Tallies} write them. */
  readonly tallies: JsonObject;
}

/** A folder of this user's own, found again by what was asked for. */
export class PlanState {
  readonly #folder: string;
  readonly #lock: { release(): void } | undefined;
  readonly #spills: Map<string, Spill>;
  readonly #progress: Map<string, Progress>;

  private constructor(folder: string, lock: { release(): void } | undefined, written: JsonObject) {
    this.#folder = folder;
    this.#lock = lock;
    const { spills, collections } = written;
    this.#spills = new Map(
      Object.entries(isJsonObject(spills) ? spills : {}).map(([name, lengths]) => [
        name,
        new Spill(folder, name, Array.isArray(lengths) ? lengths.map(Number) : []),
      ]),
    );
    this.#progress = new Map(
      Object.entries(isJsonObject(collections) ? collections : {}).map(([key, value]) => [
        key,
        progressIn(isJsonObject(value) ? value : {}),
      ]),
    );
  }

  /**
   * @param asked all that decides about what is counted
   * @param environment says where caches are
   */
  static open(
    asked: readonly (string | undefined)[],
    environment: Readonly<Record<string, string | undefined>>,
    now: number,
  ): PlanState {
    const { folder, lock } = folderFor(hashOf(JSON.stringify(asked)), environment);
    const written = writtenIn(folder, now);
    if (written !== undefined) {
      try {
        return new PlanState(folder, lock, written);
      } catch {
        // What cannot be gone on with is begun anew.
      }
    }
    for (const name of readdirSync(folder))
      if (name === stateName || /^[uknr]-[\w-]+\.\d+$/.test(name))
        rmSync(join(folder, name), { force: true });
    return new PlanState(folder, lock, {});
  }

  spill(name: string): Spill {
    const spill = this.#spills.get(name) ?? new Spill(this.#folder, name);
    this.#spills.set(name, spill);
    return spill;
  }

  progressOf(collection: string): Progress | undefined {
    return this.#progress.get(collection);
  }

  /**
   * What was counted is there whole, or as it was before, whenever the process dies.
   * @param isWritten now; otherwise with what is kept next: what took no time need not be gone on with
   */
  keep(collection: string, progress: Progress, isWritten: boolean): void {
    this.#progress.set(collection, progress);
    if (isWritten) this.#write();
  }

  #write(): void {
    const written = {
      spills: Object.fromEntries([...this.#spills].map(([name, spill]) => [name, spill.flush()])),
      collections: Object.fromEntries(
        [...this.#progress].map(([key, value]) => [key, { ...value, after: value.after ?? null }]),
      ),
    };
    const path = join(this.#folder, stateName);
    writeFileSync(`${path}.part`, JSON.stringify(written), { mode: 0o600 });
    renameSync(`${path}.part`, path);
  }

  /** What the next run goes on with. */
  close(): void {
    this.#lock?.release();
  }

  discard(): void {
    this.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Where caches are; where none can be, or another process has it, a folder that is not found again. */
function folderFor(name: string, environment: Readonly<Record<string, string | undefined>>) {
  const caches = environment["XDG_CACHE_HOME"] || join(environment["HOME"] || homedir(), ".cache");
  const folder = join(caches, "realmc", `plan-${name}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return { folder, lock: lockFolder(folder, `process ${process.pid}, planning`) };
  } catch {
    return { folder: mkdtempSync(join(tmpdir(), "realmc-plan-")), lock: undefined };
  }
}

function writtenIn(folder: string, now: number): JsonObject | undefined {
  try {
    const path = join(folder, stateName);
    return now - statSync(path).mtimeMs > STALE ? undefined : objectIn(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
}

function progressIn({ done, after, documents, characters, tallies }: JsonObject): Progress {
  return {
    done: done === true,
    after: typeof after === "string" ? after : undefined,
    documents: typeof documents === "number" ? documents : 0,
    characters: typeof characters === "number" ? characters : 0,
    tallies: isJsonObject(tallies) ? tallies : {},
  };
}
