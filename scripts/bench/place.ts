import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { root } from "../workspace.ts";

const realms = [
  "open",
  "guarded",
  "checked",
  "keys",
  "queries",
  "organizations",
  "realtime",
  "functions",
  "files",
  "migrations",
] as const;
export type MeasuredRealm = (typeof realms)[number];

/** Where the measured servers of one run store, each on its own. */
export interface Place {
  /** What it is called in reports that stores there without the generated server. */
  readonly byHand: string;
  /** The configuration to build. */
  readonly config: string;
  /** What the realm is called there. */
  nameOf(realm: MeasuredRealm): string;
  /** Environment of a generated server. */
  environment(realm: MeasuredRealm): Readonly<Record<string, string>>;
  /** Script and arguments of a server written by hand. */
  handwritten(realm: MeasuredRealm): readonly [script: string, ...args: string[]];
  /** Removes what was stored. */
  clear(): Promise<void>;
}

const config = join(root, "scripts/bench/config");

/** Where the servers written by hand lie that a realm is compared with. */
function roomOf(realm: MeasuredRealm): string {
  return realm === "queries" || realm === "functions" || realm === "files" ? `${realm}/` : "";
}

/** The embedded engine. */
export function folders(work: string): Place {
  return {
    byHand: "hand-written",
    config,
    nameOf: (realm) => realm,
    environment: (realm) => ({ SVC_STORE: `sqlite:${join(work, realm)}` }),
    handwritten: (realm) => {
      const folder = join(work, `handwritten-${realm}`);
      mkdirSync(folder, { recursive: true });
      return [`${roomOf(realm)}handwritten.mjs`, folder];
    },
    clear: async () => undefined,
  };
}

/** A MongoDB server that others use too: databases have names that nobody else's have. */
export function databases(uri: string, work: string): Place {
  const suffix = randomBytes(5).toString("hex");
  const nameOf = (realm: string) => `${realm}-${suffix}`;
  for (const realm of realms)
    cpSync(join(config, realm), join(work, "config", nameOf(realm)), { recursive: true });
  const keys = randomBytes(32).toString("base64");
  return {
    byHand: "bare driver",
    config: join(work, "config"),
    nameOf,
    environment: () => ({
      SVC_STORE: uri,
      SVC_KEYS: keys,
      SVC_DATA: join(work, "data"),
      // A slow server is no failure here.
      SVC_QUERY_TIME: "55s",
      SVC_AGGREGATE_TIME: "55s",
    }),
    handwritten: (realm) => [`${roomOf(realm)}handwritten-mongo.mjs`, uri, nameOf(`bench-${realm}`)],
    clear: async () => {
      const client = new MongoClient(uri);
      try {
        const made = realms.map(nameOf).flatMap((name) => [`svc-${name}`, `bench-${name}`]);
        for (const name of made) await client.db(name).dropDatabase();
      } finally {
        await client.close();
      }
    },
  };
}
