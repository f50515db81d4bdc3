/** Backs up an embedded store while a server works on it. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { open, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Clock, timestamp } from "../../clock.ts";
import type { RealmDefinition } from "../../realm/definition.ts";
import { openSqliteReader } from "../../store/sqlite/beside.ts";
import { type FrozenFile, freeze } from "../../store/sqlite/frozen.ts";
import {
  type Bringing,
  bringing,
  contentsFolder,
  isNamed,
  listed,
  namedContents,
  writeList,
} from "./contents.ts";
import { isAlone, openFolder, settle } from "./folder.ts";
import {
  type BackupFile,
  type BackupRealm,
  type Manifest,
  realmName,
  replaceFile,
  writeManifest,
} from "./manifest.ts";
import { writeChanges, writeWhole } from "./pages.ts";

export interface BackupOptions {
  /** Of the store. */
  readonly folder: string;
  /** The store, as people may read it. */
  readonly store: string;
  /** The data folder that files lie in. */
  readonly data: string;
  readonly to: string;
  /** Default: all that the folder has. */
  readonly realm: string | undefined;
  readonly withKeys: boolean;
  /** Of the bundle. */
  readonly definitions: readonly RealmDefinition[];
  readonly fingerprint: string;
  readonly clock: Clock;
  readonly progress: (progress: BackupProgress) => void;
}

export interface BackupProgress {
  readonly realm: string;
  readonly what: "database" | "files";
  readonly bytes: number;
}

/** What a backup has come to. */
export interface BackedUp {
  readonly manifest: Manifest;
  readonly realms: readonly BackedUpRealm[];
}

export interface BackedUpRealm {
  readonly realm: string;
  /** Bytes of the database, and those of them that had to be written. */
  readonly database: { readonly bytes: number; readonly written: number; readonly sha256: string };
  readonly files: {
    readonly contents: number;
    readonly bytes: number;
    /** Bytes of files that were not in the folder. */
    readonly written: number;
    /** Hashes of those that are not in the store, though documents name them; the first thousand. */
    readonly lost: readonly string[];
  };
}

/** What an instance signs and seals with, in its data folder. */
export const keysName = "keys";

/** Times that a backup begins anew because files went that documents had named when it began. */
const ATTEMPTS = 3;

/**
 * Backs up the realms of a store into a folder, all as they were at one moment, and their files. What is in the folder
 * already is not written again. Until all of it is there, the backup before stays as it was; a run that was cut short is gone
 * on with by the next.
 * @throws UsageError | StoreUnavailable | StorageUnavailable
 */
export async function backUp(options: BackupOptions): Promise<BackedUp> {
  const { store, to, realm = null, fingerprint } = options;
  const before = await openFolder(to, { store, only: realm, fingerprint });
  const names = await realmsIn(options.folder, options.realm);
  const run = new Run(options, before, names);
  try {
    // Most of them while nothing is held still.
    await run.bringNamed();
    for (let attempt = 1; ; attempt += 1) {
      const taken = await run.take();
      if (taken !== undefined) return taken;
      if (attempt === ATTEMPTS)
        throw new Error("files go faster than they can be copied: back up at a quieter hour");
    }
  } finally {
    await run.close();
  }
}

/** The realms that a folder has files of. @throws Error where the one asked for is not there */
export async function realmsIn(folder: string, only: string | undefined): Promise<readonly string[]> {
  const suffix = ".sqlite";
  const names = (await readdir(folder))
    .filter((name) => name.endsWith(suffix) && name !== "lock.sqlite")
    .map((name) => name.slice(0, -suffix.length))
    .filter((name) => realmName.test(name) && (only === undefined || name === only));
  if (names.length > 0) return names.sort();
  throw new Error(`${folder} holds nothing of ${only === undefined ? "any realm" : `realm ${only}`}`);
}

class Run {
  readonly #options: BackupOptions;
  readonly #before: Manifest;
  readonly #realms: readonly string[];
  readonly #files = new Map<string, Bringing>();

  constructor(options: BackupOptions, before: Manifest, realms: readonly string[]) {
    this.#options = options;
    this.#before = before;
    this.#realms = realms;
  }

  async close(): Promise<void> {
    for (const files of this.#files.values()) await files.close();
  }

  /** Brings the files that documents name now. */
  async bringNamed(): Promise<void> {
    for (const realm of this.#realms) {
      const files = await this.#filesOf(realm);
      if (files === undefined) continue;
      const reader = this.#reader(realm);
      try {
        for await (const batch of namedContents(reader)) await files.bring(batch);
      } finally {
        await reader.close();
      }
      // What is lost now may be named no longer when it counts.
      files.lost.length = 0;
    }
  }

  /** The whole backup; undefined where files went meanwhile that documents name in it. */
  async take(): Promise<BackedUp | undefined> {
    const { folder, to, clock } = this.#options;
    const generation = this.#before.generation + 1;
    const frozen = await freeze(folder, this.#realms, clock);
    const takenAt = timestamp(clock.now());
    const realms: BackupRealm[] = [];
    const told: BackedUpRealm[] = [];
    try {
      for (const file of frozen) {
        const { database, written } = await this.#database(file, generation);
        const path = `${file.realm}.${generation}.files.ndjson`;
        const isHere = (await this.#filesOf(file.realm)) !== undefined;
        const files = isHere ? await writeList(file.reader, to, path) : undefined;
        realms.push({ realm: file.realm, database, ...(files !== undefined && { files }) });
        const { bytes, sha256 } = database;
        const { contents = 0, total = 0 } = files ?? {};
        told.push({
          realm: file.realm,
          database: { bytes, sha256, written },
          files: { contents, bytes: total, written: 0, lost: [] },
        });
      }
    } finally {
      for (const file of frozen) await file.release();
    }
    const backedUp: BackedUpRealm[] = [];
    for (const [at, { realm, files }] of realms.entries()) {
      const one = told[at];
      if (one === undefined) continue;
      const bringing = files && (await this.#filesOf(realm));
      if (files === undefined || bringing === undefined) {
        backedUp.push(one);
        continue;
      }
      for await (const batch of listed(to, files)) await bringing.bring(batch);
      if (await this.#haveGone(realm, bringing)) return undefined;
      const lost = bringing.lost.map(({ sha256 }) => sha256);
      backedUp.push({ ...one, files: { ...one.files, written: bringing.bytes, lost } });
    }
    const { store, only } = this.#before;
    const { fingerprint } = this.#options;
    const keys = await this.#keys(generation);
    const manifest: Manifest = {
      ...{ format: 1, generation, store, only, fingerprint, taken_at: takenAt, realms },
      ...(keys !== undefined && { keys }),
    };
    await writeManifest(to, manifest);
    return { manifest: await settle(to, manifest), realms: backedUp };
  }

  async #database(
    source: FrozenFile,
    generation: number,
  ): Promise<{ readonly database: BackupRealm["database"]; readonly written: number }> {
    const { to, progress } = this.#options;
    const { realm, pageSize } = source;
    const told = (bytes: number) => progress({ realm, what: "database", bytes });
    const former = this.#before.realms.find((each) => each.realm === realm)?.database;
    if (former?.page_size === pageSize && (await isAlone(join(to, former.path)))) {
      const copy = await open(join(to, former.path), "r");
      try {
        const path = join(to, `${realm}.${generation}.changes`);
        const { bytes, sha256, changes } = await writeChanges(source, copy, path, told);
        const database = { path: former.path, bytes, sha256, page_size: pageSize, changes };
        return { database, written: changes?.bytes ?? 0 };
      } finally {
        await copy.close();
      }
    }
    const path = former === undefined ? `${realm}.sqlite` : `${realm}.${generation}.sqlite`;
    let written = 0;
    const whole = await writeWhole(source, join(to, path), told, (bytes) => {
      written += bytes;
    });
    return { database: { ...whole, page_size: pageSize }, written };
  }

  /** Undefined where the files of a realm are none of this machine. */
  async #filesOf(realm: string): Promise<Bringing | undefined> {
    const found = this.#files.get(realm);
    if (found !== undefined) return found;
    const { data, to, definitions, progress } = this.#options;
    const storage = definitions.find(({ name }) => name === realm)?.storage;
    const from = contentsFolder(data, realm);
    if (storage?.driver.kind === "s3" || (storage === undefined && !existsSync(from))) return undefined;
    const files = await bringing(from, contentsFolder(to, realm), true, ({ bytes }) =>
      progress({ realm, what: "files", bytes }),
    );
    this.#files.set(realm, files);
    return files;
  }

  /** Whether any of what is lost is so because no document names it any longer. Those that are so are forgotten. */
  async #haveGone(realm: string, files: Bringing): Promise<boolean> {
    const reader = this.#reader(realm);
    try {
      for (const content of files.lost) {
        if (await isNamed(reader, content)) continue;
        files.lost.length = 0;
        return true;
      }
      return false;
    } finally {
      await reader.close();
    }
  }

  #reader(realm: string) {
    return openSqliteReader(this.#options.folder, realm, this.#options.clock);
  }

  async #keys(generation: number): Promise<BackupFile | undefined> {
    const { data, to, withKeys } = this.#options;
    if (!withKeys) return undefined;
    const text = await readFile(join(data, keysName), "utf8");
    const path = `${keysName}.${generation}`;
    await replaceFile(join(to, path), text);
    return { path, bytes: Buffer.byteLength(text), sha256: createHash("sha256").update(text).digest("hex") };
  }
}
