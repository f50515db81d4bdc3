import { afterAll, beforeAll, expect, test } from "vitest";
import type { Need } from "../../auth/administration/administrator.ts";
import type { Sent } from "../../auth/testing/accounts.ts";
import { type AdminArea, adminAreas } from "../../realm/administration.ts";
import type { OrganizationRecord } from "../records.ts";
import { type Organizations, outcome } from "../testing/realm.ts";
import { organizationAdministrationRoutes } from "./routes.ts";
import { startAdministered } from "./testing/collections.ts";

/** What each route needs. Asked with what it refuses as such, it changes nothing for whom it lets in. */
const needs: Readonly<Record<string, Need["to"]>> = {
  "GET /orgs": "see",
  "POST /orgs": "change",
  "GET /orgs/:org": "see",
  "DELETE /orgs/:org": "change",
  "GET /orgs/:org/owned": "see",
  "POST /orgs/:org/reactivate": "change",
  "PUT /orgs/:org/members/:user": "change",
  "DELETE /orgs/:org/members/:user": "change",
  "POST /orgs/:org/invitations": "change",
  "PUT /orgs/:org/claims": "change",
  "PUT /orgs/:org/manager": "change",
};

let server: Organizations;
let org: OrganizationRecord;

beforeAll(async () => {
  server = await startAdministered();
  const { owner } = await server.people("owner");
  org = await server.createOrg(owner);
});

afterAll(() => server.stop());

async function asked(sent: Sent): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const route of Object.keys(needs)) {
    const [method = "", path = ""] = route.split(" ");
    const named = path.replace(":org", method === "DELETE" ? "nothing" : org.id).replace(":user", "nobody");
    const body = method === "GET" || method === "DELETE" ? {} : { text: "[]" };
    const [status] = outcome(await server.send(method, `/_admin${named}`, { ...body, ...sent }));
    answers[route] = status === 401 || status === 403 ? status : "in";
  }
  return answers;
}

const expected = (answer: (to: Need["to"]) => unknown) =>
  Object.fromEntries(Object.entries(needs).map(([route, to]) => [route, answer(to)]));

test("every administrator route of organizations is held to its need here", () => {
  const routes = Object.entries(organizationAdministrationRoutes("shop")).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method} ${path.replace("/v1/shop/_admin", "")}`),
  );
  expect(routes.sort()).toEqual(Object.keys(needs).sort());
});

test("Authentication 10: organizations belong to the area users", async () => {
  const withArea = await server.adminKey(["users"]);
  expect(await asked({ token: withArea })).toEqual(expected(() => "in"));
  const others: readonly AdminArea[] = adminAreas.filter((area) => area !== "users");
  const without = await server.adminKey(others);
  expect(await asked({ token: without })).toEqual(expected(() => 403));
  const data = await server.key({ name: "data" });
  expect(await asked({ token: data })).toEqual(expected(() => 403));
  expect(await asked({})).toEqual(expected(() => 401));
});

test("Authentication 10: admin: read sees organizations only with read_access to users, and changes nothing", async () => {
  const reader = await server.person("reader@example.com", ["reader"]);
  expect(await asked({ token: reader.token })).toEqual(expected(() => 403));
  const readable = await startAdministered({}, { readAccess: ["users"] });
  try {
    const { token } = await readable.person("reader@example.com", ["reader"]);
    expect((await readable.send("GET", "/_admin/orgs", { token })).status).toBe(200);
    const body = { name: "Acme", owner: "nobody" };
    expect((await readable.send("POST", "/_admin/orgs", { token, body })).status).toBe(403);
  } finally {
    await readable.stop();
  }
});

test("Authentication 10: managing an organization administers nothing of the realm, nor the other way round", async () => {
  const { token } = await server.login("owner@example.com");
  expect(await asked({ token })).toEqual(expected(() => 403));
  const key = await server.adminKey();
  const boss = await server.person("boss@example.com", ["boss"]);
  expect(outcome(await server.send("GET", `/_orgs/${org.id}`, { token: boss.token }))).toEqual([
    403,
    "not_org_member",
  ]);
  expect(outcome(await server.send("GET", `/_orgs/${org.id}`, { token: key }))).toEqual([403, "forbidden"]);
});
