/** What is stored when all is over, against what documents name. */
import { join } from "node:path";
import { openLocalBlobs } from "../../../runtime/blobs/local/store.ts";
import { openSpool } from "../../../runtime/blobs/spool.ts";
import type { Clock } from "../../../runtime/clock.ts";
import { fileLedger } from "../../../runtime/documents/files/ledger.ts";
import {
  collections,
  fileCollections,
  readBlob,
  readNames,
  readUsage,
} from "../../../runtime/documents/files/records.ts";
import { realmUsage } from "../../../runtime/documents/files/usage.ts";
import { fileSweep } from "../../../runtime/files/sweep.ts";
import { TRUE } from "../../../runtime/filter/algebra.ts";
import { silent } from "../../../runtime/http/testing/server.ts";
import { idGenerator } from "../../../runtime/ids.ts";
import { laneShape } from "../../../runtime/jobs/lanes.ts";
import { jobShape } from "../../../runtime/jobs/records.ts";
import { runJobs } from "../../../runtime/jobs/testing/run.ts";
import { openStores } from "../../../runtime/store/engines.ts";
import type { StoreLocation } from "../../../runtime/store/location.ts";
import type { Named } from "./client.ts";

interface Remains {
  readonly location: StoreLocation;
  readonly realm: string;
  /** Of the realm's bytes. */
  readonly folder: string;
  /** When nothing is under way any longer. */
  readonly clock: Clock;
}

/** What is wrong after a sweep: bytes, the ledger, counts and usage against what documents name. */
export async function swept(
  { location, realm, folder, clock }: Remains,
  named: readonly Named[],
): Promise<readonly string[]> {
  const limits = { queryTime: 60_000, searchTime: 60_000, feedBytes: 2 ** 28 };
  const warn = () => undefined;
  const stores = await openStores({
    location,
    setting: "SVC_STORE",
    clock,
    ...limits,
    holder: "judge",
    warn,
  });
  try {
    const storage = { driver: { kind: "local" } } as const;
    const store = await stores.open(realm);
    await store.provision([...fileCollections({ storage }), jobShape, laneShape]);
    const spool = await openSpool(join(folder, "spool"));
    const blobs = await openLocalBlobs(folder, spool);
    const definition = {
      name: realm,
      origins: [],
      appConfig: {},
      effective: { realm: {}, databases: {} },
      collections: [],
      storage,
    };
    const jobs = { definition, store, clock, newId: idGenerator(clock), log: silent };
    const sweep = fileSweep(fileLedger(store, storage, clock.now), { blobs, spool, metrics: undefined });
    await runJobs(jobs, [sweep]);
    const keys: string[] = [];
    for await (const { key } of blobs.list()) keys.push(key);
    await blobs.close();
    const all = async (collection: string) =>
      store.collection(collection).find({ filter: TRUE, visibility: "live", limit: 100_000, skip: 0 });
    const ledger = (await all(collections.names)).map((stored) => readNames(stored).record);
    const counts = (await all(collections.blobs)).map((stored) => readBlob(stored).record);
    const usage = (await all(collections.usage)).map((stored) => readUsage(stored).record);
    const used = await realmUsage(store);
    const sum = named.reduce((bytes, { size }) => bytes + size, 0);
    return [
      ...differing(
        "bytes",
        keys,
        named.map(({ sha256 }) => sha256),
      ),
      ...differing(
        "in the ledger",
        ledger.flatMap(({ document, files }) => files.map((file) => line({ document, ...file }))),
        named.map(line),
      ),
      ...differing(
        "counts",
        counts.map(({ id, refs }) => `${refs} of ${id}`),
        named.map(({ sha256 }) => `${named.filter((other) => other.sha256 === sha256).length} of ${sha256}`),
      ),
      ...differing(
        "usage",
        [
          `${used.bytes}, ${used.files}`,
          ...usage.flatMap(({ id, open }) => (open === undefined ? [] : [`${id}: ${open.bytes} open`])),
        ],
        [`${sum}, ${named.length}`],
      ),
    ];
  } finally {
    await stores.close();
  }
}

function line({ document, field, id, sha256, size }: Named): string {
  return [document, field, id, sha256, size].join(" ");
}

/** What is there and should not be, and the other way round. */
export function differing(
  what: string,
  found: readonly string[],
  wanted: readonly string[],
): readonly string[] {
  const [is, should] = [new Set(found), new Set(wanted)];
  return [
    ...[...is].filter((each) => !should.has(each)).map((each) => `${what}, and nothing names it: ${each}`),
    ...[...should].filter((each) => !is.has(each)).map((each) => `named, and not there as ${what}: ${each}`),
  ];
}
