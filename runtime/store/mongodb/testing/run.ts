import type { TestProject } from "vitest/node";
import { openClient } from "../client.ts";
import { serverUris } from "./servers.ts";

/** Around all tests on MongoDB: drops the databases that they left, on every server. */
export default function run({ config }: TestProject): () => Promise<void> {
  return async () => {
    const { REALMC_TEST_RUN: name } = config.env;
    if (name === undefined) return;
    await Promise.all(serverUris().map((uri) => dropDatabases(uri, `t${name}-`)));
  };
}

/** Those whose names begin with `prefix`. */
async function dropDatabases(uri: string, prefix: string): Promise<void> {
  const client = await openClient(uri, { queryTime: 5_000 });
  const filter = { name: { $regex: `^${prefix}` } };
  const { databases } = await client.db("admin").admin().listDatabases({ nameOnly: true, filter });
  for (const database of databases) await client.db(database.name).dropDatabase();
  await client.close();
}
