import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AdminArea, adminAreas } from "../../realm/administration.ts";
import { type Accounts, hour, type Sent, startAccounts } from "../testing/accounts.ts";
import type { Need } from "./administrator.ts";
import { administrationRoutes, userAdministrationRoutes } from "./routes.ts";

/** What each route needs. Asked with what it refuses as such, it changes nothing for whom it lets in. */
const needs: Readonly<Record<string, Need>> = {
  "GET /users": { area: "users", to: "see" },
  "POST /users": { area: "users", to: "change" },
  "GET /users/:id": { area: "users", to: "see" },
  "GET /users/:id/access": { area: "users", to: "see" },
  "PATCH /users/:id": { area: "users", to: "change" },
  "DELETE /users/:id": { area: "users", to: "change" },
  "DELETE /users/:id/mfa": { area: "users", to: "change" },
  "GET /users/:id/sessions": { area: "users", to: "see" },
  "DELETE /users/:id/sessions": { area: "users", to: "change" },
  "GET /invitations": { area: "invitations", to: "see" },
  "POST /invitations": { area: "invitations", to: "change" },
  "DELETE /invitations/:id": { area: "invitations", to: "change" },
  "GET /keys": { area: "apikeys", to: "see" },
  "POST /keys": { area: "apikeys", to: "change" },
  "POST /keys/:id/rotate": { area: "apikeys", to: "change" },
  "DELETE /keys/:id": { area: "apikeys", to: "change" },
  "GET /secrets": { area: "secrets", to: "see" },
  "PUT /secrets/:name": { area: "secrets", to: "change" },
  "DELETE /secrets/:name": { area: "secrets", to: "change" },
  "GET /audit": { area: "audit", to: "see" },
  "GET /config": { area: "config", to: "see" },
  "GET /config/app": { area: "config", to: "see" },
  "GET /config/files": { area: "config", to: "see" },
  "PUT /config/app": { area: "config", to: "change" },
};

let server: Accounts;
let readable: Accounts;
beforeAll(async () => {
  server = await startAccounts();
  readable = await startAccounts({ readAccess: ["users", "data"] });
});
afterAll(async () => {
  await server.stop();
  await readable.stop();
});

async function ask(to: Accounts, route: string, sent: Sent, realm = "shop"): Promise<number | string> {
  const [method = "", path = ""] = route.split(" ");
  const text = method === "GET" || method === "DELETE" ? {} : { text: "[]" };
  const { status, body } = await to.send(
    method,
    `/_admin${path.replace(/:\w+/, "nothing")}`,
    { ...text, ...sent },
    realm,
  );
  if (status !== 401 && status !== 403) return "in";
  const { code } = Object(body["error"]);
  return code === "reauth_required" ? code : status;
}

interface Rights {
  readonly see: readonly AdminArea[];
  readonly change: readonly AdminArea[];
}

/** What a caller with these rights is answered by each route. */
function expected({ see, change }: Rights): Record<string, number | string> {
  return Object.fromEntries(
    Object.entries(needs).map(([route, { area, to }]) => [
      route,
      (to === "see" ? see : change).includes(area) ? "in" : 403,
    ]),
  );
}

async function asked(to: Accounts, sent: Sent, realm?: string): Promise<Record<string, number | string>> {
  const answers: Record<string, number | string> = {};
  for (const route of Object.keys(needs)) answers[route] = await ask(to, route, sent, realm);
  return answers;
}

const everywhere = (answer: number | string) =>
  Object.fromEntries(Object.keys(needs).map((route) => [route, answer]));

const both = (...areas: readonly AdminArea[]): Rights => ({ see: areas, change: areas });

it("every administrator route is held to its need here", () => {
  const tables = [administrationRoutes("shop"), userAdministrationRoutes("shop")];
  const routes = tables.flatMap((table) =>
    Object.entries(table).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path.replace("/v1/shop/_admin", "")}`),
    ),
  );
  expect(routes.sort()).toEqual(Object.keys(needs).sort());
});

describe("Authentication 10: areas of API keys", () => {
  it.each<[string, true | readonly AdminArea[], Rights]>([
    ["full", true, both(...adminAreas)],
    ["users", ["users"], both("users")],
    ["invitations and audit", ["invitations", "audit"], both("invitations", "audit")],
    ["apikeys, secrets and config", ["apikeys", "secrets", "config"], both("apikeys", "secrets", "config")],
    ["data and functions", ["data", "functions"], both()],
  ])("%s", async (_, admin, rights) => {
    const token = await server.adminKey(admin);
    expect(await asked(server, { token })).toEqual(expected(rights));
  });

  it("none: 403 everywhere, whatever its scopes", async () => {
    const token = await server.key({ name: "data" });
    expect(await asked(server, { token })).toEqual(everywhere(403));
    const scoped = await server.key({ name: "scoped", scopes: { read: "*", write: "*", call: "*" } });
    expect(await asked(server, { token: scoped })).toEqual(everywhere(403));
  });

  it("acting for a user, whoever it is: 403 everywhere", async () => {
    const boss = await server.person("lent@example.com", ["boss"]);
    const token = await server.adminKey(true, "shop", { onBehalfOf: true });
    const headers = { "x-svc-on-behalf-of": boss.id };
    expect(await asked(server, { token, headers })).toEqual(everywhere(403));
    expect(await asked(server, { token })).toEqual(everywhere("in"));
  });

  it("of another realm: 401 everywhere", async () => {
    const token = await server.adminKey(true, "other");
    expect(await asked(server, { token })).toEqual(everywhere(401));
  });
});

describe("Authentication 10: areas of sessions", () => {
  const notUsersOrData = adminAreas.filter((area) => area !== "users" && area !== "data");

  it.each<[string, readonly string[], Rights]>([
    ["admin: true", ["boss"], both(...adminAreas)],
    ["admin: [apikeys, users]", ["keymaster"], both("apikeys", "users")],
    ["admin: [invitations]", ["host"], both("invitations")],
    ["two roles", ["host", "auditor"], both("invitations", "audit", "config", "secrets")],
    ["admin: read, without read_access", ["reader"], { see: notUsersOrData, change: [] }],
    [
      "admin: read and [users]",
      ["reader", "keymaster"],
      {
        see: adminAreas.filter((area) => area !== "data"),
        change: ["apikeys", "users"],
      },
    ],
    ["no administration", ["agent"], both()],
    ["no role", [], both()],
  ])("%s", async (name, roles, rights) => {
    const { token, ...person } = await server.person(`${name.replace(/\W+/g, "-")}@example.com`, roles);
    const proof = await server.reauth({ ...person, token });
    expect(await asked(server, { token, headers: { "x-svc-reauth": proof } })).toEqual(expected(rights));
  });

  it("admin: read with read_access sees users too, and changes nothing", async () => {
    const { token } = await readable.person("reader@example.com", ["reader"]);
    expect(await asked(readable, { token })).toEqual(expected({ see: adminAreas, change: [] }));
  });

  it("of another realm: 401 everywhere", async () => {
    const { token } = await server.person("boss-there@example.com", ["boss"], "other");
    expect(await asked(server, { token })).toEqual(everywhere(401));
  });

  it("whose administration is over: 401 reauth_required where it would be let in, 403 without administration", async () => {
    const lapsing = await startAccounts();
    try {
      const boss = await lapsing.person("boss@example.com", ["boss"]);
      const agent = await lapsing.person("agent@example.com", ["agent"]);
      lapsing.clock.advance(hour);
      expect(await asked(lapsing, { token: boss.token })).toEqual(everywhere("reauth_required"));
      expect(await asked(lapsing, { token: agent.token })).toEqual(everywhere(403));
      const headers = { "x-svc-reauth": await lapsing.reauth(boss) };
      expect(await asked(lapsing, { token: boss.token, headers })).toEqual(everywhere("in"));
    } finally {
      await lapsing.stop();
    }
  });
});

describe("Authentication 4: no credential", () => {
  it("401 everywhere, also for a malformed or unknown one", async () => {
    expect(await asked(server, {})).toEqual(everywhere(401));
    expect(await asked(server, { token: `svk_${"A".repeat(43)}` })).toEqual(everywhere(401));
    expect(await asked(server, { token: "svk_" })).toEqual(everywhere(401));
  });
});

describe("Administrator routes: in a realm with auth: disabled", () => {
  it("there are no users and invitations; the others need an API key", async () => {
    const token = await server.adminKey(true, "plain");
    const ofAccounts = (route: string) => /^\w+ \/(?:users|invitations)/.test(route);
    for (const route of Object.keys(needs)) {
      expect(await ask(server, route, { token }, "plain"), route).toBe("in");
      if (!ofAccounts(route)) expect(await ask(server, route, {}, "plain"), route).toBe(401);
    }
    expect((await server.send("GET", "/_admin/users", { token }, "plain")).status).toBe(404);
    expect((await server.send("POST", "/_admin/invitations", { token, body: {} }, "plain")).status).toBe(404);
    expect((await server.send("GET", "/_admin/keys", { token }, "plain")).status).toBe(200);
  });
});

describe("Administrator routes: with SVC_ADMIN_API=off", () => {
  it("404 everywhere, for everyone", async () => {
    const off = await startAccounts({}, { settings: { adminApi: false } });
    try {
      const token = await off.adminKey();
      for (const route of Object.keys(needs)) {
        const [method = "", path = ""] = route.split(" ");
        for (const sent of [{ token }, {}]) {
          const answer = await off.send(method, `/_admin${path.replace(/:\w+/, "nothing")}`, sent);
          expect(answer, route).toMatchObject({ status: 404, body: { error: { code: "not_found" } } });
        }
      }
    } finally {
      await off.stop();
    }
  });
});
