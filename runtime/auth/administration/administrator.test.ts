import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { RouteContract } from "../../contract/contract.ts";
import { trustHops } from "../../http/address.ts";
import { routeTable } from "../../http/contracted-routes.ts";
import { type AdminArea, adminAreas } from "../../realm/administration.ts";
import type { AccountSettings } from "../../realm/definition.ts";
import type { RouteTable } from "../../realm/exchange.ts";
import { administratorRoute } from "../contracted.ts";
import {
  type Accounts,
  type AccountsOptions,
  hour,
  minute,
  origin,
  password,
  startAccounts,
} from "../testing/accounts.ts";

/** `/_admin/probe/{area}`: GET looks at it, POST changes something in it. */
const probes = (realm: string): RouteTable =>
  routeTable(
    realm,
    adminAreas.flatMap((area) => [probe(area, "GET", "see"), probe(area, "POST", "change")]),
  );

function probe(area: AdminArea, method: "GET" | "POST", to: "see" | "change") {
  const contract = {
    id: "probe",
    method,
    path: `/_admin/probe/${area}`,
    who: { kind: "administrator", area, to },
    answers: { 200: { description: "In." } },
    tag: "probes",
    summary: "Probe",
  } as const satisfies RouteContract;
  return administratorRoute(contract, () => async () => {});
}

const start = (accounts?: Partial<AccountSettings>, options?: AccountsOptions) =>
  startAccounts(accounts, { ...options, routes: probes });

/** What a credential may see and change. */
async function areasOf(server: Accounts, token: string, realm = "shop") {
  const allowed = async (method: string): Promise<AdminArea[]> => {
    const statuses = await Promise.all(
      adminAreas.map((area) => server.send(method, `/_admin/probe/${area}`, { token }, realm)),
    );
    for (const { status } of statuses) expect([200, 403]).toContain(status);
    return adminAreas.filter((_, at) => statuses[at]?.status === 200);
  };
  return { see: await allowed("GET"), change: await allowed("POST") };
}

const everything = { see: [...adminAreas], change: [...adminAreas] };
const nothing = { see: [], change: [] };
const unauthenticated = { status: 401, body: { error: { code: "unauthenticated" } } };
const forbidden = { status: 403, body: { error: { code: "forbidden" } } };
const lapsed = { status: 401, body: { error: { code: "reauth_required" } } };

let server: Accounts;
beforeAll(async () => {
  server = await start({ cookie: { sameSite: "lax" } });
});
afterAll(() => server.stop());

describe("Authentication 10: what roles and keys administer", () => {
  it("401 without a credential, 403 without administration", async () => {
    for (const method of ["GET", "POST"]) {
      expect(await server.send(method, "/_admin/probe/users")).toMatchObject(unauthenticated);
      for (const token of [(await server.person(`a${method}@example.com`, ["agent"])).token]) {
        expect(await server.send(method, "/_admin/probe/users", { token })).toMatchObject(forbidden);
      }
    }
    const unscoped = await server.key({ name: "unscoped" });
    const scoped = await server.key({ name: "scoped", scopes: { read: "*", write: "*", call: "*" } });
    for (const token of [unscoped, scoped]) expect(await areasOf(server, token)).toEqual(nothing);
  });

  it("admin: true is everything, a list its areas, several roles together what each gives", async () => {
    const areas = async (email: string, roles: readonly string[]) =>
      areasOf(server, (await server.person(email, roles)).token);
    expect(await areas("boss@example.com", ["boss"])).toEqual(everything);
    expect(await areas("keys@example.com", ["keymaster"])).toEqual({
      see: ["users", "apikeys"],
      change: ["users", "apikeys"],
    });
    expect(await areas("several@example.com", ["agent", "host", "librarian"])).toEqual({
      see: ["invitations", "data"],
      change: ["invitations", "data"],
    });
    expect(await areas("all@example.com", ["host", "boss", "reader"])).toEqual(everything);
    for (const admin of [true, ["users", "audit"]] as const) {
      const token = await server.adminKey(admin);
      expect(await areasOf(server, token)).toEqual(
        admin === true ? everything : { see: [...admin], change: [...admin] },
      );
    }
    expect(await areasOf(server, await server.adminKey([]))).toEqual(nothing);
  });

  it("admin: read looks at every area but users and data, and changes none", async () => {
    const { token } = await server.person("reader@example.com", ["reader"]);
    const others = adminAreas.filter((area) => area !== "users" && area !== "data");
    expect(await areasOf(server, token)).toEqual({ see: others, change: [] });
    const { token: both } = await server.person("both@example.com", ["reader", "librarian"]);
    expect(await areasOf(server, both)).toEqual({
      see: adminAreas.filter((area) => area !== "users"),
      change: ["data"],
    });
  });

  it("admin.read_access lets it look at users and data", async () => {
    const opened = await start({ readAccess: ["users"] });
    try {
      const { token } = await opened.person("reader@example.com", ["reader"]);
      const see = adminAreas.filter((area) => area !== "data");
      expect(await areasOf(opened, token)).toEqual({ see, change: [] });
    } finally {
      await opened.stop();
    }
  });

  it("what a role gives counts from the next request on, and no longer from the next", async () => {
    const person = await server.person("moving@example.com");
    expect(await areasOf(server, person.token)).toEqual(nothing);
    await server.giveRoles(person.id, ["boss"]);
    expect(await areasOf(server, person.token)).toEqual(everything);
    await server.giveRoles(person.id, ["host"]);
    expect((await areasOf(server, person.token)).change).toEqual(["invitations"]);
    await server.giveRoles(person.id, []);
    expect(await areasOf(server, person.token)).toEqual(nothing);
  });

  it("administration of one realm is none of another", async () => {
    const { token } = await server.person("local@example.com", ["boss"]);
    const key = await server.adminKey();
    for (const realm of ["other", "plain"]) {
      for (const credential of [token, key]) {
        const answer = await server.send("GET", "/_admin/probe/audit", { token: credential }, realm);
        expect(answer).toMatchObject(unauthenticated);
      }
    }
  });

  it("a realm with auth: disabled is administered by its API keys", async () => {
    expect(await server.send("GET", "/_admin/probe/audit", {}, "plain")).toMatchObject(unauthenticated);
    expect(await areasOf(server, await server.adminKey(true, "plain"), "plain")).toEqual(everything);
    expect((await areasOf(server, await server.adminKey(["audit"], "plain"), "plain")).see).toEqual([
      "audit",
    ]);
    expect(await areasOf(server, await server.key({ name: "data" }, "plain"), "plain")).toEqual(nothing);
  });

  it("a cookie changes things from a listed origin alone", async () => {
    await server.person("cookie@example.com", ["boss"]);
    const login = await server.send("POST", "/_auth/login", {
      body: { email: "cookie@example.com", password, cookie: true },
      headers: { origin },
    });
    const cookie = login.headers.get("set-cookie")?.split(";")[0] ?? "";
    const send = (method: string, headers = {}) =>
      server.send(method, "/_admin/probe/users", { cookie, headers });
    expect((await send("GET")).status).toBe(200);
    expect((await send("POST", { origin })).status).toBe(200);
    expect(await send("POST")).toMatchObject(forbidden);
    expect(await send("POST", { origin: "https://evil.example" })).toMatchObject(forbidden);
  });
});

describe("Administrator routes: admin.allowed_networks", () => {
  it("403 from elsewhere, for keys and sessions alike, in every realm", async () => {
    const adminNetworks = ["192.0.2.0/24", "2001:db8::/32"];
    const limited = await start({}, { definition: { adminNetworks }, settings: { addressOf: trustHops(1) } });
    try {
      const { token } = await limited.person("boss@example.com", ["boss"]);
      const credentials = [
        [token, "shop"],
        [await limited.adminKey(), "shop"],
        [await limited.adminKey(true, "plain"), "plain"],
      ] as const;
      const from = (address: string, [credential, realm]: (typeof credentials)[number]) =>
        limited.send(
          "GET",
          "/_admin/probe/audit",
          { token: credential, headers: { "x-forwarded-for": address } },
          realm,
        );
      for (const credential of credentials) {
        for (const address of ["192.0.2.1", "::ffff:192.0.2.1", "2001:db8::1"]) {
          expect((await from(address, credential)).status).toBe(200);
        }
        for (const address of ["192.0.3.1", "::ffff:192.0.3.1", "2001:db9::1", "192.0.2.1, 192.0.3.1"]) {
          expect(await from(address, credential)).toMatchObject(forbidden);
        }
      }
      // Who has no credential, or whose administration is over, learns nothing else.
      const headers = { "x-forwarded-for": "192.0.3.1" };
      expect(await limited.send("GET", "/_admin/probe/audit", { headers })).toMatchObject(unauthenticated);
      limited.clock.advance(hour);
      expect(await limited.send("GET", "/_admin/probe/audit", { token, headers })).toMatchObject(forbidden);
      // Nothing but administration is limited so.
      expect((await limited.send("GET", "/_auth/me", { token, headers })).status).toBe(200);
    } finally {
      await limited.stop();
    }
  });
});

describe("Administrator routes: the administration of a session lapses", () => {
  const probe = (token: string, area = "audit") => server.send("GET", `/_admin/probe/${area}`, { token });

  it("15 minutes after its last use, exactly; other uses do not count, and other routes stay open", async () => {
    const { token } = await server.person("idle@example.com", ["boss"]);
    server.clock.advance(15 * minute - 1);
    expect((await probe(token)).status).toBe(200);
    server.clock.advance(15 * minute - 1);
    expect((await probe(token)).status).toBe(200);
    server.clock.advance(10 * minute);
    expect((await server.send("GET", "/_auth/me", { token })).status).toBe(200);
    server.clock.advance(5 * minute);
    expect(await probe(token)).toMatchObject(lapsed);
    expect(await probe(token)).toMatchObject(lapsed);
    expect((await server.send("GET", "/_auth/me", { token })).status).toBe(200);
  });

  it("8 hours after its last proof, exactly, however much it is used", async () => {
    const { token } = await server.person("busy@example.com", ["boss"]);
    for (let n = 0; n < 48; n += 1) {
      expect((await probe(token)).status).toBe(200);
      server.clock.advance(n === 47 ? 10 * minute - 1 : 10 * minute);
    }
    expect((await probe(token)).status).toBe(200);
    server.clock.advance(1);
    expect(await probe(token)).toMatchObject(lapsed);
  });

  it("refused uses do not keep it", async () => {
    const { token } = await server.person("refused@example.com", ["host"]);
    server.clock.advance(10 * minute);
    expect(await probe(token, "data")).toMatchObject(forbidden);
    server.clock.advance(5 * minute);
    expect(await probe(token, "invitations")).toMatchObject(lapsed);
  });

  it("a fresh proof restores it, for its own session alone", async () => {
    const person = await server.person("proof@example.com", ["boss"]);
    const { token: second } = await server.login(person.email);
    server.clock.advance(9 * hour);
    expect(await probe(person.token)).toMatchObject(lapsed);
    await server.reauth(person);
    expect((await probe(person.token)).status).toBe(200);
    expect(await probe(second)).toMatchObject(lapsed);
    server.clock.advance(15 * minute - 1);
    expect((await probe(person.token)).status).toBe(200);
    server.clock.advance(15 * minute);
    expect(await probe(person.token)).toMatchObject(lapsed);
    const { token: third } = await server.login(person.email);
    expect((await probe(third)).status).toBe(200);
  });

  it("what is refused anyhow is refused so: 403 without administration, whatever the time", async () => {
    const { token } = await server.person("none@example.com", ["agent"]);
    server.clock.advance(9 * hour);
    expect(await probe(token)).toMatchObject(forbidden);
  });

  it("API keys do not lapse", async () => {
    const key = await server.adminKey();
    server.clock.advance(100 * hour);
    expect((await probe(key)).status).toBe(200);
  });
});
