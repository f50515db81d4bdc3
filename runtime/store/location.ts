import { resolve } from "node:path";

/** Where a store lies, as `SVC_STORE` and `realmc copy` name it (docs: Instance settings). */
export type StoreLocation = SqliteLocation | MongoLocation;

export interface SqliteLocation {
  readonly engine: "sqlite";
  /** One file a realm lies in it; or `:memory:`, for a store that ends with the process. */
  readonly folder: string;
}

export interface MongoLocation {
  readonly engine: "mongodb";
  /** Holds a password perhaps: never logged, never repeated. */
  readonly uri: string;
  /** Before the realm's name in that of its database; `svc-`, but in tests. */
  readonly prefix: string;
}

export const DATABASE_PREFIX = "svc-";

/** Forms of a location, for messages. */
export const locationForms = "sqlite:<folder>, sqlite::memory:, or a mongodb:// or mongodb+srv:// URI";

/** Scheme, perhaps user and password, hosts, database and options; as its driver takes it apart. */
const mongoUri = /^mongodb(?:\+srv)?:\/\/(?:[^@]*@)?([^@/?]+)(?:[/?][^@]*)?$/;

/** Reads a location; undefined for what is none. Whether a MongoDB URI makes sense, its driver says later. */
export function parseLocation(text: string): StoreLocation | undefined {
  if (mongoUri.test(text)) return { engine: "mongodb", uri: text, prefix: DATABASE_PREFIX };
  const folder = text.startsWith("sqlite:") ? text.slice("sqlite:".length) : "";
  if (folder === "") return undefined;
  return { engine: "sqlite", folder: folder === ":memory:" ? folder : resolve(folder) };
}

/** A location as people may read it: of a URI the hosts alone. */
export function describeLocation(location: StoreLocation): string {
  if (location.engine === "sqlite") return `sqlite:${location.folder}`;
  const [scheme] = location.uri.split("://", 1);
  return `${scheme}://${mongoUri.exec(location.uri)?.[1] ?? ""}`;
}
