import { MongoClient, type MongoClientOptions } from "mongodb";

/** How long operations on a store may take, in milliseconds. */
export interface ClientTimes {
  readonly queryTime: number;
}

/** After so many milliseconds without a primary a request is told that the store is unavailable, unless the URI says otherwise. */
const SELECTION_TIME = 5_000;

/**
 * A client that several stores may share; who opened it closes it, when they are closed. It connects when it is first
 * used, and again by itself whenever it lost its servers.
 * @throws Error for a URI that cannot be used; no message repeats any of it, for it may hold a password
 */
export function openClient(uri: string, { queryTime }: ClientTimes): MongoClient {
  const given = optionsIn(uri);
  refuseContradictions(parsed(uri), given);
  const tunable: MongoClientOptions = {
    appName: "realmc",
    maxPoolSize: 100,
    minPoolSize: 2,
    maxIdleTimeMS: 300_000,
    heartbeatFrequencyMS: 5_000,
    connectTimeoutMS: 5_000,
    serverSelectionTimeoutMS: Math.min(SELECTION_TIME, queryTime),
  };
  return new MongoClient(uri, {
    ...Object.fromEntries(Object.entries(tunable).filter(([name]) => !given.has(name.toLowerCase()))),
    // No socket timeout, which would interrupt the building of indexes: monitors find out when a server no longer
    // answers, and interrupt what waits for it.
    waitQueueTimeoutMS: queryTime,
    readPreference: "primary",
    readConcern: { level: "majority" },
    writeConcern: { w: "majority", wtimeoutMS: queryTime },
    retryReads: true,
    retryWrites: true,
  });
}

function optionsIn(uri: string): ReadonlySet<string> {
  const query = new URLSearchParams(uri.includes("?") ? uri.slice(uri.indexOf("?") + 1) : "");
  return new Set(Array.from(query.keys(), (name) => name.toLowerCase()));
}

function parsed(uri: string): MongoClient["options"] {
  try {
    return new MongoClient(uri).options;
  } catch (error) {
    // Other messages of the driver repeat parts of the URI.
    const message = error instanceof Error ? error.message : "";
    const reason = /^options? [\w, ]+ (is|are) not supported$/.test(message) ? `: ${message}` : "";
    throw new Error(
      `this is not a MongoDB URI that can be used${reason} (user and password are percent-encoded in it)`,
    );
  }
}

/** Options that we set by `SVC_QUERY_TIME`. */
const timed = ["waitQueueTimeoutMS", "wtimeoutMS", "wtimeout", "timeoutMS"];

/** Options by which values, ids or names would come otherwise than they were stored, or collections lie elsewhere. */
const shaping = [
  ...["promoteValues", "promoteLongs", "promoteBuffers", "useBigInt64", "bsonRegExp", "raw", "fieldsAsRaw"],
  ...["ignoreUndefined", "serializeFunctions", "checkKeys", "forceServerObjectId", "enableUtf8Validation"],
  ...["pkFactory", "dbName"],
];

/**
 * Options of the URI under which an acknowledged write could be lost or read too late, no transaction would run,
 * operations had other times than ours (the building of an index any at all), or documents would be read otherwise.
 */
function refuseContradictions(options: MongoClient["options"], given: ReadonlySet<string>): void {
  const { writeConcern, readConcern, readPreference, retryWrites, retryReads, socketTimeoutMS } = options;
  const isGiven = (name: string) => given.has(name.toLowerCase());
  const refused = [
    writeConcern?.w !== undefined && writeConcern.w !== "majority" && "w (other than majority)",
    writeConcern?.journal === false && "journal=false",
    readConcern !== undefined && readConcern.level !== "majority" && "readConcernLevel (other than majority)",
    readPreference.mode !== "primary" && "readPreference (other than primary)",
    isGiven("readPreferenceTags") && "readPreferenceTags",
    !retryWrites && "retryWrites=false",
    !retryReads && "retryReads=false",
    socketTimeoutMS !== undefined && socketTimeoutMS !== 0 && "socketTimeoutMS",
    ...timed.filter(isGiven).map((name) => `${name} (SVC_QUERY_TIME says it)`),
    ...shaping.filter(isGiven),
  ].filter((name) => name !== false);
  if (refused.length === 0) return;
  throw new Error(`the MongoDB URI has options that the server does not work with: ${refused.join(", ")}`);
}
