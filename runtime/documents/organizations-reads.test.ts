import { afterAll, beforeAll, expect, test } from "vitest";
import type { Person } from "../auth/testing/accounts.ts";
import { where } from "./administration/testing/collections.ts";
import { ids, startTenants, type Tenants } from "./testing/organizations.ts";
import { code, paths } from "./testing/shop.ts";

let shop: Tenants;
let inAcme: string;
let inDesk: string;
let inBolt: string;
let free: string;
beforeAll(async () => {
  shop = await startTenants();
  inAcme = await shop.made(`tickets?org=${shop.acme.id}`, { qty: 1 });
  inDesk = await shop.made(`tickets?org=${shop.acme.id}&team=${shop.desk}`, { qty: 2 });
  inBolt = await shop.made(`tickets?org=${shop.bolt.id}`, { qty: 2 });
  free = await shop.made("notes");
  await shop.made(`notes?org=${shop.acme.id}`);
});
afterAll(() => shop.stop());

const list = (who: Person | string, query: string, name = "tickets") =>
  shop.as(who)("GET", `${name}?${query}`);

test("List query parameters: org is short for _meta.org, team for _meta.team, both ANDed with where", async () => {
  const { acme, bolt, bob, desk } = shop;
  const org = `org=${acme.id}`;
  expect(ids(await list(bob, ""))).toEqual([inAcme, inDesk, inBolt]);
  expect(ids(await list(bob, org))).toEqual([inAcme, inDesk]);
  expect(ids(await list(bob, `org=${bolt.id}`))).toEqual([inBolt]);
  expect(ids(await list(bob, `team=${desk}`))).toEqual([inDesk]);
  expect(ids(await list(bob, `org=${bolt.id}&team=${desk}`))).toEqual([]);
  expect(ids(await list(bob, `${org}&${where({ qty: 2 })}`))).toEqual([inDesk]);
  expect(ids(await list(bob, `${org}&${where({ $or: [{ qty: 1 }, { qty: 2 }] })}`))).toEqual([
    inAcme,
    inDesk,
  ]);
  expect(ids(await list(bob, `${org}&${where({ "_meta.org": bolt.id })}`))).toEqual([]);
  const counted = await list(bob, `${org}&count=true&limit=1`);
  expect(counted.body).toMatchObject({ total: 2, has_more: true });
  const after = `${org}&limit=1&after=${counted.body["next_cursor"]}`;
  expect(ids(await list(bob, after))).toEqual([inDesk]);
});

test("List query parameters: the read rule decides what is seen of an organization", async () => {
  expect(ids(await list(shop.ann, `org=${shop.bolt.id}`))).toEqual([]);
  expect(ids(await list(shop.robot, `org=${shop.bolt.id}`))).toEqual([inBolt]);
  expect(ids(await shop.data("GET", `tickets?org=${shop.bolt.id}`))).toEqual([inBolt]);
});

test("where: _meta.org and _meta.team are queried, and ordered by, like any other field", async () => {
  const { bob, acme, desk } = shop;
  expect(ids(await list(bob, where({ "_meta.org": { $in: [acme.id] } })))).toEqual([inAcme, inDesk]);
  expect(ids(await list(bob, where({ "_meta.team": desk })))).toEqual([inDesk]);
  expect(ids(await list(bob, where({ "_meta.team": { $isNull: true } })))).toEqual([inAcme, inBolt]);
  expect(ids(await list(bob, where({ "_meta.org": { $isNull: true } }), "notes"))).toEqual([free]);
  expect(ids(await list(bob, "order_by=-_meta.org,-id"))).toEqual(
    shop.acme.id < shop.bolt.id ? [inBolt, inDesk, inAcme] : [inDesk, inAcme, inBolt],
  );
  const grouped = await shop.as(bob)("GET", "tickets/_aggregate?group_by=_meta.org&order_by=-count");
  expect(grouped.body).toMatchObject({
    groups: [
      { key: { "_meta.org": acme.id }, count: 2 },
      { key: { "_meta.org": shop.bolt.id }, count: 1 },
    ],
  });
});

test("Fine points: a member of no organization has empty lists, and no document, but is not refused", async () => {
  const { eve } = shop;
  for (const query of ["", `org=${shop.acme.id}`, "count=true", "deleted=include", "deleted=only"]) {
    const answer = await list(eve, query);
    expect([query, answer.status, answer.body["items"]]).toEqual([query, 200, []]);
  }
  expect((await shop.as(eve)("GET", "tickets/_aggregate")).body).toMatchObject({ groups: [{ count: 0 }] });
  const document = `tickets/${inAcme}`;
  for (const [method, path, body] of [
    ["GET", document, undefined],
    ["PUT", document, { title: "a" }],
    ["PATCH", document, {}],
    ["DELETE", document, undefined],
    ["DELETE", `${document}?purge=true`, undefined],
    ["POST", `${document}/restore`, undefined],
  ] as const) {
    const answer = await shop.as(eve)(method, path, body);
    expect([method, path, answer.status]).toEqual([method, path, 404]);
  }
  expect((await shop.send("GET", "tickets")).status).toBe(401);
});

test("Organization endpoints 1: no list tells an organization of others from none", async () => {
  const answers = new Set<string>();
  for (const id of [shop.bolt.id, "0".repeat(20), "no id", ""]) {
    for (const query of [`org=${encodeURIComponent(id)}`, where({ "_meta.org": id })]) {
      const answer = await list(shop.ann, `${query}&count=true`);
      const headers = [...answer.headers].filter(([name]) => name !== "date" && name !== "x-request-id");
      answers.add(JSON.stringify([answer.status, answer.text, headers]));
    }
  }
  expect(answers.size).toBe(1);
  expect([...answers][0]).toContain('\\"total\\":0');
});

test("List query parameters: org and team of collections that have none are invalid_query", async () => {
  for (const [name, query, wrong] of [
    ["pages", `org=${shop.acme.id}`, ["org"]],
    ["pages", "team=x&org=x", ["org", "team"]],
    ["notes", `team=${shop.desk}`, ["team"]],
  ] as const) {
    const answer = await list(shop.ann, query, name);
    expect([name, answer.status, code(answer), paths(answer).toSorted()]).toEqual([
      name,
      400,
      "invalid_query",
      wrong,
    ]);
  }
  const one = await shop.as(shop.ann)("GET", `tickets/${inAcme}?org=${shop.acme.id}`);
  expect([one.status, code(one)]).toEqual([400, "invalid_query"]);
});

test("Aggregation: org and team choose documents as on lists", async () => {
  const { bob, acme, bolt, desk } = shop;
  for (const [query, count] of [
    [`org=${acme.id}`, 2],
    [`org=${bolt.id}`, 1],
    [`team=${desk}`, 1],
    [`org=${bolt.id}&team=${desk}`, 0],
    ["org=nothing", 0],
  ] as const) {
    const answer = await shop.as(bob)("GET", `tickets/_aggregate?${query}`);
    expect([query, answer.status, answer.body["groups"]]).toEqual([query, 200, [{ key: {}, count }]]);
  }
});

test("Organization endpoints 6: rules hold for a session that an organization's second factor is lacking in", async () => {
  const strict = await shop.createOrg(shop.eve, { require_mfa: true });
  const secret = await shop.made(`tickets?org=${strict.id}`);
  expect(ids(await list(shop.eve, ""))).toEqual([]);
  expect((await shop.as(shop.eve)("GET", `tickets/${secret}`)).status).toBe(404);
  await shop.strengthen(shop.eve);
  expect(ids(await list(shop.eve, ""))).toEqual([secret]);
  await shop.changeOrg(strict, (org) => ({ ...org, status: "orphaned" }));
  expect(ids(await list(shop.eve, ""))).toEqual([secret]);
});
