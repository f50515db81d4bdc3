import { afterEach, beforeEach, expect, test } from "vitest";
import { ApiError } from "../errors.ts";
import { heldClock } from "../instance/testing/servers.ts";
import { Outdated } from "../retry.ts";
import type { Store } from "../store/contract/store.ts";
import { testStore } from "../store/testing/stores.ts";
import { changeOrganization } from "./change.ts";
import { organizationCollections } from "./collections.ts";
import { definitionOf, organizationsIn } from "./testing/realm.ts";

const clock = heldClock();
const founder = { id: "founder" };

let store: Store;
let made: ReturnType<typeof organizationsIn>;

beforeEach(async () => {
  store = await testStore({ clock, collections: organizationCollections(definitionOf()) });
  made = organizationsIn({ store, clock });
});

afterEach(() => store.close());

test("changes of one organization at the same moment all count, each decided on the ones before", async () => {
  const org = await made.createOrg(founder, { claims: { count: 0 } });
  const counts = await Promise.all(
    Array.from({ length: 15 }, () =>
      changeOrganization({ store, clock }, org.id, async ({ record }) => {
        const count = Number(record.claims["count"]) + 1;
        return { org: { ...record, claims: { count } }, result: count };
      }),
    ),
  );
  expect(counts.sort((a, b) => a - b)).toEqual(Array.from({ length: 15 }, (_, n) => n + 1));
  expect((await made.org(org))?.claims).toEqual({ count: 15 });
});

test("what was read after the organization is so when the change is written: else it is decided again", async () => {
  const org = await made.createOrg(founder);
  let decided = 0;
  const member = await changeOrganization({ store, clock }, org.id, async ({ record }) => {
    decided += 1;
    const roles = (await made.member(org, founder))?.roles;
    // Somebody comes in between, but only once.
    if (decided === 1) await made.join(org, founder, { roles: ["clerk"] });
    return { org: record, result: roles };
  });
  expect([decided, member]).toEqual([2, ["clerk"]]);
});

test("a refusal that rests on what others changed meanwhile is decided again", async () => {
  const org = await made.createOrg(founder);
  let decided = 0;
  const change = changeOrganization({ store, clock }, org.id, async ({ record }) => {
    decided += 1;
    if (decided < 3) {
      await made.changeOrg(org, (before) => ({ ...before, claims: { decided } }));
      throw new ApiError("last_org_manager", "nobody else");
    }
    return { org: record, result: record.claims };
  });
  expect([await change, decided]).toEqual([{ decided: 2 }, 3]);
  const refused = changeOrganization({ store, clock }, org.id, () => {
    decided += 1;
    throw new ApiError("last_org_manager", "nobody else");
  });
  await expect(refused).rejects.toMatchObject({ code: "last_org_manager" });
  expect(decided).toBe(4);
});

test("a change that others come before again and again is 409 write_conflict and writes nothing", async () => {
  const org = await made.createOrg(founder);
  let decided = 0;
  const change = changeOrganization({ store, clock }, org.id, async ({ record }) => {
    decided += 1;
    await made.changeOrg(org, (before) => ({ ...before, claims: { decided } }));
    return { org: { ...record, name: "Mine" }, result: undefined };
  });
  await expect(change).rejects.toMatchObject({ code: "write_conflict" });
  expect(decided).toBe(20);
  expect(await made.org(org)).toMatchObject({ name: "org-1", claims: { decided: 20 } });
});

test("what is written along is written with the change or not at all; Outdated has it decided again", async () => {
  const org = await made.createOrg(founder);
  const failing = changeOrganization({ store, clock }, org.id, async ({ record }) => ({
    org: { ...record, name: "Mine" },
    result: undefined,
    along: () => Promise.reject(new ApiError("conflict", "no")),
  }));
  await expect(failing).rejects.toMatchObject({ code: "conflict" });
  expect((await made.org(org))?.name).toBe("org-1");

  let tried = 0;
  const result = await changeOrganization({ store, clock }, org.id, async ({ record }) => ({
    org: { ...record, name: "Mine" },
    result: "done",
    along: async () => {
      tried += 1;
      if (tried < 3) throw new Outdated();
    },
  }));
  expect([result, tried, (await made.org(org))?.name]).toEqual(["done", 3, "Mine"]);
});

test("a decision without an organization writes nothing", async () => {
  const org = await made.createOrg(founder);
  expect(await changeOrganization({ store, clock }, org.id, async () => ({ result: 7 }))).toBe(7);
  expect(await made.org(org)).toEqual(org);
});

test("Organization endpoints 1: a slug that another organization has is 409 slug_taken", async () => {
  const [one, two] = [await made.createOrg(founder), await made.createOrg(founder)];
  const rename = (org: typeof one, slug: string) =>
    made.changeOrg(org, (before) => ({ ...before, slug, slug_key: slug }));
  await expect(rename(two, one.slug)).rejects.toMatchObject({ code: "slug_taken" });
  expect(await made.org(two)).toEqual(two);
  await made.changeOrg(one, (before) => ({ ...before, status: "deleted", slug_key: null }));
  expect(await rename(two, one.slug)).toMatchObject({ slug: one.slug });
});

test("Organization endpoints 1: an unknown organization is 403 not_org_member, or what the caller says", async () => {
  const unknown = (...missing: [] | [() => ApiError]) =>
    changeOrganization({ store, clock }, "nowhere", async () => ({ result: 1 }), ...missing);
  await expect(unknown()).rejects.toMatchObject({ code: "not_org_member", status: 403 });
  await expect(unknown(() => new ApiError("not_found", "no"))).rejects.toMatchObject({ code: "not_found" });
});
