/** Which configurations a realm's store was provisioned with: what a later one is compared with. */
import { gunzipSync, gzipSync } from "node:zlib";
import { type Clock, timestamp } from "../clock.ts";
import { isJsonObject, type JsonObject, objectIn } from "../json.ts";
import type { StoreReader } from "../store/contract/beside.ts";
import type { DocumentWrite } from "../store/contract/document.ts";
import { DocumentTooLarge, DuplicateId } from "../store/contract/errors.ts";
import type { CollectionShape } from "../store/contract/shape.ts";
import type { Store } from "../store/contract/store.ts";
import type { Log } from "./exchange.ts";

/** `_svc.configurations`. */
export const configurationShape: CollectionShape = {
  name: "_svc.configurations",
  fields: {},
  indexes: [],
  feed: false,
};

/** What `configuration.json` has of each realm: files of the configuration folder by their paths. */
export interface ProgramConfiguration {
  readonly realms: Readonly<Record<string, unknown>>;
}

/** A configuration as a store keeps it. */
export interface RecordedConfiguration {
  /** Of the whole configuration that the realm was part of. */
  readonly fingerprint: string;
  /** When a server or a command last provisioned the store with another one before it. RFC 3339. */
  readonly provisionedAt: string;
  /** Of the realm, by their paths in the configuration folder. */
  readonly files: JsonObject;
}

export interface RecordingOptions {
  readonly store: Store;
  readonly realm: string;
  readonly fingerprint: string;
  /** Absent where nobody knows it: nothing is recorded. */
  readonly configuration?: ProgramConfiguration | undefined;
  readonly clock: Clock;
  readonly log: Pick<Log, "warn">;
}

/** Configurations that a store keeps, the newest ones. */
const kept = 10;
/** Digits of an id: they come in the order in which they were recorded. */
const digits = 10;
/** Instances that start together and record before this one; more are none. */
const attempts = 20;
/** Bytes of a configuration that is read; one that is written is as long as its files, which lie on somebody's disk. */
const longest = 2 ** 28;

/**
 * Records what a realm's store was provisioned with, unless that is what it records last. Of instances that start together
 * one does it.
 */
export async function recordConfiguration(options: RecordingOptions): Promise<void> {
  const { store, realm, fingerprint, configuration, clock, log } = options;
  const files = configuration?.realms[realm];
  if (!isJsonObject(files)) return;
  const records = store.collection(configurationShape.name);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const before = await records.scan(undefined, 2 * kept);
    const newest = before.at(-1);
    const recorded = newest && readRecord(newest);
    if (recorded?.fingerprint === fingerprint) return;
    const now = clock.now();
    const isSame = recorded !== undefined && JSON.stringify(recorded.files) === JSON.stringify(files);
    const id = isSame ? (newest?.id ?? "") : nextId(newest?.id);
    const version = isSame ? (newest?.version ?? 0) + 1 : 1;
    const text = JSON.stringify({
      id,
      fingerprint,
      provisioned_at: timestamp(now),
      files: gzipSync(JSON.stringify(files)).toString("base64"),
    });
    const record: DocumentWrite = { id, version, text, createdAt: now };
    try {
      // Another realm's settings changed, or the code of handlers: of this realm there is nothing new to keep.
      if (isSame) {
        if (await records.replace(version - 1, record)) return;
        continue;
      }
      await records.insert(record);
    } catch (error) {
      if (error instanceof DuplicateId) continue;
      if (!(error instanceof DocumentTooLarge)) throw error;
      log.warn({ realm }, "the configuration is too large to be kept in the store: realmc plan needs --old");
      return;
    }
    for (const { id, version } of before.slice(0, Math.max(0, before.length + 1 - kept)))
      await records.remove(id, version);
    return;
  }
  log.warn({ realm }, "the configuration could not be kept in the store: others keep recording theirs");
}

function nextId(newest: string | undefined): string {
  return String(Number(newest ?? 0) + 1).padStart(digits, "0");
}

/** What the store was last provisioned with; undefined where that was never recorded. The collection is provisioned. */
export async function recordedConfiguration(store: Store): Promise<RecordedConfiguration | undefined> {
  return (await recordedConfigurations(store)).at(-1);
}

/** All that are kept, the oldest first; what is broken is left out. */
export async function recordedConfigurations(store: Store): Promise<readonly RecordedConfiguration[]> {
  return configurationsIn(await store.collection(configurationShape.name).scan(undefined, 2 * kept));
}

/** The same, read beside whoever serves the store; none where nothing was ever recorded. */
export async function configurationsBeside(reader: StoreReader): Promise<readonly RecordedConfiguration[]> {
  return configurationsIn(await reader.scan(configurationShape, undefined, 2 * kept));
}

function configurationsIn(records: readonly DocumentWrite[]): readonly RecordedConfiguration[] {
  return records.flatMap((record) => readRecord(record) ?? []);
}

function readRecord({ text }: DocumentWrite): RecordedConfiguration | undefined {
  const { fingerprint, provisioned_at: provisionedAt, files: packed } = objectIn(text) ?? {};
  if (typeof fingerprint !== "string" || typeof provisionedAt !== "string" || typeof packed !== "string")
    return undefined;
  const files = unpacked(packed);
  return files && { fingerprint, provisionedAt, files };
}

function unpacked(packed: string): JsonObject | undefined {
  try {
    return objectIn(gunzipSync(Buffer.from(packed, "base64"), { maxOutputLength: longest }).toString());
  } catch {
    return undefined;
  }
}
