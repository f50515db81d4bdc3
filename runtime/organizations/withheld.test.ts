import { afterEach, beforeEach, expect, test } from "vitest";
import { timestamp } from "../clock.ts";
import { heldClock } from "../instance/testing/servers.ts";
import type { CollectionDefinition, RealmDefinition } from "../realm/definition.ts";
import type { Store } from "../store/contract/store.ts";
import { isEmbedded, testStore } from "../store/testing/stores.ts";
import { organizationCollections } from "./collections.ts";
import type { OrganizationRecord } from "./records.ts";
import { definitionOf, organizationsIn } from "./testing/realm.ts";
import { afterErasing, Withheld } from "./withheld.ts";

const clock = heldClock();
const founder = { id: "founder" };
const start = clock.now();

let store: Store;
let made: ReturnType<typeof organizationsIn>;

/** A realm with one collection of this policy. */
function realmWith(onDelete: "delete" | "keep"): RealmDefinition {
  const collection: CollectionDefinition = {
    realm: "shop",
    database: "main",
    name: "notes",
    fields: {},
    indexes: [],
    validate: () => true,
    organization: { required: true, onDelete },
  };
  return definitionOf([collection]);
}

beforeEach(async () => {
  clock.set(start);
  store = await testStore({ clock, collections: organizationCollections(realmWith("keep")) });
  made = organizationsIn({ store, clock });
});

afterEach(() => store.close());

const withheldIn = (onDelete: "delete" | "keep") =>
  new Withheld({ store, clock, definition: realmWith(onDelete) });

function deleted(org: OrganizationRecord): OrganizationRecord {
  return {
    ...org,
    status: "deleted",
    slug_key: null,
    deleted_at: timestamp(clock.now()),
    cleanup: { job: "job1" },
  };
}

function erased(org: OrganizationRecord): OrganizationRecord {
  return { ...org, cleanup: null, erased_at: timestamp(clock.now()) };
}

test("States, Organization: a deleted organization is withheld from then on, and until it comes back", async () => {
  const withheld = withheldIn("keep");
  const [one, two] = [await made.createOrg(founder), await made.createOrg(founder)];
  expect([...(await withheld.current())]).toEqual([]);
  await made.changeOrg(one, deleted);
  expect([...(await withheld.current())]).toEqual([one.id]);
  await made.changeOrg(two, deleted);
  expect([...(await withheld.current())].sort()).toEqual([one.id, two.id].sort());
  await made.changeOrg(one, erased);
  clock.advance(10 * afterErasing);
  expect([...(await withheld.current())].sort()).toEqual([one.id, two.id].sort());
  await made.changeOrg(two, (org) => ({ ...erased(org), status: "active", slug_key: "two" }));
  expect([...(await withheld.current())]).toEqual([one.id]);
});

test("States, Organization: where nothing keeps documents one is withheld until it is erased, late writes too", async () => {
  const withheld = withheldIn("delete");
  const org = await made.createOrg(founder);
  await made.changeOrg(org, deleted);
  expect([...(await withheld.current())]).toEqual([org.id]);
  clock.advance(10 * afterErasing);
  expect([...(await withheld.current())]).toEqual([org.id]);
  await made.changeOrg(org, erased);
  expect([...(await withheld.current())]).toEqual([org.id]);
  clock.advance(afterErasing - 1);
  expect([...(await withheld.current())]).toEqual([org.id]);
  clock.advance(1);
  expect([...(await withheld.current())]).toEqual([]);
  // The same for who has not looked before.
  expect([...(await withheldIn("delete").current())]).toEqual([]);
});

test("the very same set is answered until another one is deleted, whatever else changes in organizations", async () => {
  const withheld = withheldIn("keep");
  const [one, two] = [await made.createOrg(founder), await made.createOrg(founder)];
  await made.changeOrg(one, deleted);
  const first = await withheld.current();
  await made.changeOrg(two, (org) => ({ ...org, name: "Another" }));
  await made.changeOrg(two, (org) => ({ ...org, status: "orphaned" }));
  expect(await withheld.current()).toBe(first);
  await made.changeOrg(one, erased);
  expect(await withheld.current()).toBe(first);
  await made.changeOrg(two, deleted);
  expect(await withheld.current()).not.toBe(first);
});

test.runIf(isEmbedded)("it is there at once while nothing was deleted", async () => {
  const withheld = withheldIn("delete");
  const none = await withheld.current();
  const org = await made.createOrg(founder);
  expect(withheld.current()).toBe(none);
  await made.changeOrg(org, deleted);
  expect(withheld.current()).toBeInstanceOf(Promise);
  const one = await withheld.current();
  expect(withheld.current()).toBe(one);
});

test("many that were deleted are all withheld", async () => {
  const withheld = withheldIn("keep");
  const orgs = await made.createOrgs(founder, 1_005, { status: "deleted" });
  const ids = orgs.map(({ id }) => id);
  expect([...(await withheld.current())].sort()).toEqual(ids.sort());
});

test("two that are deleted at the same moment, the first ever, are both withheld", async () => {
  const withheld = withheldIn("keep");
  const orgs = await Promise.all(Array.from({ length: 5 }, () => made.createOrg(founder)));
  await Promise.all(orgs.map((org) => made.changeOrg(org, deleted)));
  expect((await withheld.current()).size).toBe(5);
});
