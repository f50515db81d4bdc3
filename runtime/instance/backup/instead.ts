/** What to run for stores in MongoDB, which has tools of its own. */
import { describeLocation, type MongoLocation } from "../../store/location.ts";
import { type Program, realmsCalled, type Surroundings } from "../command.ts";
import { messageOf } from "../message-of.ts";

/** Milliseconds in which a server is to be found. */
const PATIENCE = 5_000;

/** Commands that an embedded store has and MongoDB has not. */
export type Replaced = "backup" | "restore" | "verify";

/**
 * Says what to run instead, and whether the server has what that needs, as far as it tells. Answers the exit code, which is
 * that of a wrong command line.
 */
export async function tellInstead(
  command: Replaced,
  location: MongoLocation,
  { realms }: Program,
  realm: string | undefined,
  { out, err }: Surroundings,
): Promise<number> {
  const databases = realmsCalled(realm, realms).map(({ definition }) => location.prefix + definition.name);
  err(`${describeLocation(location)}: MongoDB has its own tools for this; run instead:`);
  for (const line of lines[command](withoutPassword(location.uri), databases)) out(line);
  for (const line of await checked(location)) err(line);
  return 2;
}

/** A URI without what is secret in it: tools ask for the user's password. */
export function withoutPassword(uri: string): string {
  const [address = "", ...options] = uri
    .replace(/^(mongodb(?:\+srv)?:\/\/[^:@/]*):[^@]*@/, "$1@")
    .split(/(?=[?&])/);
  const shown = options.map((option) => {
    const name = option.slice(0, option.indexOf("=") + 1);
    return /(?:password|properties)=$/i.test(name) ? `${name}…` : option;
  });
  return [address, ...shown].join("");
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const lines: Readonly<Record<Replaced, (uri: string, databases: readonly string[]) => readonly string[]>> = {
  backup: (uri, databases) => [
    "# all databases as they are at one moment, the end of the dump; of a replica set",
    `mongodump --uri=${quoted(uri)} --oplog --gzip --out=backup`,
    "# one database, of several moments: stop its servers first",
    ...databases.map((name) => `mongodump --uri=${quoted(uri)} --db=${quoted(name)} --gzip --out=backup`),
    "# or a snapshot of the volumes, with journaling: https://www.mongodb.com/docs/manual/tutorial/backup-with-filesystem-snapshots/",
    "# on Atlas, continuous cloud backup goes back to any second: https://www.mongodb.com/docs/atlas/recover-pit-continuous-cloud-backup/",
    "# files of documents: their bucket's versioning, or a copy of each server's SVC_DATA after the dump",
  ],
  restore: (uri, databases) => [
    "# stop all servers first; what a dump with --oplog holds, all databases",
    `mongorestore --uri=${quoted(uri)} --oplogReplay --gzip --drop backup`,
    "# up to a moment before somebody's mistake, in seconds since 1970",
    `mongorestore --uri=${quoted(uri)} --oplogReplay --oplogLimit=<seconds>:1 --gzip --drop backup`,
    "# one database alone",
    ...databases.map(
      (name) => `mongorestore --uri=${quoted(uri)} --nsInclude=${quoted(`${name}.*`)} --gzip --drop backup`,
    ),
  ],
  verify: (uri, databases) => [
    "# the engine's check of each collection and its indexes; it takes a lock of each while it runs",
    ...databases.map((name) => {
      const each =
        "db.getCollectionNames().forEach((name) => printjson(db.runCommand({ validate: name, full: true })))";
      return `mongosh ${quoted(uri)} --eval ${quoted(`db = db.getSiblingDB("${name}"); ${each}`)}`;
    }),
    "# documents against their schema: POST …/_admin/data/{database}/{collection}/_check of a running server",
  ],
};

async function checked({ uri }: MongoLocation): Promise<readonly string[]> {
  const [{ openClient }, { prerequisites }] = await Promise.all([
    import("../../store/mongodb/client.ts"),
    import("../../store/mongodb/restorable.ts"),
  ]);
  let client: ReturnType<typeof openClient> | undefined;
  try {
    client = openClient(uri, { queryTime: PATIENCE });
    const found = await prerequisites(client);
    const marks = { true: "ok", false: "NOT MET", undefined: "unknown" };
    return found.map(({ what, isMet, found: told }) => `${what}: ${marks[`${isMet}`]}: ${told}`);
  } catch (error) {
    return [`whether point-in-time recovery is possible could not be asked: ${messageOf(error)}`];
  } finally {
    await client?.close();
  }
}
