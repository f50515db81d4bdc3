import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { AdminArea } from "../../realm/administration.ts";
import { adminAreas } from "../../realm/administration.ts";
import { allowed } from "../../rules/index.ts";
import { code, collection, minute, type Received, type Shop, startShop, text } from "../testing/shop.ts";

const rules = { create: allowed, read: allowed, update: allowed, delete: allowed, restore: allowed };
const notes = collection("notes", { rules, softDelete: {}, aggregate: { groupBy: [], metrics: [] } });
const others = collection("others", { rules });

let shop: Shop;
let id: string;
let admin: string;
beforeAll(async () => {
  shop = await startShop("enabled", [notes, others]);
  admin = await shop.key({ name: "admin", admin: true });
  const made = await shop.send("POST", "../_admin/data/main/notes", { body: { title: "a" }, token: admin });
  id = text(made.body, "id");
});
afterAll(() => shop.stop());

type Request = readonly [method: string, path: string, body?: { readonly [name: string]: string | [] }];

const reads = (): readonly Request[] => [
  ["GET", "notes"],
  ["GET", `notes/${id}`],
  ["HEAD", `notes/${id}`],
  ["GET", "notes/_aggregate"],
  ["POST", "notes/_check"],
];
const writes = (): readonly Request[] => [
  ["POST", "notes", { title: "a" }],
  ["PUT", `notes/${id}`, { title: "a" }],
  ["PATCH", `notes/${id}`, { title: "a" }],
  ["DELETE", `notes/${id}`],
  ["DELETE", `notes/${id}?purge=true`],
  ["POST", `notes/${id}/restore`],
  ["POST", "_batch", { operations: [] }],
];

function send(on: Shop, [method, path, body]: Request, token?: string): Promise<Received> {
  return on.send(method, `../_admin/data/main/${path}`, { ...(body && { body }), ...(token && { token }) });
}

const statusOf = async (request: Request, token?: string) => (await send(shop, request, token)).status;

/** 403 before anything else; what gets further fails or succeeds for other reasons. */
async function refused(requests: readonly Request[], token: string): Promise<readonly boolean[]> {
  const statuses = [];
  for (const request of requests) statuses.push((await statusOf(request, token)) === 403);
  return statuses;
}

describe("Administrator routes: who comes this way", () => {
  test("Administrator routes: 401 without a credential, 403 without administration", async () => {
    const { token } = await shop.signUp("ada@example.com");
    const key = await shop.key({ name: "no-administration" });
    for (const request of [...reads(), ...writes()]) {
      expect([request, await statusOf(request)]).toEqual([request, 401]);
      expect([request, await statusOf(request, "svs_unknown")]).toEqual([request, 401]);
      expect([request, await statusOf(request, token)]).toEqual([request, 403]);
      expect([request, await statusOf(request, key)]).toEqual([request, 403]);
    }
  });

  test("Authentication 10: the area data and no other opens it", async () => {
    const others: readonly AdminArea[] = adminAreas.filter((area) => area !== "data");
    const without = await shop.key({ name: "without", admin: others });
    const key = await shop.key({ name: "data", admin: ["data"] });
    const keymaster = await shop.person("keymaster@example.com", "keymaster");
    const librarian = await shop.person("librarian@example.com", "librarian");
    const none = reads().map(() => true);
    for (const token of [without, keymaster.token]) {
      expect(await refused(reads(), token)).toEqual(none);
      expect(await refused(writes(), token)).toEqual(writes().map(() => true));
    }
    for (const token of [key, librarian.token]) {
      expect(await refused(reads(), token)).toEqual(reads().map(() => false));
      expect(await refused(writes().slice(0, 3), token)).toEqual([false, false, false]);
      expect(await statusOf(["POST", "_batch", { operations: [] }], token)).toBe(400);
    }
  });

  test("Authentication 10: admin: read sees documents only with read_access.data, and changes none", async () => {
    const blind = await shop.person("blind@example.com", "reader");
    expect(await refused(reads(), blind.token)).toEqual(reads().map(() => true));
    const seeing = await startShop("enabled", [notes], { accounts: { readAccess: ["data"] } });
    try {
      const { token } = await seeing.person("seeing@example.com", "reader");
      const key = await seeing.key({ name: "admin", admin: true });
      const made = await send(seeing, ["POST", "notes", { title: "a" }], key);
      const path = `notes/${text(made.body, "id")}`;
      const see: readonly Request[] = [
        ["GET", "notes"],
        ["GET", path],
        ["GET", "notes/_aggregate"],
        ["POST", "notes/_check"],
      ];
      for (const request of see) expect((await send(seeing, request, token)).status).toBe(200);
      for (const request of writes()) expect((await send(seeing, request, token)).status).toBe(403);
      expect((await send(seeing, ["GET", path], key)).tag).toBe('"1"');
    } finally {
      await seeing.stop();
    }
  });

  test("Authentication 10: a role that is taken away opens nothing from the next request on", async () => {
    const { token, id: user } = await shop.person("former@example.com", "librarian");
    expect(await statusOf(["GET", "notes"], token)).toBe(200);
    await shop.setRoles(user);
    expect(await statusOf(["GET", "notes"], token)).toBe(403);
  });

  test("Administrator routes: not from other networks than admin.allowed_networks", async () => {
    const definition = { adminNetworks: ["10.0.0.0/8"] };
    const far = await startShop("enabled", [notes], { definition });
    try {
      const key = await far.key({ name: "admin", admin: true });
      for (const request of [...reads(), ...writes()]) {
        expect([request, (await send(far, request, key)).status]).toEqual([request, 403]);
      }
      expect((await far.send("GET", "notes", { token: key })).status).toBe(200);
    } finally {
      await far.stop();
    }
  });

  test("Administrator routes: a session whose administration is over proves itself anew", async () => {
    const lapsing = await startShop("enabled", [notes], { accounts: { adminIdleTimeout: 15 * minute } });
    try {
      const { token } = await lapsing.person("boss@example.com", "boss");
      expect((await send(lapsing, ["GET", "notes"], token)).status).toBe(200);
      lapsing.clock.advance(14 * minute);
      expect((await send(lapsing, ["GET", "notes"], token)).status).toBe(200);
      lapsing.clock.advance(16 * minute);
      const lapsed = await send(lapsing, ["POST", "notes", { title: "a" }], token);
      expect([lapsed.status, code(lapsed)]).toEqual([401, "reauth_required"]);
      expect((await lapsing.send("GET", "notes", { token })).status).toBe(200);
      const proof = { body: { password: "correct horse" }, token };
      expect((await lapsing.send("POST", "../_auth/reauth", proof)).status).toBe(200);
      expect((await send(lapsing, ["POST", "notes", { title: "a" }], token)).status).toBe(201);
    } finally {
      await lapsing.stop();
    }
  });

  test("Administrator routes: SVC_ADMIN_API=off: 404", async () => {
    const off = await startShop("enabled", [notes], { settings: { adminApi: false } });
    try {
      const key = await off.key({ name: "admin", admin: true });
      for (const request of [...reads(), ...writes()]) {
        expect([request, (await send(off, request, key)).status]).toEqual([request, 404]);
      }
    } finally {
      await off.stop();
    }
  });
});

describe("Authentication 3: scopes of a key limit its administration of data", () => {
  test.each([
    ["{}", {}, [403, 403, 403, 403, 403]],
    ["read", { read: "*" }, [200, 200, 200, 403, 403]],
    ["read of a collection", { read: ["main/notes"] }, [200, 200, 200, 403, 403]],
    ["read of another", { read: ["main/others"] }, [403, 403, 403, 403, 403]],
    ["write", { write: ["main"] }, [403, 403, 403, 201, 200]],
    ["write of another", { read: "*", write: ["main/others"] }, [200, 200, 200, 403, 403]],
  ] as const)("Authentication 3: %s", async (name, scopes, statuses) => {
    const key = await shop.key({ name, scopes, admin: true });
    const operation = JSON.stringify({ op: "create", collection: "notes", document: { title: "a" } });
    const requests: readonly Request[] = [
      ["GET", "notes"],
      ["GET", `notes/${id}`],
      ["POST", "notes/_check"],
      ["POST", "notes", { title: "a" }],
    ];
    const got = [];
    for (const request of requests) got.push(await statusOf(request, key));
    const batch = { text: `{"operations":[${operation}]}`, token: key };
    got.push((await shop.send("POST", "../_admin/data/main/_batch", batch)).status);
    expect(got).toEqual(statuses);
  });
});
