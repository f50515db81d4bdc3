import { randomBytes } from "node:crypto";
import type { Db, MongoClient } from "mongodb";
import { describe, it } from "vitest";
import type { Clock } from "../../../clock.ts";
import type { Store } from "../../contract.ts";
import type { MongoLocation } from "../../location.ts";

/**
 * The server that tests use, of the run for MongoDB alone (project `mongodb` in `vitest.config.ts`); undefined in the
 * other one, also where `MONGODB_URI` is set.
 */
export const mongoUri: string | undefined =
  process.env["REALMC_TEST_STORE"] === "mongodb" ? process.env["MONGODB_URI"] : undefined;

/** Tests that need a server. Where there is none, one stands for them all and is skipped; `body` does not run. */
export function describeMongo(name: string, body: () => void): void {
  if (mongoUri === undefined) it.skip(`${name} (needs a server: set MONGODB_URI)`, () => undefined);
  else describe(name, body);
}

/** A place of a test's own: nothing is stored under its prefix. */
export function testLocation(): MongoLocation {
  return { engine: "mongodb", uri: serverUri(), prefix: `t${randomName()}-` };
}

/** A name that no other test has. */
export function randomName(): string {
  return randomBytes(6).toString("hex");
}

/** A store of a test's own, dropped when it is closed. */
export async function openTestMongoStore(options: {
  readonly clock: Clock;
  readonly queryTime: number;
}): Promise<Store> {
  const { openMongoStore } = await import("../store.ts");
  const location = testLocation();
  const { prefix } = location;
  const store = await openMongoStore({ ...options, client: await testClient(), prefix, realm: "test" });
  const close = store.close.bind(store);
  store.close = async () => {
    await close();
    await dropTestDatabases(location);
  };
  return store;
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
