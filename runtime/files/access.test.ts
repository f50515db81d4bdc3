/** Rules hold for bytes as for documents. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { code, collection, fields, text } from "../documents/testing/shop.ts";
import { eq } from "../filter/algebra.ts";
import type { ReadRule } from "../realm/rule.ts";
import { allowed, byCaller } from "../rules/index.ts";
import { fileField, sha256, startVault, type Vault } from "./testing/vault.ts";

const own: ReadRule = {
  filter: ({ user }) => eq(fields.owner, user?.email),
  check: ({ user }, document) => user !== undefined && document["owner"] === user.email,
};
const ofBoss = byCaller(({ user }) => user?.email === "boss@example.com");
const papers = collection("papers", {
  files: [
    fileField("scan"),
    fileField("hidden", { upload: "direct" }),
    fileField("sealed", { upload: "direct" }),
    fileField("small"),
    fileField("sent", { upload: "direct" }),
    fileField("film", { upload: "resumable" }),
    fileField("secret", { upload: "resumable" }),
    fileField("kept", { upload: "resumable" }),
  ],
  rules: { create: allowed, read: own, update: own, delete: own },
  fieldRules: [
    { path: ["hidden"], read: ofBoss },
    { path: ["sealed"], write: ofBoss },
    { path: ["secret"], read: ofBoss },
    { path: ["kept"], write: ofBoss },
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
  files: [fileField("scan"), fileField("film", { upload: "resumable" })],
  rules: { create: allowed, read: allowed, update: byCaller(({ user }) => user !== undefined) },
  publicMaxAge: 60,
});

const origin = "https://app.example.com";
let vault: Vault;
const tokens = { ann: "", eve: "", boss: "" };
beforeAll(async () => {
  vault = await startVault("enabled", [papers, open], {}, { definition: { origins: [origin] } });
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

describe("Direct uploads", () => {
  const bytes = "sent past the routes";
  const claim = JSON.stringify({
    name: "a.txt",
    type: "text/plain",
    size: bytes.length,
    sha256: sha256(bytes),
  });
  const headers = { "content-type": "application/json" };
  const begin = (base: string, token?: string) =>
    vault.bring("POST", `${base}/_uploads`, { bytes: claim, headers, ...(token !== undefined && { token }) });
  async function sent(base: string, token: string): Promise<string> {
    const { body } = await begin(base, token);
    expect((await vault.bring("PUT", text(body, "url"), { bytes })).status).toBe(204);
    return `${base}/_uploads/${text(body, "upload")}/complete`;
  }

  it("are begun by who may update the document and the field: 404, 403 and 401 as for others", async () => {
    const { id } = await paper();
    const at = (field: string) => `papers/${id}/_files/${field}`;
    expect((await begin(at("sent"), tokens.eve)).status).toBe(404);
    expect((await begin(at("sent"))).status).toBe(401);
    expect((await begin(at("hidden"), tokens.ann)).status).toBe(404);
    const sealed = await begin(at("sealed"), tokens.ann);
    expect([sealed.status, code(sealed)]).toEqual([403, "forbidden"]);
    expect((await begin(at("sent"), tokens.ann)).status).toBe(201);
  });

  it("are completed by whoever began them, who may still change the document then", async () => {
    const { id } = await paper();
    const base = `papers/${id}/_files/sent`;
    const path = await sent(base, tokens.ann);
    const key = await vault.key({ name: "other" });
    for (const token of [tokens.eve, tokens.boss, key])
      expect((await vault.bring("POST", path, { token })).status).toBe(404);
    const body = { title: "b", owner: "eve@example.com" };
    await vault.send("PUT", `papers/${id}`, { body, token: key });
    expect((await vault.bring("POST", path, { token: tokens.ann })).status).toBe(404);
    await vault.send("PUT", `papers/${id}`, { body: { ...body, owner: "ann@example.com" }, token: key });
    const done = await vault.bring("POST", path, { token: tokens.ann });
    expect(done).toMatchObject({ status: 201, body: { name: "a.txt", type: "text/plain" } });
    // What was answered is for those who may read the document.
    await vault.send("PUT", `papers/${id}`, { body, token: key });
    expect((await vault.bring("POST", path, { token: tokens.ann })).status).toBe(404);
  });

  it("of administrators pass the rules, are audited, and are completed on the way that they began", async () => {
    const { id } = await paper();
    const { token } = await vault.person("keeper@example.com", "librarian");
    const base = `/v1/shop/_admin/data/main/papers/${id}/_files/sealed`;
    const path = await sent(base, token);
    const own = path.replace("/v1/shop/_admin/data/main/", "");
    expect((await vault.bring("POST", own, { token })).status).toBe(404);
    const done = await vault.bring("POST", path, { token });
    expect(done.status).toBe(201);
    expect((await vault.audit()).at(-1)).toMatchObject({
      action: "data.upload",
      details: { field: "sealed", file: done.body["id"], name: "a.txt", size: bytes.length },
    });
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

describe("Resumable uploads", () => {
  const tus = { "tus-resumable": "1.0.0" };
  const part = { ...tus, "content-type": "application/offset+octet-stream" };
  const create = (at: string, token?: string) =>
    vault.bring("POST", at, {
      headers: { ...tus, "upload-length": "10" },
      ...(token !== undefined && { token }),
    });
  const send = (at: string, offset: number, token?: string) =>
    vault.bring("PATCH", at, {
      bytes: "01234",
      headers: { ...part, "upload-offset": String(offset) },
      ...(token !== undefined && { token }),
    });

  it("are begun by who may update the document and the field, and not told of to whom these are hidden", async () => {
    const { id } = await paper();
    const at = (field: string) => `papers/${id}/_files/${field}/_tus`;
    for (const [path, token, expected] of [
      [at("film"), tokens.eve, [404, "not_found"]],
      [at("film"), undefined, [401, "unauthenticated"]],
      [at("secret"), tokens.ann, [404, "not_found"]],
      ["papers/nobody/_files/film/_tus", tokens.ann, [404, "not_found"]],
    ] as const) {
      const refused = await create(path, token);
      expect([path, refused.status, code(refused)]).toEqual([path, ...expected]);
      expect(refused.headers.get("tus-resumable")).toBe("1.0.0");
    }
    expect((await create(at("film"), "forged")).status).toBe(401);
    expect((await create(at("film"), tokens.ann)).status).toBe(201);
    const refused = await create(at("kept"), tokens.ann);
    expect([refused.status, code(refused)]).toEqual([403, "forbidden"]);
    expect((await vault.send("GET", `papers/${id}`, { token: tokens.ann })).body).not.toHaveProperty("kept");
  });

  it("go on by who began them alone, and on the way they were begun", async () => {
    const id = await vault.made("open", {}, "", tokens.ann);
    const begun = await create(`open/${id}/_files/film/_tus`, tokens.ann);
    const path = begun.headers.get("location") ?? "";
    const key = await vault.key({ name: "mover" });
    for (const token of [tokens.eve, tokens.boss, key]) {
      for (const method of ["HEAD", "GET", "DELETE"])
        expect((await vault.bring(method, path, { headers: tus, token })).status).toBe(404);
      expect((await send(path, 0, token)).status).toBe(404);
    }
    expect((await send(path, 0)).status).toBe(401);
    const other = path.replace("/shop/main/", "/shop/_admin/data/main/");
    const administrator = await vault.key({ name: "superior", admin: true });
    expect((await vault.bring("GET", other, { token: administrator })).status).toBe(404);
    expect((await send(path, 0, tokens.ann)).status).toBe(204);
    expect((await send(path, 5, tokens.ann)).status).toBe(204);
    const { film } = (await vault.send("GET", `open/${id}`)).body;
    expect(film).toMatchObject({ size: 10, created_by: expect.stringMatching(/^user:/) });
    // Administrators have their own, past the rules.
    const { id: of } = await paper();
    const past = await create(`/v1/shop/_admin/data/main/papers/${of}/_files/kept/_tus`, administrator);
    expect(past.headers.get("location")).toMatch(
      new RegExp(`^/v1/shop/_admin/data/main/papers/${of}/_files/kept/_tus/`),
    );
    const at = past.headers.get("location") ?? "";
    expect((await send(at, 0, administrator)).status).toBe(204);
    expect((await send(at, 5, administrator)).status).toBe(204);
  });

  it("end where the rule no longer lets: at the last bytes it is asked once more", async () => {
    const { id } = await paper();
    const path = (await create(`papers/${id}/_files/film/_tus`, tokens.ann)).headers.get("location") ?? "";
    expect((await send(path, 0, tokens.ann)).status).toBe(204);
    const key = await vault.key({ name: "giver" });
    await vault.send("PATCH", `papers/${id}`, { body: { owner: "eve@example.com" }, token: key });
    for (const method of ["HEAD", "DELETE"])
      expect((await vault.bring(method, path, { headers: tus, token: tokens.ann })).status).toBe(404);
    expect((await send(path, 5, tokens.ann)).status).toBe(404);
    expect((await vault.send("GET", `papers/${id}`, { token: key })).body).not.toHaveProperty("film");
  });

  it("are judged by the method that X-HTTP-Method-Override names, cookies and their origin among it", async () => {
    const { id } = await paper();
    const path = (await create(`papers/${id}/_files/film/_tus`, tokens.ann)).headers.get("location") ?? "";
    const cookie = (token: string) => ({ cookie: `svc_session_shop=${token}` });
    const override = (headers: Readonly<Record<string, string>>) =>
      vault.bring("POST", path, { headers: { ...tus, ...headers, "x-http-method-override": "DELETE" } });
    for (const [headers, expected] of [
      [{}, [401, "unauthenticated"]],
      [cookie(tokens.ann), [403, "forbidden"]],
      [{ ...cookie(tokens.ann), origin: "https://evil.example.com" }, [403, "forbidden"]],
      [{ ...cookie(tokens.eve), origin }, [404, "not_found"]],
    ] as const) {
      const refused = await override(headers);
      expect([refused.status, code(refused)], JSON.stringify(headers)).toEqual(expected);
    }
    expect((await vault.bring("GET", path, { token: tokens.ann })).status).toBe(200);
    expect((await override({ ...cookie(tokens.ann), origin })).status).toBe(204);
    expect((await vault.bring("GET", path, { token: tokens.ann })).status).toBe(404);
  });
});
