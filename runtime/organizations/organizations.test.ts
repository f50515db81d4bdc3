import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Person, Received } from "../auth/testing/accounts.ts";
import type { JsonObject } from "../json.ts";
import { collections } from "./collections.ts";
import type { OrganizationRecord } from "./records.ts";
import { items, type Organizations, outcome, startOrganizations } from "./testing/realm.ts";

let server: Organizations;

beforeAll(async () => {
  server = await startOrganizations();
});

afterAll(() => server.stop());

function list({ token }: Pick<Person, "token">, query = ""): Promise<Received> {
  return server.send("GET", `/_orgs${query}`, { token });
}

function patch(
  { id }: Pick<OrganizationRecord, "id">,
  { token }: Pick<Person, "token">,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): Promise<Received> {
  return server.send("PATCH", `/_orgs/${id}`, { token, body, headers });
}

describe("Organization endpoints: GET /_orgs", () => {
  test("lists the caller's organizations with what they are in them, and no others", async () => {
    const { ann, bob } = await server.people("ann", "bob");
    const one = await server.createOrg(ann, { name: "One", claims: { plan: "gold" } });
    const two = await server.createOrg(bob, { name: "Two" });
    await server.createOrg(bob, { name: "Three" });
    const team = await server.createTeam(two, "Desk", ["clerk", "member"]);
    await server.join(two, ann, { roles: ["clerk", "retired"], teams: [team, "retired"] });
    const { status, body } = await list(ann);
    expect(status).toBe(200);
    expect(body).toEqual({
      items: [
        {
          id: one.id,
          name: "One",
          slug: one.slug,
          status: "active",
          require_mfa: false,
          allow_keys: false,
          claims: { plan: "gold" },
          roles: ["owner"],
          effective_roles: [
            { role: "member", origin: ["default"] },
            { role: "owner", origin: ["direct"] },
          ],
          teams: [],
          mfa_met: true,
        },
        {
          id: two.id,
          name: "Two",
          slug: two.slug,
          status: "active",
          require_mfa: false,
          allow_keys: false,
          claims: {},
          roles: ["clerk"],
          effective_roles: [
            { role: "clerk", origin: ["direct", "Desk"] },
            { role: "member", origin: ["default", "Desk"] },
          ],
          teams: [team],
          mfa_met: true,
        },
      ],
      has_more: false,
    });
  });

  test("pages by limit and after", async () => {
    const { cat, dan } = await server.people("cat", "dan");
    const made: string[] = [];
    for (let number = 0; number < 7; number += 1) made.push((await server.createOrg(cat)).id);
    const seen: unknown[] = [];
    let query = "?limit=3";
    for (let page = 0; page < 3; page += 1) {
      const answer = await list(cat, query);
      seen.push(...items(answer).map(({ id }) => id));
      expect(answer.body["has_more"]).toBe(page < 2);
      query = `?limit=3&after=${encodeURIComponent(String(answer.body["next_cursor"]))}`;
    }
    expect(seen).toEqual(made);
    for (const bad of ["?limit=0", "?limit=101", "?after=x", "?status=active", "?limit=1&limit=2"]) {
      expect(outcome(await list(cat, bad))).toEqual([400, "invalid_query"]);
    }
    // A cursor of another list is none of this one.
    const members = await server.send("GET", `/_orgs/${made[0]}/members?limit=1`, { token: cat.token });
    expect(members.body["has_more"]).toBe(false);
    await server.join({ id: made[0] ?? "" }, dan);
    const more = await server.send("GET", `/_orgs/${made[0]}/members?limit=1`, { token: cat.token });
    const cursor = encodeURIComponent(String(more.body["next_cursor"]));
    expect(outcome(await list(cat, `?after=${cursor}`))).toEqual([400, "invalid_query"]);
  });

  test("takes as many queries for thirty as for one, as the member list does", async () => {
    const { ora } = await server.people("ora");
    const org = await server.createOrg(ora);
    const asked = vi.spyOn(server.store("shop"), "collection");
    const queries = async (path: string) => {
      asked.mockClear();
      expect((await server.send("GET", path, { token: ora.token })).status).toBe(200);
      return asked.mock.calls.length;
    };
    const both = async () => [
      await queries("/_orgs?limit=100"),
      await queries(`/_orgs/${org.id}/members?limit=100`),
    ];
    // The session is known from the first request on.
    await both();
    const before = await both();
    for (let number = 0; number < 30; number += 1) {
      await server.createOrg(ora);
      await server.join(org, { id: `member-${number}` });
    }
    expect(await both()).toEqual(before);
    asked.mockRestore();
  });

  test("deleted ones are left out, also while their members are still being removed; orphaned ones are not", async () => {
    const { eve } = await server.people("eve");
    const gone = await server.createOrg(eve);
    const orphaned = await server.createOrg(eve);
    await server.changeOrg(gone, (org) => ({ ...org, status: "deleted", slug_key: null }));
    await server.changeOrg(orphaned, (org) => ({ ...org, status: "orphaned" }));
    expect(items(await list(eve)).map(({ id, status }) => [id, status])).toEqual([[orphaned.id, "orphaned"]]);
    const stranger = await server.signup("stranger@example.com");
    expect((await list(stranger)).body).toEqual({ items: [], has_more: false });
  });

  test("needs a session", async () => {
    const { fay } = await server.people("fay");
    expect(outcome(await server.send("GET", "/_orgs"))).toEqual([401, "unauthenticated"]);
    const token = await server.key({ name: "fays", onBehalfOf: true });
    expect(outcome(await server.send("GET", "/_orgs", { token }))).toEqual([403, "forbidden"]);
    const headers = { "x-svc-on-behalf-of": fay.id };
    expect(outcome(await server.send("GET", "/_orgs", { token, headers }))).toEqual([403, "forbidden"]);
  });

  test("answers are no-store, as errors are", async () => {
    const { gil } = await server.people("gil");
    for (const token of [gil.token, "svs_wrong"]) {
      expect((await list({ token })).headers.get("cache-control")).toBe("no-store");
    }
  });
});

test("Organization: members read name, slug, status and claims", async () => {
  const { hal, ida } = await server.people("hal", "ida");
  const org = await server.createOrg(hal, { name: "Hal", claims: { seats: 5, nested: { a: [1] } } });
  await server.join(org, ida);
  const get = (person: Person) => server.send("GET", `/_orgs/${org.id}`, { token: person.token });
  const { id, slug, name } = org;
  expect((await get(ida)).body).toEqual({
    id,
    name,
    slug,
    status: "active",
    require_mfa: false,
    allow_keys: false,
    claims: { seats: 5, nested: { a: [1] } },
  });
  await server.changeOrg(org, (before) => ({ ...before, status: "orphaned" }));
  expect((await get(ida)).body).toMatchObject({ status: "orphaned" });
  const head = await server.send("HEAD", `/_orgs/${id}`, { token: ida.token });
  expect([head.status, head.body]).toEqual([200, {}]);
  const put = await server.send("PUT", `/_orgs/${id}`, { token: ida.token, body: {} });
  expect([outcome(put), put.headers.get("allow")]).toEqual([
    [405, "method_not_allowed"],
    "GET, HEAD, PATCH, DELETE, OPTIONS",
  ]);
});

describe("Organization endpoints: PATCH /_orgs/{org}", () => {
  test("changes name and slug, of who manages the organization, and is audited; what stays is not written", async () => {
    const { jon, kim } = await server.people("jon", "kim");
    const org = await server.createOrg(jon);
    await server.join(org, kim, { roles: ["clerk", "keeper"] });
    expect(outcome(await patch(org, kim, { name: "Mine" }))).toEqual([403, "forbidden"]);
    const { status, body } = await patch(org, jon, { name: " Jon's ", slug: "jons" });
    expect([status, body]).toEqual([
      200,
      {
        id: org.id,
        name: "Jon's",
        slug: "jons",
        status: "active",
        require_mfa: false,
        allow_keys: false,
        claims: {},
      },
    ]);
    expect(await server.org(org)).toMatchObject({ name: "Jon's", slug: "jons", slug_key: "jons" });
    const versionOf = async () =>
      (await server.store("shop").collection(collections.organizations).get(org.id, "live"))?.version;
    const before = await versionOf();
    for (const same of [{}, { name: "Jon's" }, { slug: "jons" }, { require_mfa: false }]) {
      expect(outcome(await patch(org, jon, same))).toEqual([200]);
    }
    expect(await versionOf()).toBe(before);
    const audited = await server.auditOf(org, "org.update");
    expect(audited).toMatchObject([{ actor: `user:${jon.id}`, details: { members: ["name", "slug"] } }]);
    // The slug that it had is free.
    expect((await patch(await server.createOrg(kim), kim, { slug: org.slug })).status).toBe(200);
    const merge = { "content-type": "application/merge-patch+json" };
    expect((await patch(org, jon, { name: "Jon" }, merge)).body).toMatchObject({ name: "Jon" });
  });

  test("what is no name, no slug, or nothing that it has: 400", async () => {
    const { lea } = await server.people("lea");
    const org = await server.createOrg(lea);
    for (const body of [
      { name: null },
      { name: "" },
      { slug: null },
      { slug: "A" },
      { require_mfa: null },
      { require_mfa: "true" },
      { claims: {} },
      { status: "deleted" },
      { teams: [] },
      { id: "x" },
    ]) {
      expect([body, ...outcome(await patch(org, lea, body))]).toEqual([body, 400, "validation_error"]);
    }
    expect(await server.org(org)).toEqual(org);
  });

  test("Organization endpoints 1: a slug that another has is 409 slug_taken; of five who take one at once one gets it", async () => {
    const { max } = await server.people("max");
    const orgs: OrganizationRecord[] = [];
    for (let number = 0; number < 5; number += 1) orgs.push(await server.createOrg(max));
    const [one, two] = orgs;
    expect(outcome(await patch(one ?? { id: "" }, max, { slug: two?.slug ?? "" }))).toEqual([
      409,
      "slug_taken",
    ]);
    for (let round = 0; round < 3; round += 1) {
      const answers = await Promise.all(orgs.map((org) => patch(org, max, { slug: `taken-${round}` })));
      expect(answers.map(outcome).sort()).toEqual([
        [200],
        ...Array.from({ length: 4 }, () => [409, "slug_taken"]),
      ]);
    }
  });

  test("changes of different members at the same moment all count", async () => {
    const { ned } = await server.people("ned");
    const org = await server.createOrg(ned);
    const answers = await Promise.all([patch(org, ned, { name: "Ned" }), patch(org, ned, { slug: "ned" })]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await server.org(org)).toMatchObject({ name: "Ned", slug: "ned" });
  });
});

describe("Organization: allow_keys", () => {
  test("is false unless it was turned on, which takes a fresh proof of identity, and is audited", async () => {
    const { abe, bea } = await server.people("abe", "bea");
    const org = await server.createOrg(abe);
    await server.join(org, bea, { roles: ["clerk"] });
    expect(outcome(await patch(org, bea, { allow_keys: true }, await server.proof(bea)))).toEqual([
      403,
      "forbidden",
    ]);
    expect((await patch(org, abe, { allow_keys: false })).body).toMatchObject({ allow_keys: false });
    expect(outcome(await patch(org, abe, { allow_keys: "yes" }))).toEqual([400, "validation_error"]);
    expect(outcome(await patch(org, abe, { allow_keys: true, name: "New" }))).toEqual([
      401,
      "reauth_required",
    ]);
    expect(await server.org(org)).toEqual(org);
    const headers = await server.proof(abe);
    const { status, body } = await patch(org, abe, { allow_keys: true, name: "New" }, headers);
    expect([status, body]).toMatchObject([200, { allow_keys: true, name: "New" }]);
    expect(items(await list(bea))[0]).toMatchObject({ allow_keys: true });
    // What is so already asks for nothing, and neither does turning it off.
    expect(outcome(await patch(org, abe, { allow_keys: true }))).toEqual([200]);
    expect((await patch(org, abe, { allow_keys: false })).body).toMatchObject({ allow_keys: false });
    const by = `user:${abe.id}`;
    expect(await server.acts(org, "org.update")).toEqual([
      [by, { members: ["name"] }],
      [by, { allow_keys: true }],
      [by, { allow_keys: false }],
    ]);
  });
});

describe("Organization endpoints 6: requiring a second factor", () => {
  test("asks for a session that used one and a fresh proof of identity, and is audited", async () => {
    const { oda, pia } = await server.people("oda", "pia");
    const org = await server.createOrg(oda);
    await server.join(org, pia, { roles: ["clerk"] });
    expect(outcome(await patch(org, pia, { require_mfa: true }))).toEqual([403, "forbidden"]);
    const weak = await server.proof(oda);
    expect(outcome(await patch(org, oda, { require_mfa: true }, weak))).toEqual([403, "org_requires_mfa"]);
    const factor = await server.strengthen(oda);
    expect(outcome(await patch(org, oda, { require_mfa: true }))).toEqual([401, "reauth_required"]);
    expect(outcome(await patch(org, oda, { require_mfa: true, name: "" }))).toEqual([
      400,
      "validation_error",
    ]);
    // Nothing of the change is made.
    expect(outcome(await patch(org, oda, { require_mfa: true, name: "New" }))).toEqual([
      401,
      "reauth_required",
    ]);
    expect(await server.org(org)).toEqual(org);

    const headers = await server.proof(oda, factor);
    const { status, body } = await patch(org, oda, { require_mfa: true, name: "New" }, headers);
    expect([status, body]).toMatchObject([200, { require_mfa: true, name: "New" }]);
    const required = () => server.acts(org, "org.require_mfa");
    expect(await required()).toEqual([[`user:${oda.id}`, { require_mfa: true }]]);
    // What is so already asks for nothing.
    expect(outcome(await patch(org, oda, { require_mfa: true, name: "Newer" }))).toEqual([200]);
    expect(outcome(await patch(org, oda, { require_mfa: false }))).toEqual([200]);
    expect(await required()).toEqual([
      [`user:${oda.id}`, { require_mfa: true }],
      [`user:${oda.id}`, { require_mfa: false }],
    ]);
  });

  test("a member whose session used none sees it in their list with mfa_met: false and no effective roles", async () => {
    const { quin, rob } = await server.people("quin", "rob");
    const org = await server.createOrg(quin, { require_mfa: true, claims: { plan: "gold" } });
    const team = await server.createTeam(org, "Desk");
    await server.join(org, rob, { roles: ["clerk"], teams: [team] });
    const entry = async (person: Person) => items(await list(person))[0];
    expect(await entry(rob)).toEqual({
      id: org.id,
      name: org.name,
      slug: org.slug,
      status: "active",
      require_mfa: true,
      allow_keys: false,
      claims: {},
      roles: ["clerk"],
      effective_roles: [],
      teams: [team],
      mfa_met: false,
    });
    for (const path of ["", "/members"]) {
      const answer = await server.send("GET", `/_orgs/${org.id}${path}`, { token: rob.token });
      expect(outcome(answer)).toEqual([403, "org_requires_mfa"]);
    }
    await server.strengthen(rob);
    expect(await entry(rob)).toMatchObject({
      claims: { plan: "gold" },
      effective_roles: [
        { role: "clerk", origin: ["direct"] },
        { role: "member", origin: ["default"] },
      ],
      mfa_met: true,
    });
  });

  test("where the realm does not allow it: 403", async () => {
    const strict = await startOrganizations({ allowRequireMfa: false });
    try {
      const { sue } = await strict.people("sue");
      const org = await strict.createOrg(sue);
      const factor = await strict.strengthen(sue);
      const answer = await strict.send("PATCH", `/_orgs/${org.id}`, {
        token: sue.token,
        body: { require_mfa: true },
        headers: await strict.proof(sue, factor),
      });
      expect(outcome(answer)).toEqual([403, "forbidden"]);
      // What is required already may be ended.
      await strict.changeOrg(org, (before) => ({ ...before, require_mfa: true }));
      const ended = await strict.send("PATCH", `/_orgs/${org.id}`, {
        token: sue.token,
        body: { require_mfa: false },
      });
      expect(ended.status).toBe(200);
    } finally {
      await strict.stop();
    }
  });
});
