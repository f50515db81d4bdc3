/** Rules hold for bytes as for documents. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { code, collection, fields, text } from "../documents/testing/shop.ts";
import { eq } from "../filter/algebra.ts";
import type { ReadRule } from "../realm/rule.ts";
import { allowed, byCaller } from "../rules/index.ts";
import { fileField, startVault, type Vault } from "./testing/vault.ts";

const own: ReadRule = {
  filter: ({ user }) => eq(fields.owner, user?.email),
  check: ({ user }, document) => user !== undefined && document["owner"] === user.email,
};
const ofBoss = byCaller(({ user }) => user?.email === "boss@example.com");
const papers = collection("papers", {
  files: [fileField("scan"), fileField("hidden"), fileField("sealed"), fileField("small")],
  rules: { create: allowed, read: own, update: own, delete: own },
  fieldRules: [
    { path: ["hidden"], read: ofBoss },
    { path: ["sealed"], write: ofBoss },
    {
      path: ["small"],
      write: {
        check: (_, __, data) => {
          const { small } = data;
          return typeof small === "object" && small !== null && "size" in small && Number(small["size"]) < 10;
        },
      },
    },
  ],
});
const open = collection("open", {
  files: [fileField("scan")],
  rules: { create: allowed, read: allowed, update: byCaller(({ user }) => user !== undefined) },
  publicMaxAge: 60,
});

let vault: Vault;
const tokens = { ann: "", eve: "", boss: "" };
beforeAll(async () => {
  vault = await startVault("enabled", [papers, open]);
  for (const name of ["ann", "eve", "boss"] as const)
    tokens[name] = (await vault.signUp(`${name}@example.com`)).token;
});
afterAll(() => vault.stop());

async function paper(): Promise<{ id: string; file: string; path: string }> {
  const id = await vault.made("papers", { owner: "ann@example.com" }, "", tokens.ann);
  const file = text(await vault.uploaded(`papers/${id}/_files/scan`, 20, { token: tokens.ann }), "id");
  return { id, file, path: `papers/${id}/_files/scan/${file}` };
}

describe("Rules hold for bytes as for documents", () => {
  it("who may not read the document is answered 404, whatever is asked of its files; nobody at all 401", async () => {
    const { id, path } = await paper();
    for (const [method, at] of [
      ["GET", path],
      ["DELETE", path],
      ["POST", `papers/${id}/_files/scan`],
      ["POST", "papers/nobody/_files/scan"],
    ] as const) {
      const bytes = method === "POST" ? { bytes: "x" } : {};
      const eve = await vault.bring(method, at, { token: tokens.eve, ...bytes });
      expect([method, eve.status, code(eve)]).toEqual([method, 404, "not_found"]);
      const nobody = await vault.bring(method, at, bytes);
      expect([401, 404]).toContain(nobody.status);
      expect((await vault.bring(method, at, { token: "forged", ...bytes })).status).toBe(401);
    }
    expect((await vault.bring("GET", path, { token: tokens.ann })).status).toBe(200);
  });

  it("who may read and not update may download and not change: 403, or 401 without a credential", async () => {
    const id = await vault.made("open");
    const file = await vault.uploaded(`open/${id}/_files/scan`, 5, { token: tokens.ann });
    const path = `open/${id}/_files/scan/${file["id"]}`;
    const anonymous = await vault.bring("GET", path);
    expect([anonymous.status, anonymous.headers.get("cache-control")]).toEqual([200, "public, max-age=60"]);
    const signedIn = await vault.bring("GET", path, { token: tokens.eve });
    expect(signedIn.headers.get("cache-control")).toBe("private, no-cache");
    for (const method of ["POST", "DELETE"] as const) {
      const at = method === "POST" ? `open/${id}/_files/scan?replace=true` : path;
      const refused = await vault.bring(method, at, method === "POST" ? { bytes: "x" } : {});
      expect([refused.status, code(refused)]).toEqual([401, "unauthenticated"]);
    }
  });

  it("a file of a hidden field is 404 to whom it is hidden from", async () => {
    const { id } = await paper();
    const hidden = await vault.bring("POST", `papers/${id}/_files/hidden`, { bytes: "x", token: tokens.ann });
    expect([hidden.status, code(hidden)]).toEqual([404, "not_found"]);
    const key = await vault.key();
    const file = await vault.uploaded(`papers/${id}/_files/hidden`, 5, { token: key });
    const path = `papers/${id}/_files/hidden/${file["id"]}`;
    expect((await vault.bring("GET", path, { token: tokens.ann })).status).toBe(404);
    expect((await vault.bring("DELETE", path, { token: tokens.ann })).status).toBe(404);
    expect((await vault.bring("GET", path, { token: key })).status).toBe(200);
    expect((await vault.send("GET", `papers/${id}`, { token: tokens.ann })).body).not.toHaveProperty(
      "hidden",
    );
    // What is hidden stays where it is, whoever writes the rest.
    const body = { title: "b", owner: "ann@example.com" };
    expect((await vault.send("PUT", `papers/${id}`, { body, token: tokens.ann })).status).toBe(200);
    expect((await vault.send("GET", `papers/${id}`, { token: key })).body["hidden"]).toEqual(file);
  });

  it("the field's write rule is asked of the file, by what it turns out to be", async () => {
    const { id } = await paper();
    const sealed = await vault.bring("POST", `papers/${id}/_files/sealed`, { bytes: "x", token: tokens.ann });
    expect([sealed.status, code(sealed)]).toEqual([403, "forbidden"]);
    const large = await vault.bring("POST", `papers/${id}/_files/small`, {
      bytes: "0123456789",
      token: tokens.ann,
    });
    expect([large.status, code(large)]).toEqual([403, "forbidden"]);
    const small = await vault.bring("POST", `papers/${id}/_files/small`, {
      bytes: "01234",
      token: tokens.ann,
    });
    expect(small.status).toBe(201);
  });

  it("the scopes of a key hold for files", async () => {
    const { id, path } = await paper();
    const reader = await vault.key({ name: "reader", scopes: { read: ["main/papers"] } });
    expect((await vault.bring("GET", path, { token: reader })).status).toBe(200);
    const refused = await vault.bring("POST", `papers/${id}/_files/hidden`, { bytes: "x", token: reader });
    expect([refused.status, code(refused)]).toEqual([403, "forbidden"]);
  });
});

describe("Administrators", () => {
  it("have the same routes past the rules; uploads and removals are audited with name, type and size", async () => {
    const { id, file } = await paper();
    const { token } = await vault.person("lib@example.com", "librarian");
    const base = `/v1/shop/_admin/data/main/papers/${id}/_files/scan`;
    const got = await vault.bring("GET", `${base}/${file}`, { token });
    expect([got.status, got.headers.get("cache-control")]).toEqual([200, "no-store"]);
    const headers = { "x-svc-filename": "new.txt", "content-type": "text/plain" };
    const brought = await vault.bring("POST", `${base}?replace=true`, {
      bytes: "of the library",
      token,
      headers,
    });
    expect(brought.status).toBe(201);
    expect((await vault.bring("DELETE", `${base}/${brought.body["id"]}`, { token })).status).toBe(204);
    const told = { field: "scan", file: brought.body["id"], name: "new.txt", type: "text/plain", size: 14 };
    expect((await vault.audit()).slice(-2)).toMatchObject([
      { action: "data.upload", target: `document:main/papers/${id}`, details: { ...told, version: 3 } },
      { action: "data.remove_file", target: `document:main/papers/${id}`, details: { ...told, version: 4 } },
    ]);
    expect((await vault.bring("GET", `${base}/${file}`, { token: tokens.ann })).status).toBe(403);
  });
});
