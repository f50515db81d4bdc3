import type { MongoClient } from "mongodb";
import { type Clock, systemClock } from "../../../clock.ts";
import type { Engine, Warn } from "../engine.ts";
import { turnsOf } from "../pool.ts";
import { upkeepOf } from "../provision/provision.ts";
import { randomName, testClient } from "./server.ts";

export interface TestEngine extends Engine {
  /** Another instance on the same database. */
  beside(): TestEngine;
  /** Ends all of its instances, and drops the database. */
  close(): Promise<void>;
}

/** What a store's parts work with, on a database of its own. */
export async function testEngine(
  clock: Clock = systemClock,
  warn: Warn = () => {},
  otherClient?: MongoClient,
): Promise<TestEngine> {
  const client = otherClient ?? (await testClient());
  const database = client.db(`t${randomName()}-test`);
  const closing = new AbortController();
  const instances: TestEngine[] = [];
  const open = (): TestEngine => {
    const engine: TestEngine = {
      client,
      database,
      clock,
      queryTime: 5_000,
      searchTime: 5_000,
      expensive: turnsOf(client),
      closing: closing.signal,
      warn,
      beside: open,
      close: async () => {
        closing.abort();
        for (const instance of instances) await upkeepOf(instance).end();
        await database.dropDatabase();
      },
    };
    instances.push(engine);
    return engine;
  };
  return open();
}
