import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../json.ts";
import { meta, startTenants, type Tenants } from "./testing/organizations.ts";
import { code, details, paths, text } from "./testing/shop.ts";

let shop: Tenants;
beforeAll(async () => {
  shop = await startTenants();
});
afterAll(() => shop.stop());

const a = { title: "a" };

describe("creating in an organization", () => {
  test("Document endpoints 3: ?org= names the organization, ?team= a team of it; both stand in _meta", async () => {
    const made = await shop.as(shop.ann)("POST", `tickets?org=${shop.acme.id}&team=${shop.desk}`, a);
    expect(made.status).toBe(201);
    expect(meta(made)).toEqual({
      created_at: expect.any(String),
      updated_at: expect.any(String),
      version: 1,
      owner: shop.ann.id,
      created_by: `user:${shop.ann.id}`,
      updated_by: `user:${shop.ann.id}`,
      org: shop.acme.id,
      team: shop.desk,
    });
    const teamless = await shop.as(shop.bob)("POST", `tickets?org=${shop.acme.id}`, a);
    expect([teamless.status, meta(teamless)["org"]]).toEqual([201, shop.acme.id]);
    expect(meta(teamless)).not.toHaveProperty("team");
    const nobodys = await shop.as(shop.eve)("POST", "notes", a);
    expect(nobodys.status).toBe(201);
    expect(meta(nobodys)).not.toHaveProperty("org");
  });

  test("Document endpoints 3: _meta.org and _meta.team in the body of a create are ignored", async () => {
    const body = { ...a, _meta: { org: shop.bolt.id, team: shop.crew } };
    const made = await shop.as(shop.bob)("POST", `tickets?org=${shop.acme.id}`, body);
    expect([made.status, meta(made)["org"]]).toEqual([201, shop.acme.id]);
    expect(meta(made)).not.toHaveProperty("team");
    expect(meta(await shop.as(shop.bob)("POST", "notes", body))).not.toHaveProperty("org");
  });

  test("Errors: organizations and teams that a create may not name, or must", async () => {
    const [acme, bolt] = [shop.acme.id, shop.bolt.id];
    const cases: readonly (readonly [
      who: "ann" | "bob" | "eve",
      path: string,
      status: number,
      code: string,
    ])[] = [
      ["ann", `pages?org=${acme}`, 400, "org_not_allowed"],
      ["ann", "pages?team=x", 400, "team_not_allowed"],
      ["ann", "tickets", 400, "org_required"],
      ["ann", `tickets?team=${shop.desk}`, 400, "org_required"],
      ["ann", `notes?team=${shop.desk}`, 400, "team_not_allowed"],
      ["ann", `notes?org=${acme}&team=${shop.desk}`, 400, "team_not_allowed"],
      ["ann", `tickets?org=${bolt}`, 403, "not_org_member"],
      ["ann", `notes?org=${bolt}`, 403, "not_org_member"],
      ["eve", `tickets?org=${acme}`, 403, "not_org_member"],
      ["ann", `tickets?org=${shop.ann.id}`, 403, "not_org_member"],
      ["ann", "tickets?org=", 403, "not_org_member"],
      ["ann", "tickets?org=__proto__", 403, "not_org_member"],
      ["ann", `tickets?org=${encodeURIComponent("/.. \u{1f600}")}`, 403, "not_org_member"],
      ["ann", `tickets?org=${acme}&team=${shop.crew}`, 403, "forbidden"],
      ["bob", `tickets?org=${acme}&team=${shop.desk}`, 403, "forbidden"],
      ["ann", `tickets?org=${acme}&team=`, 403, "forbidden"],
      ["ann", `projects?org=${acme}`, 400, "team_required"],
      ["ann", `tickets?org=${acme}&org=${acme}`, 400, "invalid_query"],
      ["ann", `tickets?org=${acme}%00`, 400, "invalid_query"],
    ];
    for (const [who, path, status, expected] of cases) {
      const answer = await shop.as(shop[who])("POST", path, a);
      expect([path, answer.status, code(answer)]).toEqual([path, status, expected]);
    }
    const unnamed = await shop.as(shop.ann)("POST", "tickets", a);
    expect(paths(unnamed)).toEqual(["org"]);
    expect(text(unnamed.body, "error", "message")).toContain("name it in the query: ?org=<id>");
    expect(paths(await shop.as(shop.ann)("POST", `projects?org=${acme}`, a))).toEqual(["team"]);
  });

  test("Organization endpoints 1: creates tell no unknown organization from one of others, or a deleted one", async () => {
    const gone = await shop.createOrg(shop.eve);
    await shop.withhold(gone);
    const answers: unknown[] = [];
    for (const id of [shop.bolt.id, "0".repeat(20), "no id", gone.id]) {
      const { status, body } = await shop.as(shop.ann)("POST", `tickets?org=${encodeURIComponent(id)}`, a);
      const error = isJsonObject(body["error"]) ? body["error"] : {};
      answers.push([status, { ...error, request_id: "" }]);
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]).toMatchObject([403, { code: "not_org_member" }]);
    expect(code(await shop.as(shop.eve)("POST", `tickets?org=${gone.id}`, a))).toBe("not_org_member");
  });

  test("Authentication 7: API keys have no memberships", async () => {
    const alone = await shop.as(shop.robot)("POST", `tickets?org=${shop.acme.id}`, a);
    expect([alone.status, code(alone)]).toEqual([403, "not_org_member"]);
    expect(code(await shop.as(shop.robot)("POST", "tickets", a))).toBe("org_required");
    const delegate = await shop.key({ name: "delegate", onBehalfOf: true });
    const acting = (path: string, user: string) =>
      shop.as(delegate)("POST", path, a, { "x-svc-on-behalf-of": user });
    const made = await acting(`tickets?org=${shop.acme.id}`, shop.bob.id);
    expect([made.status, meta(made)]).toMatchObject([201, { org: shop.acme.id, owner: shop.bob.id }]);
    expect(code(await acting(`tickets?org=${shop.acme.id}`, shop.eve.id))).toBe("not_org_member");
  });

  test("Organization endpoints 6: a session without second factor creates in no organization that requires one", async () => {
    const strict = await shop.createOrg(shop.ann, { require_mfa: true });
    await shop.join(strict, shop.bob);
    const refused = await shop.as(shop.bob)("POST", `tickets?org=${strict.id}`, a);
    expect([refused.status, code(refused)]).toEqual([403, "not_org_member"]);
    await shop.strengthen(shop.bob);
    expect((await shop.as(shop.bob)("POST", `tickets?org=${strict.id}`, a)).status).toBe(201);
    const delegate = await shop.key({ name: "weak", onBehalfOf: true });
    const acting = await shop.as(delegate)("POST", `tickets?org=${strict.id}`, a, {
      "x-svc-on-behalf-of": shop.bob.id,
    });
    expect(code(acting)).toBe("not_org_member");
  });

  test("Custom ids 3: the id, then the constantly false rule, then the organization, then the schema, then the rule", async () => {
    const wrong = { title: 1 };
    const [ann, bob] = [shop.as(shop.ann), shop.as(shop.bob)];
    expect(code(await ann("POST", "inbox", wrong))).toBe("id_required");
    expect(code(await ann("POST", "inbox", { id: "x", ...wrong }))).toBe("forbidden");
    expect(code(await ann("POST", "tickets", wrong))).toBe("org_required");
    expect(code(await ann("POST", `tickets?org=${shop.bolt.id}`, wrong))).toBe("not_org_member");
    expect(code(await bob("POST", `tickets?org=${shop.bolt.id}`, { ...wrong, salary: 1 }))).toBe(
      "validation_error",
    );
    const refused = await bob("POST", `tickets?org=${shop.bolt.id}`, { ...a, salary: 1 });
    expect([code(refused), paths(refused)]).toEqual(["forbidden", ["salary"]]);
    expect(code(await shop.send("POST", "tickets", { body: a }))).toBe("unauthenticated");
  });

  test("Fine points: create rules and field rules see data._meta.org", async () => {
    const owner = await shop.as(shop.ann)("POST", `tickets?org=${shop.acme.id}`, { ...a, salary: 1 });
    expect(owner.status).toBe(201);
    const other = await shop.as(shop.bob)("POST", `tickets?org=${shop.acme.id}`, { ...a, salary: 1 });
    expect([other.status, paths(other)]).toEqual([403, ["salary"]]);
    // The rule refuses what is in no organization, although the collection would take it.
    const id = text(owner.body, "id");
    const updated = await shop.as(shop.ann)("PATCH", `tickets/${id}`, { salary: 2 });
    expect([updated.status, updated.body["salary"]]).toEqual([200, 2]);
    const denied = await shop.as(shop.bob)("PATCH", `tickets/${id}`, { salary: 3 });
    expect([denied.status, paths(denied)]).toEqual([403, ["salary"]]);
  });
});

describe("a document's organization is fixed", () => {
  test("Document: _meta.org and _meta.team stay through every write", async () => {
    const ann = shop.as(shop.ann);
    const made = await ann("POST", `tickets?org=${shop.acme.id}&team=${shop.desk}`, a);
    const path = `tickets/${text(made.body, "id")}`;
    const kept = { org: shop.acme.id, team: shop.desk };
    expect(meta(await ann("PUT", path, { title: "b" }))).toMatchObject({ ...kept, version: 2 });
    expect(meta(await ann("PATCH", path, { qty: 1 }))).toMatchObject({ ...kept, version: 3 });
    expect((await ann("DELETE", path)).status).toBe(204);
    const deleted = await ann("GET", `${path}?deleted=only`);
    expect(meta(deleted)).toMatchObject({ ...kept, version: 4, deleted_at: expect.any(String) });
    expect(meta(await ann("POST", `${path}/restore`))).toMatchObject({ ...kept, version: 5 });
    await shop.changeOrg(shop.acme, (org) => org);
    expect(meta(await shop.as(shop.robot)("PATCH", path, {}))).toMatchObject({ ...kept, version: 6 });
    expect(meta(await shop.data("PUT", path, { title: "c" }))).toMatchObject({ ...kept, version: 7 });
  });

  test("Fine points: a document keeps its team when that is deleted", async () => {
    const ann = shop.as(shop.ann);
    const team = await shop.createTeam(shop.acme, "Passing");
    await shop.join(shop.acme, shop.ann, { roles: ["owner"], teams: [shop.desk, team] });
    const made = await ann("POST", `tickets?org=${shop.acme.id}&team=${team}`, a);
    await shop.changeOrg(shop.acme, (org) => ({ ...org, teams: org.teams.filter(({ id }) => id !== team) }));
    const path = `tickets/${text(made.body, "id")}`;
    expect(meta(await ann("PATCH", path, {}))).toMatchObject({ team });
    expect(code(await ann("POST", `tickets?org=${shop.acme.id}&team=${team}`, a))).toBe("forbidden");
  });

  test("Errors: PUT or PATCH naming a different organization is 400 immutable_field", async () => {
    const made = await shop.as(shop.bob)("POST", `tickets?org=${shop.acme.id}`, a);
    const free = await shop.as(shop.bob)("POST", "notes", a);
    const [ticket, note] = [`tickets/${text(made.body, "id")}`, `notes/${text(free.body, "id")}`];
    const other = shop.bolt.id;
    const cases: readonly (readonly [path: string, sent: JsonObject, named: readonly string[]])[] = [
      [`${ticket}?org=${other}`, {}, ["org"]],
      [`${ticket}?org=`, {}, ["org"]],
      [ticket, { _meta: { org: other } }, ["_meta.org"]],
      [ticket, { _meta: { org: null } }, ["_meta.org"]],
      [ticket, { _meta: { org: 5 } }, ["_meta.org"]],
      [ticket, { _meta: { org: [shop.acme.id] } }, ["_meta.org"]],
      [`${ticket}?org=${other}`, { _meta: { org: other } }, ["org", "_meta.org"]],
      [`${ticket}?org=${shop.acme.id}`, { _meta: { org: other } }, ["_meta.org"]],
      [`${note}?org=${other}`, {}, ["org"]],
      [note, { _meta: { org: other } }, ["_meta.org"]],
    ];
    for (const [path, sent, named] of cases) {
      for (const method of ["PUT", "PATCH"]) {
        for (const who of [shop.bob, shop.robot]) {
          const answer = await shop.as(who)(method, path, { ...a, ...sent });
          expect([path, answer.status, code(answer), paths(answer)]).toEqual([
            path,
            400,
            "immutable_field",
            named,
          ]);
        }
      }
      expect(code(await shop.data("PATCH", path, sent))).toBe("immutable_field");
    }
    const unchanged = await shop.as(shop.bob)("GET", ticket);
    expect(meta(unchanged)).toMatchObject({ version: 1, org: shop.acme.id });
  });

  test("Fine points: naming the document's own organization, or none where it has none, changes nothing", async () => {
    const bob = shop.as(shop.bob);
    const made = await bob("POST", `tickets?org=${shop.acme.id}`, a);
    const ticket = `tickets/${text(made.body, "id")}`;
    const free = await bob("POST", "notes", a);
    const note = `notes/${text(free.body, "id")}`;
    for (const [method, path, sent] of [
      ["PUT", `${ticket}?org=${shop.acme.id}`, {}],
      ["PATCH", ticket, { _meta: { org: shop.acme.id, team: "x", version: 9 } }],
      ["PATCH", ticket, { _meta: null }],
      ["PATCH", ticket, { _meta: { team: shop.crew } }],
      ["PUT", note, { _meta: { org: null } }],
    ] as const) {
      const answer = await bob(method, path, { ...a, ...sent });
      expect([path, answer.status]).toEqual([path, 200]);
      expect(meta(answer)).not.toHaveProperty("team");
    }
    // What was read may be sent back as it is.
    const read = await bob("GET", ticket);
    expect((await bob("PUT", ticket, read.body)).status).toBe(200);
  });

  test("Fine points: another organization is judged once the document is readable and its version fits", async () => {
    const made = await shop.as(shop.ann)("POST", `tickets?org=${shop.acme.id}`, a);
    const path = `tickets/${text(made.body, "id")}?org=${shop.bolt.id}`;
    expect(code(await shop.as(shop.cid)("PUT", path, { title: 1 }))).toBe("not_found");
    expect(code(await shop.as(shop.ann)("PUT", path, { title: 1 }, { "if-match": '"7"' }))).toBe(
      "version_mismatch",
    );
    expect(code(await shop.as(shop.ann)("PUT", path, { title: 1 }))).toBe("immutable_field");
    const own = `tickets/${text(made.body, "id")}?org=${shop.acme.id}`;
    expect(code(await shop.as(shop.ann)("PUT", own, { title: 1 }))).toBe("validation_error");
  });

  test("Fine points: writes of collections without organizations, and other writes, know no org", async () => {
    const ann = shop.as(shop.ann);
    const page = `pages/${text((await ann("POST", "pages", a)).body, "id")}`;
    const ticket = `tickets/${text((await ann("POST", `tickets?org=${shop.acme.id}`, a)).body, "id")}`;
    expect((await ann("PATCH", page, { _meta: { org: "x" } })).status).toBe(200);
    for (const [method, path] of [
      ["PUT", `${page}?org=${shop.acme.id}`],
      ["PATCH", `${ticket}?team=${shop.desk}`],
      ["DELETE", `${ticket}?org=${shop.acme.id}`],
      ["POST", `${ticket}/restore?org=${shop.acme.id}`],
    ] as const) {
      const answer = await ann(method, path, method === "DELETE" ? undefined : a);
      expect([path, answer.status, code(answer)]).toEqual([path, 400, "invalid_query"]);
    }
  });
});

describe("batches", () => {
  const create = (name: string, document: JsonObject = a) => ({ op: "create", collection: name, document });

  test("Document endpoints 8: ?org= and ?team= apply to all creates of a batch", async () => {
    const ann = shop.as(shop.ann);
    const before = await ann("POST", `tickets?org=${shop.acme.id}`, a);
    const id = text(before.body, "id");
    const operations = [
      create("tickets"),
      create("projects"),
      { op: "patch", collection: "tickets", id, patch: { title: "b" } },
    ];
    const done = await ann("POST", `_batch?org=${shop.acme.id}&team=${shop.desk}`, { operations });
    expect(done.status).toBe(200);
    const results = Array.isArray(done.body["results"]) ? done.body["results"].filter(isJsonObject) : [];
    const own = { org: shop.acme.id, team: shop.desk };
    expect(results.map((body) => meta({ body }))).toMatchObject([
      own,
      own,
      { org: shop.acme.id, version: 2 },
    ]);
    expect(meta({ body: results[2] ?? {} })).not.toHaveProperty("team");
  });

  test("Document endpoints 8: what a create of a batch may not name has the operation's position, and nothing is applied", async () => {
    const ann = shop.as(shop.ann);
    const [acme, bolt] = [shop.acme.id, shop.bolt.id];
    const count = async () => (await ann("GET", "tickets?count=true&limit=1")).body["total"];
    const before = await count();
    const cases: readonly (readonly [
      query: string,
      names: readonly string[],
      status: number,
      code: string,
      path: string,
    ])[] = [
      [`?org=${acme}`, ["tickets", "pages"], 400, "org_not_allowed", "1.org"],
      [`?org=${acme}&team=${shop.desk}`, ["tickets", "notes"], 400, "team_not_allowed", "1.team"],
      ["", ["notes", "tickets"], 400, "org_required", "1.org"],
      [`?org=${acme}`, ["tickets", "notes", "projects"], 400, "team_required", "2.team"],
      [`?org=${bolt}`, ["tickets"], 403, "not_org_member", "0"],
      [`?org=${acme}&team=${shop.crew}`, ["tickets"], 403, "forbidden", "0"],
    ];
    for (const [query, names, status, expected, path] of cases) {
      const operations = names.map((name) => create(name));
      const answer = await ann("POST", `_batch${query}`, { operations });
      expect([query, answer.status, code(answer), paths(answer)]).toEqual([query, status, expected, [path]]);
    }
    expect(await count()).toBe(before);
  });

  test("Errors: an update of a batch that names another organization is immutable_field at its position", async () => {
    const ann = shop.as(shop.ann);
    const id = text((await ann("POST", `tickets?org=${shop.acme.id}`, a)).body, "id");
    const document = { ...a, _meta: { org: shop.bolt.id } };
    const operations = [create("tickets"), { op: "replace", collection: "tickets", id, document }];
    const refused = await ann("POST", `_batch?org=${shop.acme.id}`, { operations });
    expect([refused.status, code(refused), details(refused)]).toMatchObject([
      400,
      "immutable_field",
      [{ path: "1._meta.org" }],
    ]);
    // `?org=` is about creates alone.
    const fine = [{ op: "patch", collection: "tickets", id, patch: {} }];
    expect((await ann("POST", `_batch?org=${shop.bolt.id}`, { operations: fine })).status).toBe(200);
  });
});

describe("idempotency keys", () => {
  test("Idempotency-Key 4: the organization and the team are compared, as the body is", async () => {
    const ann = shop.as(shop.ann);
    const headers = { "idempotency-key": "same" };
    const path = `tickets?org=${shop.acme.id}`;
    const first = await ann("POST", path, a, headers);
    expect(first.status).toBe(201);
    const again = await ann("POST", path, a, headers);
    expect([again.text, again.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
    for (const other of [`${path}&team=${shop.desk}`, `tickets?org=${shop.bolt.id}`, "tickets"]) {
      const answer = await ann("POST", other, a, headers);
      expect([other, answer.status, code(answer)]).toEqual([other, 422, "idempotency_key_reused"]);
    }
    const batch = { operations: [{ op: "create", collection: "tickets", document: a }] };
    expect((await ann("POST", `_batch?org=${shop.acme.id}`, batch, headers)).status).toBe(200);
    const moved = await ann("POST", `_batch?org=${shop.bolt.id}`, batch, headers);
    expect(code(moved)).toBe("idempotency_key_reused");
  });
});
