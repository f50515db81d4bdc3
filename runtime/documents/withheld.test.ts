import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Person } from "../auth/testing/accounts.ts";
import { ids, notes, startTenants, type Tenants } from "./testing/organizations.ts";
import { code } from "./testing/shop.ts";

let shop: Tenants;
/** Documents of an organization that is deleted, and of one that is not. */
let gone: string;
let stays: string;
let trashed: string;
beforeAll(async () => {
  shop = await startTenants();
  gone = await shop.made(`notes?org=${shop.acme.id}`);
  stays = await shop.made(`notes?org=${shop.bolt.id}`, { lang: gone });
  trashed = await shop.made(`tickets?org=${shop.acme.id}`);
  await shop.data("DELETE", `tickets/${trashed}`);
});
afterAll(() => shop.stop());
beforeEach(() => shop.withhold(shop.acme));

const everybody = (): readonly (readonly [string, Person | string])[] => [
  ["a former member", shop.ann],
  ["somebody", shop.eve],
  ["an API key", shop.robot],
];

test("Fine points: documents of a deleted organization are out of every read", async () => {
  for (const [who, caller] of everybody()) {
    const as = shop.as(caller);
    expect([who, (await as("GET", `notes/${gone}`)).status]).toEqual([who, 404]);
    const list = await as("GET", "notes?count=true");
    expect([who, ids(list), list.body["total"]]).toEqual([who, [stays], 1]);
    expect([who, ids(await as("GET", `notes?org=${shop.acme.id}`))]).toEqual([who, []]);
  }
  for (const deleted of ["only", "include"]) {
    expect(ids(await shop.as(shop.robot)("GET", `tickets?deleted=${deleted}`))).toEqual([]);
  }
  expect((await shop.as(shop.robot)("GET", `tickets/${trashed}?deleted=only`)).status).toBe(404);
  expect((await shop.as(shop.robot)("GET", "tickets/_aggregate")).body).toMatchObject({
    groups: [{ count: 0 }],
  });
  expect(await counted()).toBe(2);
});

/** What administrators still see of the notes. */
async function counted(): Promise<unknown> {
  return (await shop.data("GET", "notes?count=true")).body["total"];
}

test("Fine points: documents of a deleted organization are out of every write", async () => {
  const patch = { op: "patch", collection: "notes", id: gone, patch: { title: "b" } };
  const removal = { op: "delete", collection: "notes", id: gone };
  for (const [who, caller] of everybody()) {
    const as = shop.as(caller);
    for (const [method, path, body] of [
      ["PUT", `notes/${gone}`, { title: "b" }],
      ["PATCH", `notes/${gone}`, { title: "b" }],
      ["DELETE", `notes/${gone}`, undefined],
      ["POST", "_batch", { operations: [patch] }],
      ["POST", "_batch", { operations: [removal] }],
      ["POST", `tickets/${trashed}/restore`, undefined],
      ["DELETE", `tickets/${trashed}?purge=true`, undefined],
    ] as const) {
      const answer = await as(method, path, body);
      expect([who, method, path, answer.status, code(answer)]).toEqual([who, method, path, 404, "not_found"]);
    }
    const versioned = await as("DELETE", `notes/${gone}`, undefined, { "if-match": "*" });
    expect(versioned.status).toBe(404);
  }
  expect((await shop.data("GET", `notes/${gone}`)).tag).toBe('"1"');
});

test("Fine points: a reference to a document of a deleted organization leads nowhere", async () => {
  const page = await shop.made("pages", { lang: gone });
  for (const [who, caller] of everybody()) {
    const answer = await shop.as(caller)("GET", `pages/${page}?expand=note`);
    expect([who, answer.body["_expanded"]]).toEqual([who, { note: null }]);
    expect(answer.headers.get("x-svc-expand-docs")).toBe("0");
  }
});

test("Administrator routes: administrators reach documents of a deleted organization", async () => {
  const page = await shop.made("pages", { lang: gone });
  expect((await shop.data("GET", `notes/${gone}`)).status).toBe(200);
  expect((await shop.data("GET", `pages/${page}?expand=note`)).body["_expanded"]).toMatchObject({
    note: { id: gone },
  });
  expect(ids(await shop.data("GET", `notes?org=${shop.acme.id}`))).toEqual([gone]);
  expect((await shop.data("PATCH", `notes/${gone}`, {})).status).toBe(200);
  const created = await shop.data("POST", `notes?org=${shop.acme.id}`, { title: "a" });
  expect([created.status, code(created)]).toEqual([403, "not_org_member"]);
  const doomed = await shop.made(`notes?org=${shop.bolt.id}`);
  await shop.withhold(shop.bolt);
  expect((await shop.data("DELETE", `notes/${doomed}`)).status).toBe(204);
  await shop.release(shop.bolt);
});

test("Fine points: other documents are deleted whatever their version while some are withheld", async () => {
  for (let round = 0; round < 5; round += 1) {
    const id = await shop.made(`notes?org=${shop.bolt.id}`);
    const writes = [1, 2, 3, 4].map(() => shop.as(shop.robot)("PATCH", `notes/${id}`, {}));
    const removed = await shop.as(shop.robot)("DELETE", `notes/${id}`);
    await Promise.all(writes);
    expect(removed.status).toBe(204);
  }
  const free = await shop.made("notes");
  expect((await shop.as(shop.robot)("DELETE", `notes/${free}`)).status).toBe(204);
  expect((await shop.as(shop.robot)("DELETE", `notes/${free}`)).status).toBe(404);
});

test("Fine points: reactivation lifts it", async () => {
  await shop.release(shop.acme);
  expect((await shop.as(shop.eve)("GET", `notes/${gone}`)).status).toBe(200);
  expect(ids(await shop.as(shop.robot)("GET", "notes"))).toContain(gone);
  expect((await shop.as(shop.robot)("PATCH", `notes/${gone}`, {})).status).toBe(200);
  expect((await shop.as(shop.ann)("POST", `tickets?org=${shop.acme.id}`, { title: "a" })).status).toBe(201);
});

test("Fine points: collections without organizations ask nothing of them", async () => {
  // A member who is called as the field is: only what belongs to organizations is looked at.
  const page = await shop.made("pages");
  expect((await shop.as(shop.eve)("DELETE", `pages/${page}`)).status).toBe(204);
  expect(notes.organization?.onDelete).toBe("keep");
});

test("Idempotency-Key 4: an answer with a document of a deleted organization is not repeated", async () => {
  const { acme, bolt } = shop;
  await shop.release(acme);
  const headers = { "idempotency-key": "before" };
  const create = () => shop.as(shop.ann)("POST", `notes?org=${acme.id}`, { title: "a" }, headers);
  const first = await create();
  const patch = { op: "patch", collection: "notes", id: first.body["id"], patch: { title: "b" } };
  const change = () => shop.as(shop.robot)("POST", "_batch", { operations: [patch] }, headers);
  const other = () =>
    shop.as(shop.cid)("POST", `notes?org=${bolt.id}`, { title: "a" }, { "idempotency-key": "b" });
  const changed = await change();
  const stays = await other();
  expect([first.status, changed.status, stays.status]).toEqual([201, 200, 201]);
  const repeated = async (send: typeof create) => {
    const answer = await send();
    return answer.headers.get("idempotent-replayed") === "true" ? answer.text : code(answer);
  };
  await shop.withhold(acme);
  expect([await repeated(create), await repeated(change), await repeated(other)]).toEqual([
    "not_org_member",
    "not_org_member",
    stays.text,
  ]);
  await shop.release(acme);
  expect([await repeated(create), await repeated(change)]).toEqual([first.text, changed.text]);
});
