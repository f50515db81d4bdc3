import { afterAll, expect, test } from "vitest";
import {
  describeMongo,
  dropDatabases,
  mongoUri,
  randomName,
} from "../../../runtime/store/mongodb/testing/server.ts";
import { crashInstances } from "./run.ts";

describeMongo("Two server processes on one database, one of them killed again and again", () => {
  const realm = `t${randomName()}`;
  // Transactions of servers that were killed last for a minute at most.
  afterAll(() => dropDatabases(`svc-${realm}`), 90_000);

  test("lose and double nothing, and show everybody the same", { timeout: 180_000 }, async () => {
    const { acknowledged, problems } = await crashInstances(mongoUri ?? "", realm, 3);
    expect(problems).toEqual([]);
    expect(acknowledged).toBeGreaterThan(50);
  });
});
