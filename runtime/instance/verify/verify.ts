/** Verifies what an embedded store, or a backup of one, has of a realm. */

import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Digest } from "../../blobs/store.ts";
import type { Clock } from "../../clock.ts";
import { collections as fileCollections, readNames } from "../../documents/files/records.ts";
import { objectIn } from "../../json.ts";
import { isOld } from "../../migrations/forms.ts";
import { type RealmDefinition, storeNameOf } from "../../realm/definition.ts";
import { configurationShape } from "../../realm/recorded.ts";
import { batches } from "../../store/batches.ts";
import type { StoreReader } from "../../store/contract/beside.ts";
import type { CollectionShape } from "../../store/contract/shape.ts";
import { type FileCheck, openFileCheck } from "../../store/sqlite/check.ts";
import { contentsFolder, isNamed, namedContents } from "../backup/contents.ts";
import { messageOf } from "../message-of.ts";
import { realmCollections } from "../realm.ts";
import { sha256Of } from "../transfer/sinks.ts";
import { filesOf, flawsOf } from "./documents.ts";
import type { Findings } from "./findings.ts";

export interface VerifyOptions {
  readonly realm: string;
  /** The realm's file. */
  readonly path: string;
  /** The folder that files lie in: a data folder, or a backup. */
  readonly data: string;
  /** Undefined for a realm that the bundle does not have. */
  readonly definition: RealmDefinition | undefined;
  readonly fingerprint: string;
  readonly clock: Clock;
  readonly findings: Findings;
  /** Of a store that is served meanwhile: whether documents name a content still. */
  readonly isNamedNow?: (content: Digest) => Promise<boolean>;
  /** Hears what is no finding and worth knowing. */
  readonly note: (line: string) => void;
  readonly progress: (progress: VerifyProgress) => void;
}

export interface VerifyProgress {
  readonly what: string;
  readonly documents?: number;
  readonly bytes?: number;
}

/** What was looked at. */
export interface Verified {
  readonly realm: string;
  readonly collections: readonly VerifiedCollection[];
  readonly files: { readonly contents: number; readonly bytes: number };
}

export interface VerifiedCollection {
  readonly collection: string;
  readonly documents: number;
  /** Of these, documents that are not in the form of the newest migration yet. */
  readonly pending: number;
  /** Of these, documents that a migration refuses. */
  readonly refused: number;
  /** Documents in the form of the newest migration that the schema refuses. */
  readonly unfit: number;
}

const BATCH = { documents: 500, characters: 2 ** 22 };
/** Contents that something is wrong with and that are looked for in documents. */
const SOUGHT = 1_000;

/** Adds what is wrong to the findings. Nothing is changed, and a server may run meanwhile. */
export async function verifyRealm(options: VerifyOptions): Promise<Verified> {
  const { realm, path, clock, findings, progress } = options;
  let check: FileCheck;
  try {
    check = openFileCheck(path, clock);
  } catch (error) {
    findings.add({ realm, reason: `its database cannot be read: ${messageOf(error)}` });
    return { realm, collections: [], files: { contents: 0, bytes: 0 } };
  }
  const collections: VerifiedCollection[] = [];
  try {
    progress({ what: `${realm} pages and indexes` });
    for (const { collection, id, reason } of check.engine())
      findings.add({ realm, collection: collection && shown(collection), id, reason });
    await verifyIndexes(options, check);
    for (const { name } of await check.reader.collections())
      collections.push(await verifyCollection(options, check, name));
    const files = await verifyFiles(options, check.reader);
    return { realm, collections, files };
  } catch (error) {
    // Damaged pages are read no further than to them.
    findings.add({ realm, reason: `its database cannot be read to its end: ${messageOf(error)}` });
    return { realm, collections, files: { contents: 0, bytes: 0 } };
  } finally {
    check.close();
  }
}

/** Missing indexes are flaws where the store was provisioned by this configuration; else the next start makes them. */
async function verifyIndexes(options: VerifyOptions, check: FileCheck): Promise<void> {
  const { definition, realm, fingerprint, findings, note } = options;
  if (definition === undefined)
    return note(`${realm}: the bundle has no such realm; documents are read, and not validated`);
  const [recorded] = (await check.reader.scan(configurationShape, undefined, 50)).slice(-1);
  const isCurrent = recorded !== undefined && objectIn(recorded.text)?.["fingerprint"] === fingerprint;
  const there = new Set((await check.reader.collections()).map(({ name }) => name));
  for (const shape of realmCollections(definition)) {
    if (!there.has(shape.name)) continue;
    for (const index of check.missingIndexes(shape)) {
      const reason = `the index ${index} is not there, or is not the declared one`;
      if (isCurrent) findings.add({ realm, collection: shown(shape.name), reason });
      else note(`${realm} ${shown(shape.name)}: ${reason}; the next start makes it`);
    }
  }
}

async function verifyCollection(
  { realm, definition, findings, note, progress }: VerifyOptions,
  check: FileCheck,
  name: string,
): Promise<VerifiedCollection> {
  const collection = shown(name);
  const declared = definition?.collections.find((each) => storeNameOf(each) === name);
  const shape = shapeOf(definition, name);
  let [documents, pending] = [0, 0];
  const counted = { damaged: 0, refused: 0, unfit: 0 };
  for await (const batch of batches({ scan: (...from) => check.reader.scan(shape, ...from) }, BATCH)) {
    for (const stored of batch) {
      documents += 1;
      if (declared !== undefined && isOld(declared, stored)) pending += 1;
      const flaws = flawsOf(stored, declared);
      if (flaws !== undefined) counted[flaws.kind] += 1;
      for (const reason of flaws?.reasons ?? [])
        findings.add({ realm, collection, id: stored.id, reason }, flaws?.kind !== "damaged");
      for (const sha256 of declared === undefined ? [] : filesOf(declared, stored)) {
        if (!(await isNamed(check.reader, { sha256, size: 0 })))
          findings.add({
            realm,
            collection,
            id: stored.id,
            reason: `the store does not know of its file ${sha256}`,
          });
      }
    }
    progress({ what: `${realm} ${collection}`, documents });
    await setImmediate();
  }
  for (const flaws of check.entries(shape)) {
    for (const { id, reason } of flaws) findings.add({ realm, collection, id, reason });
    await setImmediate();
  }
  if (pending > 0) note(`${realm} ${collection}: ${pending} documents are to be migrated yet`);
  if (definition !== undefined && declared === undefined && !name.startsWith("_svc."))
    note(`${realm} ${collection}: ${documents} documents of a collection that is configured no longer`);
  const { refused, unfit } = counted;
  return { collection, documents, pending, refused, unfit };
}

function shapeOf(definition: RealmDefinition | undefined, name: string): CollectionShape {
  const known = definition && realmCollections(definition).find((shape) => shape.name === name);
  return known ?? { name, fields: {}, indexes: [], feed: false };
}

async function verifyFiles(
  { realm, data, definition, findings, isNamedNow, note, progress }: VerifyOptions,
  reader: StoreReader,
): Promise<Verified["files"]> {
  let [contents, bytes] = [0, 0];
  if (definition?.storage?.driver.kind === "s3") {
    note(`${realm}: files lie in the bucket ${definition.storage.driver.bucket} and are not looked at`);
    return { contents, bytes };
  }
  const folder = contentsFolder(data, realm);
  const wrong = new Map<string, string>();
  for await (const batch of namedContents(reader)) {
    for (const { sha256, size } of batch) {
      const path = join(folder, sha256.slice(0, 2), sha256);
      const found = await sha256Of(path, size);
      contents += 1;
      bytes += size;
      progress({ what: `${realm} files`, bytes });
      if (found === sha256) continue;
      if (isNamedNow !== undefined && !(await isNamedNow({ sha256, size }))) continue;
      const reason = found === undefined ? "is not there, or not in its length" : "has other bytes";
      if (wrong.size < SOUGHT) wrong.set(sha256, `its file ${sha256} ${reason}`);
      else findings.add({ realm, reason: `the file ${sha256} ${reason}` });
    }
  }
  await nameWrong(realm, reader, wrong, findings);
  return { contents, bytes };
}

/** A finding for each document that names what is wrong. */
async function nameWrong(
  realm: string,
  reader: StoreReader,
  wrong: ReadonlyMap<string, string>,
  findings: Findings,
): Promise<void> {
  if (wrong.size === 0) return;
  const unnamed = new Set(wrong.keys());
  const names = { name: fileCollections.names, fields: {}, indexes: [], feed: false } as const;
  for await (const batch of batches({ scan: (...from) => reader.scan(names, ...from) }, BATCH)) {
    for (const stored of batch) {
      const { collection, document, files } = readNames(stored).record;
      for (const { sha256 } of files) {
        const reason = wrong.get(sha256);
        if (reason === undefined) continue;
        unnamed.delete(sha256);
        findings.add({ realm, collection: shown(collection), id: document, reason });
      }
    }
  }
  for (const sha256 of unnamed) findings.add({ realm, reason: `${wrong.get(sha256)}, named by no document` });
}

/** As people write a collection. */
export function shown(name: string): string {
  return name.startsWith("_svc.") ? name : name.replace(".", "/");
}
