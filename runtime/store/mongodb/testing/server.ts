import { randomBytes } from "node:crypto";
import type { Db, MongoClient } from "mongodb";
import { describe, it } from "vitest";
import type { Clock } from "../../../clock.ts";
import { kept } from "../../../kept.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import type { Store } from "../../contract/store.ts";
import type { MongoLocation } from "../../location.ts";
import { bookkeeping } from "../layout.ts";
import { emptied } from "./emptied.ts";
import { workerUri } from "./servers.ts";

/**
 * The server that this worker's tests use, of the run for MongoDB alone (project `mongodb` in `vitest.config.ts`); undefined
 * in the other one, also where `MONGODB_URI` is set.
 */
export const mongoUri: string | undefined =
  process.env["REALMC_TEST_STORE"] === "mongodb" ? workerUri() : undefined;

/** Tests that need a server. Where there is none, one stands for them all and is skipped; `body` does not run. */
export function describeMongo(name: string, body: () => void): void {
  if (mongoUri === undefined) it.skip(`${name} (needs a server: set MONGODB_URI)`, () => undefined);
  else describe(name, body);
}

/** A place of a test's own: nothing is stored under its prefix. What is left there is dropped after the last test. */
export function testLocation(): MongoLocation {
  return { engine: "mongodb", uri: serverUri(), prefix: `t${runName}-${randomName()}-` };
}

/** In the names of all databases of one run of the tests; `testing/run.ts` drops them at its end. */
const runName = process.env["REALMC_TEST_RUN"] ?? "";

/** A name that no other test has. */
export function randomName(): string {
  return randomBytes(6).toString("hex");
}

/** A store of a test's own, nobody else's from when it is closed. */
export async function openTestMongoStore(options: {
  readonly clock: Clock;
  readonly queryTime: number;
  /** What it will be provisioned for, where that is known; it is yet to be provisioned. */
  readonly collections?: readonly CollectionShape[];
}): Promise<Store> {
  const { openMongoStore } = await import("../store.ts");
  const { collections } = options;
  const { location, giveBack } = lentLocation(collections && [{ realm: "test", collections }]);
  const { prefix } = location;
  const store = await openMongoStore({ ...options, client: await testClient(), prefix, realm: "test" });
  const close = store.close.bind(store);
  store.close = async () => {
    await close();
    await giveBack();
  };
  return store;
}

/** What the store of a realm is provisioned for. */
export interface Provisioning {
  readonly realm: string;
  readonly collections: readonly CollectionShape[];
}

/** Places whose tests are over and whose databases are empty, by what these were provisioned for. */
const free = new Map<string, MongoLocation[]>();

/**
 * A place that holds no documents: one that was provisioned for the same before, if there is one, since making indexes takes
 * most of a test's time. `giveBack` empties it for the next.
 * @param wanted absent: whatever the test provisions; then the place is fresh, and gone afterwards
 */
export function lentLocation(wanted?: readonly Provisioning[]): {
  readonly location: MongoLocation;
  giveBack(): Promise<void>;
} {
  const places = kept(free, JSON.stringify(wanted), () => []);
  const location = (wanted && places.pop()) ?? testLocation();
  return {
    location,
    async giveBack() {
      const client = await testClient();
      const databases = (wanted ?? []).map(({ realm, collections }) =>
        emptied(client.db(location.prefix + realm), collections),
      );
      const isEmpty = wanted !== undefined && (await Promise.all(databases)).every(Boolean);
      if (isEmpty) places.push(location);
      else await dropTestDatabases(location);
    },
  };
}

/** Drops what a test stored. */
export function dropTestDatabases({ prefix }: MongoLocation): Promise<void> {
  return dropDatabases(prefix);
}

/** Drops the databases whose names begin so. */
export async function dropDatabases(prefix: string): Promise<void> {
  for (const database of await databasesOf(prefix)) await database.dropDatabase();
}

/** Every document of them. */
export async function databaseBytes(prefix: string): Promise<Buffer> {
  const documents: Buffer[] = [];
  for (const database of await databasesOf(prefix)) {
    for (const collection of await database.collections()) {
      const raw = collection.find({}, { raw: true });
      for await (const document of raw) if (Buffer.isBuffer(document)) documents.push(document);
    }
  }
  return Buffer.concat(documents);
}

/** Has the time of every lease in a realm's database pass: it goes by the server's clock, which stands still for no test. */
export async function endLeases(database: Db): Promise<void> {
  await database.collection(bookkeeping.leases).updateMany({}, { $set: { since: new Date(0) } });
}

async function databasesOf(prefix: string): Promise<readonly Db[]> {
  const client = await testClient();
  const filter = { name: { $regex: `^${prefix}` } };
  const { databases } = await client.db("admin").admin().listDatabases({ nameOnly: true, filter });
  return databases.map(({ name }) => client.db(name));
}

let opened: Promise<MongoClient> | undefined;

/** One client for all tests of a file. The driver is loaded only by who needs it. */
export function testClient(): Promise<MongoClient> {
  opened ??= import("../client.ts").then(({ openClient }) => openClient(serverUri(), { queryTime: 5_000 }));
  return opened;
}

export async function closeTestClient(): Promise<void> {
  const client = await opened;
  opened = undefined;
  await client?.close();
}

function serverUri(): string {
  if (mongoUri === undefined) throw new Error("MONGODB_URI is not set");
  return mongoUri;
}
