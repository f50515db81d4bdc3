import { afterAll, beforeAll, expect, test } from "vitest";
import { sessionRoute } from "../auth/contracted.ts";
import type { MemberNeed, RouteContract } from "../contract/contract.ts";
import { getOrganization } from "../contract/organizations.ts";
import { createTeam } from "../contract/teams.ts";
import { routeTable } from "../http/contracted-routes.ts";
import type { RouteTable } from "../realm/exchange.ts";
import type { OrganizationRecord } from "./records.ts";
import { changeAs, memberRoute } from "./route.ts";
import { type Organizations, outcome, startOrganizations } from "./testing/realm.ts";

const clerks = { kind: "member", manage: ["members", "roles"] } as const;
const proven = { kind: "member", manage: ["org"], proof: true } as const;
const members = { kind: "member" } as const;

/** Routes of every kind of need, each of which answers who came. */
function routes(realm: string): RouteTable {
  if (realm === "plain") return {};
  const base = { ...getOrganization, path: "/_orgs/{org}/try" } as const;
  const whoever = <C extends RouteContract & { readonly who: MemberNeed & { readonly kind: "member" } }>(
    contract: C,
  ) =>
    memberRoute(contract, () => async ({ body }, { org, member, roles, manage }) => {
      if (contract.method === "POST") body();
      return { org: org.record.id, user: member.record.user, roles, manage: [...manage] };
    });
  return routeTable(realm, [
    whoever({ ...base, who: members }),
    whoever({ ...createTeam, path: base.path, who: clerks }),
    whoever({ ...base, method: "PUT", who: { kind: "member", withoutFactor: true } }),
    whoever({ ...base, method: "DELETE", who: proven, query: ["Limit"] }),
    sessionRoute(
      { ...base, path: "/_orgs/try/proof", who: { kind: "session", proof: true } },
      () =>
        async (_, { user }) => ({ user: user.id }),
    ),
    whoever({ ...base, path: "/_orgs/{org}/try/{user}" }),
    whoever({ ...base, path: "/_orgs/{org}/try/{user}/{team}" }),
    memberRoute(
      { ...base, method: "POST", path: "/_orgs/{org}/try/{user}/rename/now", who: clerks },
      (of) => async (_, standing) => {
        // What the caller was allowed is taken away between the check and the change.
        await between(standing.org.record);
        const name = await changeAs(of, standing, async ({ org }) => ({
          org: { ...org.record, name: "Renamed" },
          result: "Renamed",
        }));
        return { name };
      },
    ),
  ]);
}

let between: (org: OrganizationRecord) => Promise<unknown> = async () => undefined;
let server: Organizations;

beforeAll(async () => {
  server = await startOrganizations({}, { routes });
});

afterAll(() => server.stop());

const at = (org: string) => `/_orgs/${org}/try`;

test("Organization endpoints: a member of an organization is admitted, with what they may do in it", async () => {
  const { ann, bob } = await server.people("ann", "bob");
  const org = await server.createOrg(ann);
  await server.join(org, bob, { roles: ["keeper"] });
  const { status, body } = await server.send("GET", at(org.id), { token: bob.token });
  expect(status).toBe(200);
  expect(body).toEqual({
    org: org.id,
    user: bob.id,
    roles: [
      { role: "keeper", origin: ["direct"] },
      { role: "member", origin: ["default"] },
    ],
    manage: ["teams"],
  });
});

test("Authentication 7: organization routes need a session: 401 without a credential, 403 for API keys", async () => {
  const { cat } = await server.people("cat");
  const org = await server.createOrg(cat);
  expect(outcome(await server.send("GET", at(org.id)))).toEqual([401, "unauthenticated"]);
  expect(outcome(await server.send("GET", at("nowhere")))).toEqual([401, "unauthenticated"]);
  const token = await server.key({ name: "cats", onBehalfOf: true });
  expect(outcome(await server.send("GET", at(org.id), { token }))).toEqual([403, "forbidden"]);
  const headers = { "x-svc-on-behalf-of": cat.id };
  expect(outcome(await server.send("GET", at(org.id), { token, headers }))).toEqual([403, "forbidden"]);
});

test("Organization endpoints 1: who is no member learns nothing, whatever is sent: the same answer throughout", async () => {
  const { dan, eve } = await server.people("dan", "eve");
  const theirs = await server.createOrg(dan, { require_mfa: true, claims: { secret: true } });
  const gone = await server.createOrg(eve);
  await server.changeOrg(gone, (org) => ({ ...org, status: "deleted", slug_key: null }));
  const ids = [
    theirs.id,
    gone.id,
    "unknown",
    "a".repeat(128),
    "not%20an%20id",
    "_x",
    "%E2%82%AC",
    theirs.slug,
  ];
  const answers = new Set<string>();
  for (const id of ids) {
    for (const [method, path] of [
      ["GET", at(id)],
      ["POST", at(id)],
      ["DELETE", `${at(id)}?limit=0&limit=1`],
      ["PUT", `${at(id)}?nonsense=1`],
      ["GET", `${at(id)}/bad%20user`],
    ] as const) {
      const sent = method === "POST" ? { token: eve.token, text: "{" } : { token: eve.token };
      const { status, body, headers } = await server.send(method, path, sent);
      const names = [...headers.keys()].filter((name) => name !== "date").sort();
      const text = JSON.stringify({ ...body, names });
      answers.add(`${status} ${text.replace(/"request_id":"[^"]*"/, "")}`);
    }
  }
  expect([...answers]).toHaveLength(1);
  expect([...answers][0]).toMatch(/^403 .*"not_org_member"/);
});

test("Organization endpoints 6: members without the second factor that is required: 403 org_requires_mfa, but they may leave", async () => {
  const { fay, gus } = await server.people("fay", "gus");
  const org = await server.createOrg(fay, { require_mfa: true });
  await server.join(org, gus);
  const send = (method: string, token: string) => server.send(method, at(org.id), { token });
  expect(outcome(await send("GET", gus.token))).toEqual([403, "org_requires_mfa"]);
  // Said before what they may manage, and before a proof.
  expect(outcome(await send("DELETE", fay.token))).toEqual([403, "org_requires_mfa"]);
  expect(outcome(await send("PUT", gus.token))).toEqual([200]);
  await server.strengthen(gus);
  expect(outcome(await send("GET", gus.token))).toEqual([200]);
  expect(outcome(await send("GET", fay.token))).toEqual([403, "org_requires_mfa"]);
});

test("Organization endpoints: what a route needs is asked for in order: role, proof, query, other ids, body", async () => {
  const { hal, ida, jon } = await server.people("hal", "ida", "jon");
  const org = await server.createOrg(hal);
  await server.join(org, ida, { roles: ["clerk"] });
  await server.join(org, jon);
  const remove = (token: string, query = "", headers = {}) =>
    server.send("DELETE", `${at(org.id)}${query}`, { token, headers });
  expect(outcome(await remove(ida.token, "?bad=1"))).toEqual([403, "forbidden"]);
  expect(outcome(await remove(hal.token, "?bad=1"))).toEqual([401, "reauth_required"]);
  const proof = await server.proof(hal);
  expect(outcome(await remove(hal.token, "?bad=1", proof))).toEqual([400, "invalid_query"]);
  expect(outcome(await remove(hal.token, "?limit=1", proof))).toEqual([200]);

  const post = (token: string) => server.send("POST", at(org.id), { token, body: {} });
  expect(outcome(await post(jon.token))).toEqual([403, "forbidden"]);
  expect(outcome(await post(ida.token))).toEqual([400, "validation_error"]);
  for (const path of ["bad%20user", `${jon.id}/bad%20team`, "_x"]) {
    expect(outcome(await server.send("GET", `${at(org.id)}/${path}`, { token: jon.token }))).toEqual([
      404,
      "not_found",
    ]);
  }
});

test("Authentication 8: what a contract asks a proof of identity for is not done without one", async () => {
  const { zoe } = await server.people("zoe");
  const ask = (headers = {}) => server.send("GET", "/_orgs/try/proof", { token: zoe.token, headers });
  expect(outcome(await ask())).toEqual([401, "reauth_required"]);
  expect((await ask(await server.proof(zoe))).body).toEqual({ user: zoe.id });
});

test("Organization endpoints: the caller is looked at again when the change is decided", async () => {
  const { kim, lea } = await server.people("kim", "lea");
  const org = await server.createOrg(kim);
  const rename = () => server.send("POST", `${at(org.id)}/x/rename/now`, { token: lea.token });
  await server.join(org, lea, { roles: ["clerk"] });
  expect((await rename()).body).toEqual({ name: "Renamed" });
  await server.changeOrg(org, (before) => ({ ...before, name: "Before" }));
  between = (of) => server.join(of, lea, { roles: [] });
  expect(outcome(await rename())).toEqual([403, "forbidden"]);
  await server.join(org, lea, { roles: ["clerk"] });
  between = (of) => server.changeOrg(of, (before) => ({ ...before, status: "deleted", slug_key: null }));
  expect(outcome(await rename())).toEqual([403, "not_org_member"]);
  expect((await server.org(org))?.name).toBe("Before");
  between = async () => undefined;
});

test("Organization endpoints: an organization of another realm is one that there is not", async () => {
  const { max } = await server.people("max");
  const org = await server.createOrg(max);
  const other = await server.signup("max@example.com", "other");
  expect(outcome(await server.send("GET", at(org.id), { token: other.token }, "other"))).toEqual([
    403,
    "not_org_member",
  ]);
  expect((await server.send("GET", at(org.id), { token: max.token }, "plain")).status).toBe(404);
});
