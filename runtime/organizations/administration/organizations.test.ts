import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person, Received, Sent } from "../../auth/testing/accounts.ts";
import type { JsonObject } from "../../json.ts";
import { type Organizations, outcome } from "../testing/realm.ts";
import { startAdministered } from "./testing/collections.ts";

let server: Organizations;
let key: string;

beforeAll(async () => {
  server = await startAdministered({ maxCreatedPerUser: 1, create: () => false });
  key = await server.adminKey(["users"]);
});

afterAll(() => server.stop());

const send = (method: string, path: string, sent: Sent = {}): Promise<Received> =>
  server.send(method, `/_admin/orgs${path}`, { token: key, ...sent });

async function items(query: string): Promise<readonly JsonObject[]> {
  const { status, body } = await send("GET", query);
  expect(status).toBe(200);
  return Array.isArray(body["items"]) ? body["items"] : [];
}

const slugs = async (query: string) => (await items(query)).map(({ slug }) => slug);

function create(owner: Pick<Person, "id">, body: JsonObject = {}): Promise<Received> {
  return send("POST", "", { body: { name: "Acme", owner: owner.id, ...body } });
}

describe("Administrator routes: POST /_admin/orgs", () => {
  test("Administrator routes: an organization for a user, who gets creator_roles, whatever the create rule says", async () => {
    const { ann } = await server.people("ann");
    const { status, body } = await create(ann, { name: "Ann & Söhne" });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      name: "Ann & Söhne",
      slug: "ann-sohne",
      status: "active",
      require_mfa: false,
      allow_keys: false,
      claims: {},
      member_count: 1,
    });
    const id = String(body["id"]);
    expect(await server.member({ id }, ann)).toMatchObject({ roles: ["owner"], teams: [] });
    const seen = await server.send("GET", `/_orgs/${id}`, { token: ann.token });
    expect(seen).toMatchObject({ status: 200, body: { name: "Ann & Söhne" } });
    expect((await server.audit("org.create")).at(-1)).toMatchObject({
      actor: expect.stringMatching(/^key:admin-/),
      target: `org:${id}`,
      details: { owner: ann.id, roles: ["owner"] },
    });
  });

  test("Administrator routes: max_created_per_user does not limit administrators, but what they make counts", async () => {
    const open = await startAdministered({ maxCreatedPerUser: 1 });
    try {
      const { own } = await open.people("own");
      const token = await open.adminKey(["users"]);
      for (const slug of ["one", "two"]) {
        const body = { name: slug, slug, owner: own.id };
        expect((await open.send("POST", "/_admin/orgs", { token, body })).status).toBe(201);
      }
      const another = await open.send("POST", "/_orgs", { token: own.token, body: { name: "three" } });
      expect(outcome(another)).toEqual([409, "org_limit_reached"]);
    } finally {
      await open.stop();
    }
  });

  test("Administrator routes: bad bodies are refused, and a slug that is taken", async () => {
    const { bob } = await server.people("bob");
    expect((await create(bob, { slug: "bobs" })).status).toBe(201);
    expect(outcome(await create(bob, { slug: "bobs" }))).toEqual([409, "slug_taken"]);
    for (const body of [
      {},
      { name: "Bob" },
      { name: "Bob", owner: "nobody" },
      { name: "Bob", owner: "__proto__" },
      { name: "Bob", owner: null },
      { name: "", owner: bob.id },
      { name: "Bob", owner: bob.id, slug: "Not a slug" },
      { name: "Bob", owner: bob.id, status: "deleted" },
    ]) {
      expect(outcome(await send("POST", "", { body })), JSON.stringify(body)).toEqual([
        400,
        "validation_error",
      ]);
    }
    expect(outcome(await send("POST", "", { text: "{" }))).toEqual([400, "invalid_json"]);
    expect(await slugs("?q=bob")).toEqual(["bobs"]);
  });

  test("Administrator routes: of an owner whose account is disabled it is orphaned until that is enabled", async () => {
    const { cat } = await server.people("cat");
    const disable = (disabled: boolean) =>
      server.send("PATCH", `/_admin/users/${cat.id}`, { token: key, body: { disabled } });
    await disable(true);
    const { body } = await create(cat, { slug: "cats" });
    expect(body).toMatchObject({ status: "orphaned" });
    await disable(false);
    expect((await send("GET", `/${body["id"]}`)).body).toMatchObject({ status: "active" });
  });

  test("Administrator routes: for a user who is deleted at the same moment it is made before or refused as ever", async () => {
    for (let round = 0; round < 10; round += 1) {
      const owner = await server.signup(`leaving-${round}@example.com`);
      const [made] = await Promise.all([
        create(owner),
        server.send("DELETE", `/_admin/users/${owner.id}`, { token: key }),
      ]);
      if (made.status === 201) {
        const org = (await send("GET", `/${made.body["id"]}`)).body;
        expect(org).toMatchObject({ status: "orphaned", member_count: 0 });
      } else expect(outcome(made)).toEqual([400, "validation_error"]);
    }
  });
});

describe("Administrator routes: GET /_admin/orgs", () => {
  test("Administrator routes: lists organizations with how many members each has, also deleted ones", async () => {
    const { dan, eve, fay } = await server.people("dan", "eve", "fay");
    const one = await server.createOrg(dan, { slug: "count-one", name: "Counted" });
    const three = await server.createOrg(dan, { slug: "count-three", name: "Counted" });
    const gone = await server.createOrg(dan, { slug: "count-gone", name: "Counted" });
    await server.join(three, eve);
    await server.join(three, fay);
    await server.changeOrg(gone, (org) => ({ ...org, status: "deleted", slug_key: null }));
    const listed = await items("?q=count-");
    expect(listed.map(({ id, member_count, status }) => [id, member_count, status])).toEqual([
      [one.id, 1, "active"],
      [three.id, 3, "active"],
      [gone.id, 0, "deleted"],
    ]);
    expect((await send("GET", `/${three.id}`)).body).toEqual(listed[1]);
    expect((await send("GET", `/${gone.id}`)).body).toMatchObject({ slug: "count-gone", status: "deleted" });
  });

  test("Administrator routes: ?q= finds part of the name or of the slug, in any case; ?status= those of it", async () => {
    const { gus } = await server.people("gus");
    await server.createOrg(gus, { slug: "find-a", name: "Straße des Findens" });
    await server.createOrg(gus, { slug: "find-b", name: "100%_Findig", status: "orphaned" });
    const gone = await server.createOrg(gus, { slug: "find-c", name: "Weg" });
    await server.changeOrg(gone, (org) => ({ ...org, status: "deleted", slug_key: null }));
    expect(await slugs("?q=FIND-")).toEqual(["find-a", "find-b", "find-c"]);
    expect(await slugs(`?q=${encodeURIComponent("straßE DES")}`)).toEqual(["find-a"]);
    expect(await slugs(`?q=${encodeURIComponent("%_")}`)).toEqual(["find-b"]);
    expect(await slugs("?q=find&status=orphaned")).toEqual(["find-b"]);
    expect(await slugs("?q=find&status=deleted")).toEqual(["find-c"]);
    expect(await slugs("?q=find&status=active")).toEqual(["find-a"]);
    expect(await slugs("?q=nowhere")).toEqual([]);
  });

  test("Administrator routes: pages by limit and after; other parameters and values are refused", async () => {
    const { hal } = await server.people("hal");
    for (let n = 1; n <= 5; n += 1) await server.createOrg(hal, { slug: `page-${n}` });
    const first = await send("GET", "?q=page-&limit=3");
    expect(first.body).toMatchObject({ has_more: true });
    const after = encodeURIComponent(String(first.body["next_cursor"]));
    expect(await slugs("?q=page-&limit=3")).toEqual(["page-1", "page-2", "page-3"]);
    const second = await send("GET", `?q=page-&limit=3&after=${after}`);
    expect(second.body).toMatchObject({ items: [{ slug: "page-4" }, { slug: "page-5" }], has_more: false });
    for (const query of ["?limit=0", "?status=gone", "?status=", "?after=x", "?name=x", "?q=a&q=b"]) {
      expect(outcome(await send("GET", query)), query).toEqual([400, "invalid_query"]);
    }
  });

  test("Administrator routes: an organization that there is none of is 404 here, on every route", async () => {
    const { ida } = await server.people("ida");
    const elsewhere = await server.createOrg(ida);
    const other = await server.adminKey(["users"], "other");
    const routes = [
      ["GET", ""],
      ["DELETE", ""],
      ["GET", "/owned"],
      ["POST", "/reactivate", {}],
      ["PUT", `/members/${ida.id}`, { roles: [] }],
      ["DELETE", `/members/${ida.id}`],
      ["POST", "/invitations", { roles: [] }],
      ["PUT", "/claims", { plan: "pro" }],
      ["PUT", "/manager", { user: ida.id }],
    ] as const;
    for (const [method, path, body] of routes) {
      for (const id of ["unknown", "not%20an%20id", "__proto__", "_x"]) {
        const sent = body === undefined ? {} : { body };
        expect(outcome(await send(method, `/${id}${path}`, sent)), `${method} ${id}${path}`).toEqual([
          404,
          "not_found",
        ]);
      }
      if (path.includes(ida.id) || path === "/manager") continue;
      const sent = { token: other, ...(body && { body }) };
      const theirs = await server.send(method, `/_admin/orgs/${elsewhere.id}${path}`, sent, "other");
      expect(outcome(theirs), path).toEqual([404, "not_found"]);
    }
    expect(await server.org(elsewhere)).toMatchObject({ status: "active", claims: {} });
  });
});
