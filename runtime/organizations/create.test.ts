import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person, Received, Sent } from "../auth/testing/accounts.ts";
import type { JsonObject } from "../json.ts";
import { describeMongo } from "../store/mongodb/testing/server.ts";
import { collections } from "./collections.ts";
import { twoInstances } from "./testing/instances.ts";
import { type Organizations, outcome, startOrganizations } from "./testing/realm.ts";

let server: Organizations;

beforeAll(async () => {
  server = await startOrganizations({
    create: ({ user, memberships }) => user?.email !== "nobody@example.com" && memberships.size < 50,
    maxCreatedPerUser: 3,
  });
});

afterAll(() => server.stop());

function create({ token }: Pick<Person, "token">, body: JsonObject, on = server): Promise<Received> {
  return on.send("POST", "/_orgs", { token, body });
}

function details({ body }: Received): unknown {
  const { error } = body;
  return typeof error === "object" && error !== null && "details" in error ? error["details"] : undefined;
}

test("Organization: who creates one is a member with creator_roles; it has the fields of an organization and no others", async () => {
  const { ann } = await server.people("ann");
  const { status, body } = await create(ann, { name: "  Ann & Sons ", slug: "ann-1" });
  expect(status).toBe(201);
  expect(body).toEqual({
    id: expect.any(String),
    name: "Ann & Sons",
    slug: "ann-1",
    status: "active",
    require_mfa: false,
    allow_keys: false,
    claims: {},
  });
  const id = String(body["id"]);
  expect(await server.member({ id }, ann)).toMatchObject({ user: ann.id, roles: ["owner"], teams: [] });
  const audited = await server.auditOf({ id }, "org.create");
  expect(audited).toMatchObject([{ actor: `user:${ann.id}`, details: { owner: ann.id, roles: ["owner"] } }]);
  const got = await server.send("GET", `/_orgs/${id}`, { token: ann.token });
  expect([got.status, got.body]).toEqual([200, body]);
});

test("Organization endpoints: who may create one is said by the realm's rule, before the body is looked at", async () => {
  const { nobody } = await server.people("nobody");
  expect(outcome(await create(nobody, { name: "" }))).toEqual([403, "forbidden"]);
  const closed = await startOrganizations({ create: () => false });
  try {
    const { bob } = await closed.people("bob");
    expect(outcome(await create(bob, { name: "Bob" }, closed))).toEqual([403, "forbidden"]);
  } finally {
    await closed.stop();
  }
});

test("Authentication 7: creating one needs a session", async () => {
  const { cat } = await server.people("cat");
  const send = (sent: Sent) => server.send("POST", "/_orgs", { body: { name: "Cat" }, ...sent });
  expect(outcome(await send({}))).toEqual([401, "unauthenticated"]);
  const token = await server.key({ name: "cats", onBehalfOf: true });
  expect(outcome(await send({ token }))).toEqual([403, "forbidden"]);
  expect(outcome(await send({ token, headers: { "x-svc-on-behalf-of": cat.id } }))).toEqual([
    403,
    "forbidden",
  ]);
});

test("Organization: names have 1 to 200 characters, slugs lower-case letters and digits separated by single -", async () => {
  const { dan } = await server.people("dan");
  const refused: readonly [JsonObject, string][] = [
    [{}, "name"],
    [{ name: "" }, "name"],
    [{ name: " \t " }, "name"],
    [{ name: "x".repeat(201) }, "name"],
    [{ name: "two\nlines" }, "name"],
    [{ name: "u\u2028v" }, "name"],
    [{ name: null }, "name"],
    [{ name: ["Dan"] }, "name"],
    [{ name: "Dan", slug: null }, "slug"],
    [{ name: "Dan", slug: "" }, "slug"],
    [{ name: "Dan", slug: "Dan" }, "slug"],
    [{ name: "Dan", slug: "d--n" }, "slug"],
    [{ name: "Dan", slug: "-dan" }, "slug"],
    [{ name: "Dan", slug: "dan-" }, "slug"],
    [{ name: "Dan", slug: "d_n" }, "slug"],
    [{ name: "Dan", slug: "dän" }, "slug"],
    [{ name: "Dan", slug: "dan\n" }, "slug"],
    [{ name: "Dan", slug: "d".repeat(64) }, "slug"],
    [{ name: "Dan", slug: 7 }, "slug"],
    [{ name: "Dan", owner: "x" }, "owner"],
    [{ name: "Dan", constructor: 1 }, "constructor"],
  ];
  for (const [body, path] of refused) {
    const answer = await create(dan, body);
    expect([body, ...outcome(answer)]).toEqual([body, 400, "validation_error"]);
    expect(details(answer)).toEqual([{ path, reason: expect.any(String) }]);
  }
  for (const text of ['{"name":"D\\u0000"}', '{"name":"\\ud800"}', "[]", "{"]) {
    const answer = await server.send("POST", "/_orgs", { token: dan.token, text });
    expect(outcome(answer)).toEqual([400, "invalid_json"]);
  }
  expect(
    outcome(await server.send("POST", "/_orgs?org=x", { token: dan.token, body: { name: "D" } })),
  ).toEqual([400, "invalid_query"]);
  // Characters are code points.
  const longest = { name: "🏠".repeat(200), slug: "d".repeat(63) };
  expect((await create(dan, longest)).body).toMatchObject(longest);
  expect((await create(dan, { name: "__proto__" })).body).toMatchObject({ slug: "proto" });
});

describe("Organization: without a slug it has one made of its name", () => {
  test("accents are folded, what is no letter or digit separates, and others follow with a number", async () => {
    const { eve, fay } = await server.people("eve", "fay");
    const slug = async (person: Person, name: string) => (await create(person, { name })).body["slug"];
    expect(await slug(eve, "Zoë’s Crème & Øl GmbH!")).toBe("zoes-creme-ol-gmbh");
    expect(await slug(fay, "zoes creme ol GMBH")).toBe("zoes-creme-ol-gmbh-2");
    expect(await slug(fay, "Zoes-creme-ol-gmbh")).toBe("zoes-creme-ol-gmbh-3");
    expect(await slug(eve, "東京")).toBe("org");
    expect(await slug(fay, "…")).toBe("org-2");
  });

  test("five at the same moment have five", async () => {
    const people = Object.values(await server.people("five-1", "five-2", "five-3", "five-4", "five-5"));
    for (let round = 1; round <= 3; round += 1) {
      const answers = await Promise.all(people.map((person) => create(person, { name: `Round ${round}` })));
      expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
      const base = `round-${round}`;
      expect(answers.map(({ body }) => body["slug"]).sort()).toEqual([
        base,
        ...[2, 3, 4, 5].map((number) => `${base}-${number}`),
      ]);
    }
  });
});

describe("Organization endpoints 1: slug clash, creator at the cap", () => {
  test("of five with one slug at the same moment one gets it; the others 409 slug_taken", async () => {
    const people = Object.values(await server.people("hal", "ida", "jon", "kim", "lea"));
    for (let round = 0; round < 3; round += 1) {
      const slug = `race-${round}`;
      const answers = await Promise.all(people.map((person) => create(person, { name: "Race", slug })));
      expect(answers.map(outcome).sort()).toEqual([
        [201],
        ...Array.from({ length: 4 }, () => [409, "slug_taken"]),
      ]);
    }
    // Who was refused has created nothing, and is a member of nothing.
    const store = server.store("shop").collection(collections.members);
    const members = await store.scan(undefined, 1_000);
    const theirs = members.filter(({ id }) => people.some((person) => id.endsWith(`.${person.id}`)));
    expect(theirs).toHaveLength(3);
  });

  test("at max_created_per_user 409 org_limit_reached; deleted ones count no longer, those one joined never", async () => {
    const { max, ned } = await server.people("max", "ned");
    await server.join(await server.createOrg(ned), max, { roles: ["owner"] });
    const made = await Promise.all([1, 2, 3].map((number) => create(max, { name: `Max ${number}` })));
    expect(made.map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(outcome(await create(max, { name: "Max 4" }))).toEqual([409, "org_limit_reached"]);
    // Leaving does not make room: it is there, and they created it.
    const [first, second] = made.map(({ body }) => String(body["id"]));
    await server.join({ id: first ?? "" }, ned, { roles: ["owner"] });
    expect((await server.send("POST", `/_orgs/${first}/leave`, { token: max.token })).status).toBe(204);
    expect(outcome(await create(max, { name: "Max 4" }))).toEqual([409, "org_limit_reached"]);
    const headers = await server.proof(max);
    const deleted = await server.send("DELETE", `/_orgs/${second}`, { token: max.token, headers });
    expect(deleted.status).toBe(204);
    expect(outcome(await create(max, { name: "Max 4" }))).toEqual([201]);
    expect(outcome(await create(max, { name: "Max 5" }))).toEqual([409, "org_limit_reached"]);
  });

  test("eight at the same moment are three, round after round", async () => {
    for (let round = 0; round < 5; round += 1) {
      const person = await server.signup(`eight-${round}@example.com`);
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, number) => create(person, { name: `Eight ${number}` })),
      );
      expect(answers.map(outcome).sort()).toEqual([
        ...Array.from({ length: 3 }, () => [201]),
        ...Array.from({ length: 5 }, () => [409, "org_limit_reached"]),
      ]);
    }
  });

  test("where there is no maximum there is none", async () => {
    const free = await startOrganizations();
    try {
      const { oda } = await free.people("oda");
      for (let number = 0; number < 5; number += 1) {
        expect(outcome(await create(oda, { name: "Oda" }, free))).toEqual([201]);
      }
    } finally {
      await free.stop();
    }
  });
});

test("an account that is deleted while it creates one leaves none behind that nobody can manage", async () => {
  const admin = await server.adminKey();
  for (let round = 0; round < 10; round += 1) {
    const person = await server.signup(`gone-${round}@example.com`);
    const [answer] = await Promise.all([
      create(person, { name: "Gone" }),
      server.send("DELETE", `/_admin/users/${person.id}`, { token: admin }),
    ]);
    if (answer.status !== 201) continue;
    const id = String(answer.body["id"]);
    expect([(await server.org({ id }))?.status, await server.member({ id }, person)]).toEqual([
      "orphaned",
      undefined,
    ]);
  }
});

describeMongo("Organization endpoints 1: two instances on one database", () => {
  const instances = twoInstances({ maxCreatedPerUser: 3 });

  test("one slug goes to one of them, and a cap holds over both", async () => {
    const [one, other] = instances();
    const at = (number: number) => (number % 2 === 0 ? one : other);
    for (let round = 0; round < 5; round += 1) {
      const people = Object.values(await one.people(`a${round}`, `b${round}`, `c${round}`, `d${round}`));
      const body = { name: "Race", slug: `race-${round}` };
      const answers = await Promise.all(people.map((person, number) => create(person, body, at(number))));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
      const person = await one.signup(`many-${round}@example.com`);
      const many = await Promise.all(
        Array.from({ length: 8 }, (_, number) => create(person, { name: "Many" }, at(number))),
      );
      expect(many.map(outcome).sort()).toEqual([
        ...Array.from({ length: 3 }, () => [201]),
        ...Array.from({ length: 5 }, () => [409, "org_limit_reached"]),
      ]);
    }
  });
});
