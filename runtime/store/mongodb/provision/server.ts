import { type Document, MongoServerError } from "mongodb";
import type { Engine } from "../engine.ts";

/** Of MongoDB 6.0, the first that keeps what stood in a document before a change. */
const OLDEST_WIRE_VERSION = 17;

/** @throws Error for a server that lacks what the engine needs */
export async function checkServer({ client, database, queryTime: maxTimeMS }: Engine): Promise<void> {
  refuseServer(await database.command({ hello: 1, maxTimeMS }));
  try {
    const asked = { getParameter: 1, featureCompatibilityVersion: 1, maxTimeMS };
    refuseCompatibility(await client.db("admin").command(asked));
  } catch (error) {
    // Users of a realm's database may not ask, and routers do not know it.
    if (!(error instanceof MongoServerError)) throw error;
  }
}

/** @param answer to a question for `featureCompatibilityVersion`, which stays an older one after an upgrade until it is set */
export function refuseCompatibility({ featureCompatibilityVersion }: Document): void {
  const { version }: Document = Object(featureCompatibilityVersion);
  if (typeof version !== "string" || Number.parseFloat(version) >= 6) return;
  throw new Error(
    `the MongoDB server's featureCompatibilityVersion is ${version}; 6.0 is the oldest that can be used (setFeatureCompatibilityVersion)`,
  );
}

/** @param hello the answer to `hello` */
export function refuseServer({ maxWireVersion, setName, msg }: Document): void {
  const version: unknown = maxWireVersion;
  if (typeof version === "number" && version < OLDEST_WIRE_VERSION)
    throw new Error("the MongoDB server is older than 6.0, which is the oldest that can be used");
  if (setName === undefined && !isRouter(msg))
    throw new Error(
      "the MongoDB server is neither a member of a replica set nor a router of a sharded cluster: it has no transactions",
    );
}

/** Whether it is a router of a sharded cluster that says so. */
export const isRouter = (msg: unknown): boolean => msg === "isdbgrid";
