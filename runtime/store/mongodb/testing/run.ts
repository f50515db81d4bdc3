import type { TestProject } from "vitest/node";
import { openClient } from "../client.ts";

/** Around all tests on MongoDB: drops the databases that they left. */
export default function run({ config }: TestProject): () => Promise<void> {
  return async () => {
    const { REALMC_TEST_RUN: name } = config.env;
    const uri = process.env["MONGODB_URI"];
    if (name === undefined || uri === undefined) return;
    const client = await openClient(uri, { queryTime: 5_000 });
    const filter = { name: { $regex: `^t${name}-` } };
    const { databases } = await client.db("admin").admin().listDatabases({ nameOnly: true, filter });
    for (const database of databases) await client.db(database.name).dropDatabase();
    await client.close();
  };
}
