/** What the server owns cannot be set by naming it: the service's own routes refuse the name, documents ignore it. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collections } from "../../runtime/auth/collections.ts";
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import { Description } from "../conformance/description.ts";
import { compileFort } from "./compiled.ts";
import { type Fort, startFort } from "./fort.ts";
import { pathsOf, type Received } from "./send.ts";
import { snapshot } from "./snapshot.ts";

const fort = await compileFort();

let server: Fort;
let maker: string;
beforeAll(async () => {
  server = await startFort(fort);
  maker = await server.session("maker");
});
afterAll(() => server.stop());

/** Members of stored records, and what would be gained by setting them. */
const owned: JsonObject = {
  id: "mine",
  _id: "mine",
  _meta: { owner: "maker" },
  email_key: "maker@example.com",
  email_verified: true,
  password: "correct horse",
  password_hash: "$argon2id$",
  roles: ["boss"],
  role: "boss",
  admin: true,
  disabled: false,
  status: "active",
  generation: 0,
  totp: null,
  totp_pending: null,
  mfa: true,
  created_at: "2020-01-01T00:00:00.000Z",
  created_by: "user:boss",
  accepted_by: "maker",
  revoked: false,
  token: "svs_x",
  key: "svk_x",
  user: "boss",
  expires_at: "2099-01-01T00:00:00.000Z",
  proved_at: "2099-01-01T00:00:00.000Z",
  administered_at: "2099-01-01T00:00:00.000Z",
  scopes: null,
  networks: null,
  on_behalf_of: true,
};

const description = Description.of(fort);
const bodies = description.operations.flatMap(({ method, path, bodies: described }) => {
  const [body] = described.values();
  const below = path.slice("/v1/fort".length);
  // `config/app` is any object; administrators' documents are documents, and tried below.
  const own = /^\/_(?:auth|admin)\//.test(below) && !/^\/_admin\/(?:data|config\/app)/.test(below);
  if (body === undefined || !own) return [];
  return [{ title: `${method} ${below}`, method, below, members: membersOf(body.schema) }];
});

/** Those that a body's schema lists. */
function membersOf(schema: JsonObject): readonly string[] {
  const { properties, anyOf } = description.follow(schema);
  if (Array.isArray(anyOf)) return anyOf.flatMap((each) => (isJsonObject(each) ? membersOf(each) : []));
  return isJsonObject(properties) ? Object.keys(properties) : [];
}

describe("Mass assignment: a body of the service's own routes refuses every member that is not its own", () => {
  it("there are such bodies, and each says which members it has", () => {
    expect(bodies.length).toBeGreaterThan(12);
    expect(bodies.filter(({ members }) => members.length === 0)).toEqual([]);
  });

  it.each(bodies)("$title", async ({ method, below, members }) => {
    const names: Readonly<Record<string, string>> = {
      ...{ name: "SECRET", id: "stranger" },
      ...{ database: "main", fn: "nightly" },
    };
    const path = below.replace(/\{(\w+)\}/g, (written, name: string) => names[name] ?? written);
    const token = below.startsWith("/_admin") ? server.operator : maker;
    const extra = Object.fromEntries(Object.entries(owned).filter(([name]) => !members.includes(name)));
    const before = await snapshot(server.store("fort"), fort.definition);
    const answer = await server.send(method, path, { token, body: extra });
    expect(answer.outcome).toBe("400 validation_error");
    expect(pathsOf(answer)).toEqual(expect.arrayContaining(Object.keys(extra)));
    expect(await snapshot(server.store("fort"), fort.definition)).toEqual(before);
  });
});

/** What a user is, as they are shown and as they are stored. */
async function standing(id: string): Promise<JsonObject> {
  const document = await server.store("fort").collection(collections.users).get(id, "live");
  const record: JsonObject = JSON.parse(document?.text ?? "{}");
  const { roles, disabled, generation, email_verified, created_at, totp } = record;
  return {
    roles: roles ?? null,
    disabled: disabled ?? null,
    generation: generation ?? null,
    email_verified: email_verified ?? null,
    created_at: created_at ?? null,
    totp: totp ?? null,
  };
}

describe("Mass assignment: beside members that are allowed", () => {
  it("a user gives themselves nothing with PATCH /me, not even inside the profile", async () => {
    const before = await standing("maker");
    for (const [name, value] of Object.entries(owned)) {
      const answer = await server.send("PATCH", "/_auth/me", {
        token: maker,
        body: { locale: "de", [name]: value },
      });
      expect(answer.outcome, name).toBe("400 validation_error");
    }
    const body = { profile: { roles: ["boss"], admin: true, email_verified: true } };
    expect((await server.send("PATCH", "/_auth/me", { token: maker, body })).outcome).toBe("200");
    expect(await standing("maker")).toEqual(before);
    expect((await server.send("GET", "/_admin/users", { token: maker })).outcome).toBe("403 forbidden");
  });

  it("an invited user gets the invitation's roles and no others", async () => {
    const made = await server.send("POST", "/_admin/invitations", {
      token: server.operator,
      body: { roles: ["member"] },
    });
    const invitation = String(made.body["token"]);
    const account = { email: "invited@example.com", password: "correct horse", invitation };
    for (const name of ["roles", "email_verified", "id", "disabled", "generation", "totp", "created_at"]) {
      const body = { ...account, [name]: owned[name] ?? null };
      expect((await server.send("POST", "/_auth/signup", { body })).outcome, name).toBe(
        "400 validation_error",
      );
    }
    const signup = await server.send("POST", "/_auth/signup", { body: account });
    expect(signup.outcome).toBe("201");
    expect(signup.body["user"]).toMatchObject({ roles: ["member"], email_verified: false, mfa: false });
  });
});

/** What no writer decides. */
const forged: JsonObject = {
  owner: "stranger",
  created_by: "user:boss",
  updated_by: "user:boss",
  created_at: "2000-01-01T00:00:00.000Z",
  updated_at: "2000-01-01T00:00:00.000Z",
  version: 99,
  deleted_at: "2000-01-01T00:00:00.000Z",
  deleted_by: "user:boss",
  purge_at: "2000-01-01T00:00:00.000Z",
  org: "o",
  team: "t",
  chain: { root: "r", depth: 0 },
  score: 1,
};

function expectOwn(answer: Received, version: number, owner: string | null, actor: string): void {
  expect(answer.status, answer.text).toBeLessThan(300);
  const now = new Date(server.clock.now()).toISOString();
  expect(answer.body["_meta"]).toEqual({
    created_at: now,
    updated_at: now,
    version,
    owner,
    created_by: actor,
    updated_by: actor,
  });
}

describe("Document 1: mass assignment of what the server owns in documents is ignored", () => {
  const extra: JsonObject = { _id: "x", _meta: forged, _expanded: { author: { name: "nobody" } } };

  it.each(["/main/notes", "/_admin/data/main/notes"])("by %s", async (path) => {
    const admin = path.startsWith("/_admin");
    const token = admin ? server.operator : maker;
    const [owner, actor] = admin ? [null, "key:operator"] : ["maker", "user:maker"];
    const made = await server.send("POST", path, { token, body: { text: "x", ...extra } });
    expectOwn(made, 1, owner, actor);
    expect(Object.keys(made.body).sort()).toEqual(["_meta", "id", "text"]);
    const one = `${path}/${made.body["id"]}`;
    const replaced = await server.send("PUT", one, { token, body: { text: "y", id: "other", ...extra } });
    expectOwn(replaced, 2, owner, actor);
    const patched = await server.send("PATCH", one, { token, body: { text: "z", id: "other", ...extra } });
    expectOwn(patched, 3, owner, actor);
    expect([replaced.body["id"], patched.body["id"]]).toEqual([made.body["id"], made.body["id"]]);
    expect((await server.send("DELETE", one, { token })).status).toBe(204);
    const restored = await server.send("POST", `${one}/restore`, { token, body: extra });
    expectOwn(restored, 5, owner, actor);
  });

  it("in a batch", async () => {
    const batch = async (operation: JsonObject) => {
      const answer = await server.send("POST", "/main/_batch", {
        token: maker,
        body: { operations: [operation] },
      });
      expect(answer.outcome).toBe("200");
      const [result] = Array.isArray(answer.body["results"]) ? answer.body["results"] : [];
      return isJsonObject(result) ? { ...answer, body: result } : answer;
    };
    const made = await batch({ op: "create", collection: "notes", document: { text: "x", ...extra } });
    expectOwn(made, 1, "maker", "user:maker");
    const id = String(made.body["id"]);
    expectOwn(
      await batch({ op: "replace", collection: "notes", id, document: { text: "y", ...extra } }),
      2,
      "maker",
      "user:maker",
    );
    expectOwn(
      await batch({ op: "patch", collection: "notes", id, patch: { text: "z", ...extra } }),
      3,
      "maker",
      "user:maker",
    );
  });

  it("what a key does for a user is that user's, whatever the body says", async () => {
    const headers = { "x-svc-on-behalf-of": "stranger" };
    const made = await server.send("POST", "/main/notes", {
      token: server.operator,
      headers,
      body: { text: "x", _meta: { owner: "maker" } },
    });
    expectOwn(made, 1, "stranger", "user:stranger");
  });
});

it("Field rules: a field that the caller may not write is refused, and stays hidden", async () => {
  const refused = await server.send("POST", "/main/notes", { token: maker, body: { text: "x", grade: "A" } });
  expect([refused.outcome, pathsOf(refused)]).toEqual(["403 forbidden", ["grade"]]);
  const made = await server.send("POST", "/main/notes", { token: maker, body: { text: "x" } });
  const one = `/main/notes/${made.body["id"]}`;
  await server.send("PATCH", one, { token: server.operator, body: { grade: "B" } });
  for (const [method, body] of [
    ["PATCH", { grade: "A" }],
    ["PATCH", { grade: null }],
    ["PUT", { text: "y", grade: "A" }],
  ] as const) {
    expect((await server.send(method, one, { token: maker, body })).outcome).toBe("403 forbidden");
  }
  const replaced = await server.send("PUT", one, { token: maker, body: { text: "y" } });
  expect([replaced.outcome, replaced.body["grade"]]).toEqual(["200", undefined]);
  expect((await server.send("GET", one, { token: server.operator })).body["grade"]).toBe("B");
});
