/** Whether a deployment can be brought back to any moment: what tools of MongoDB's need for that. */
import { type Document, type MongoClient, MongoError, type Timestamp } from "mongodb";
import { isRouter } from "./provision/server.ts";

/** Something that such a backup needs. */
export interface Prerequisite {
  readonly what: "replica set" | "version" | "oplog" | "write concern";
  /** Undefined where this user may not ask. */
  readonly isMet: boolean | undefined;
  readonly found: string;
}

/** Hours that the oplog is to reach back: as long as a night's backup may be missed and made up for. */
const HOURS = 24;
/** Milliseconds that a question may take. */
const PATIENCE = 5_000;

/** Asks the deployment. @throws MongoError where it cannot be reached */
export async function prerequisites(client: MongoClient): Promise<readonly Prerequisite[]> {
  const admin = client.db("admin");
  const hello = await admin.command({ hello: 1, maxTimeMS: PATIENCE });
  return [
    replicaSet(hello),
    await asked("version", async () => {
      const { version } = await admin.command({ buildInfo: 1 });
      return { isMet: Number.parseFloat(`${version}`) >= 6, found: `MongoDB ${version}; 6.0 is the oldest` };
    }),
    await asked("oplog", () => oplog(client, hello)),
    await asked("write concern", async () => {
      const { defaultWriteConcern } = await admin.command({ getDefaultRWConcern: 1, maxTimeMS: PATIENCE });
      const { w = "majority" }: Document = Object(defaultWriteConcern);
      return {
        isMet: w === "majority",
        found: `the default is w: ${JSON.stringify(w)}; servers of ours write with w: "majority" in any case`,
      };
    }),
  ];
}

function replicaSet({ setName, msg }: Document): Prerequisite {
  const what = "replica set";
  if (typeof setName === "string") return { what, isMet: true, found: `a member of ${setName}` };
  const isSharded = isRouter(msg);
  const found = isSharded
    ? "a router of a sharded cluster: mongodump --oplog is not for one, snapshots of all shards together or Atlas are"
    : "none: there is no oplog";
  return { what, isMet: isSharded ? undefined : false, found };
}

async function oplog(client: MongoClient, { setName }: Document): Promise<Omit<Prerequisite, "what">> {
  if (setName === undefined) return { isMet: undefined, found: "of each shard: ask these" };
  const entries = client.db("local").collection<{ readonly ts: Timestamp }>("oplog.rs");
  const options = { projection: { ts: 1 }, maxTimeMS: PATIENCE };
  const first = await entries.findOne({}, { ...options, sort: { $natural: 1 } });
  const last = await entries.findOne({}, { ...options, sort: { $natural: -1 } });
  if (first === null || last === null) return { isMet: undefined, found: "it shows no entries" };
  const hours = (last.ts.getHighBits() - first.ts.getHighBits()) / 3_600;
  const found = `it reaches back ${hours.toFixed(1)} hours; what is older than that can be had from dumps alone`;
  return { isMet: hours >= HOURS, found };
}

async function asked(
  what: Prerequisite["what"],
  ask: () => Promise<Omit<Prerequisite, "what">>,
): Promise<Prerequisite> {
  try {
    return { what, ...(await ask()) };
  } catch (error) {
    if (!(error instanceof MongoError)) throw error;
    return { what, isMet: undefined, found: `the server does not tell this user: ${error.message}` };
  }
}
