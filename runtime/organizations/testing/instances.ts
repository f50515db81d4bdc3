import { afterAll, beforeAll } from "vitest";
import type { OrganizationSettings } from "../../realm/organizations.ts";
import { dropTestDatabases, testLocation } from "../../store/mongodb/testing/server.ts";
import { type Organizations, startOrganizations } from "./realm.ts";

/**
 * Starts two instances on one MongoDB database for the tests of a `describeMongo`, and stops them after these.
 * @returns the two, once tests run
 */
export function twoInstances(
  settings: Partial<OrganizationSettings> = {},
): () => readonly [Organizations, Organizations] {
  const store = testLocation();
  const started: Organizations[] = [];
  beforeAll(async () => {
    started.push(await startOrganizations(settings, { settings: { store } }));
    started.push(await startOrganizations(settings, { settings: { store } }));
  });
  afterAll(async () => {
    await Promise.all(started.map((instance) => instance.stop()));
    await dropTestDatabases(store);
  });
  return () => {
    const [one, other] = started;
    if (one === undefined || other === undefined) throw new Error("they start before the tests");
    return [one, other];
  };
}
