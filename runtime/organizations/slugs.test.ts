import { afterEach, beforeEach, expect, test } from "vitest";
import { heldClock } from "../instance/testing/servers.ts";
import type { Store } from "../store/contract/store.ts";
import { testStore } from "../store/testing/stores.ts";
import { organizationCollections } from "./collections.ts";
import { freeSlug, slugFrom } from "./slugs.ts";
import { definitionOf, organizationsIn } from "./testing/realm.ts";

const clock = heldClock();
let store: Store;
let made: ReturnType<typeof organizationsIn>;

beforeEach(async () => {
  store = await testStore({ clock, collections: organizationCollections(definitionOf()) });
  made = organizationsIn({ store, clock });
});

afterEach(() => store.close());

test("Organization: a slug made of a name", () => {
  const slugs: Readonly<Record<string, string>> = {
    "Acme Corp.": "acme-corp",
    "  --Acme__Corp--  ": "acme-corp",
    "Müller & Söhne": "muller-sohne",
    "Straße 7": "strasse-7",
    "Ærø Łódź İzmir": "aero-lodz-izmir",
    "Bob's Burgers": "bobs-burgers",
    "O’Neill": "oneill",
    "ﬁne ½": "fine-1-2",
    Ｆｕｌｌ: "full",
    "東京 Office": "office",
    Caféж1: "cafe1",
    "42": "42",
    東京: "org",
    "!?": "org",
    constructor: "constructor",
    ["x".repeat(200)]: "x".repeat(63),
    [`${"x".repeat(62)} y`]: "x".repeat(62),
  };
  for (const [name, slug] of Object.entries(slugs)) expect([name, slugFrom(name)]).toEqual([name, slug]);
  for (const name of Object.keys(slugs))
    expect(slugFrom(name)).toMatch(/^(?=.{1,63}$)[a-z0-9]+(-[a-z0-9]+)*$/);
});

test("Organization: the first slug that is free is found in few queries, however many are taken", async () => {
  expect(await freeSlug(store, "acme")).toBe("acme");
  const take = (slug: string) => made.createOrg({ id: "founder" }, { slug });
  await take("acme");
  await take("acme-3");
  expect(await freeSlug(store, "acme")).toBe("acme-2");
  await take("acme-2");
  expect(await freeSlug(store, "acme")).toBe("acme-4");
  for (let number = 4; number <= 333; number += 1) await take(`acme-${number}`);
  let queries = 0;
  const counting: Store = {
    ...store,
    collection(name) {
      queries += 1;
      return store.collection(name);
    },
  };
  expect(await freeSlug(counting, "acme")).toBe("acme-334");
  expect(queries).toBeLessThanOrEqual(5);
});

test("Organization: a number leaves a slug within 63 characters", async () => {
  const longest = "x".repeat(63);
  await made.createOrg({ id: "founder" }, { slug: longest });
  expect(await freeSlug(store, longest)).toBe(`${"x".repeat(61)}-2`);
  const dashed = `${"x".repeat(60)}-yy`;
  await made.createOrg({ id: "founder" }, { slug: dashed });
  expect(await freeSlug(store, dashed)).toBe(`${"x".repeat(60)}-2`);
});
