/** Requests to a file field that there is none of. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { code, collection, text } from "../documents/testing/shop.ts";
import { allowed, byCaller, denied } from "../rules/index.ts";
import { fileField, startVault, type Vault } from "./testing/vault.ts";

const ofBoss = byCaller(({ user }) => user?.email === "boss@example.com");
const rules = { create: allowed, read: byCaller(({ user }) => user !== undefined), update: allowed };
const papers = collection("papers", {
  files: [fileField("scan"), fileField("film", { upload: "resumable" }), fileField("secret")],
  rules,
  fieldRules: [{ path: ["secret"], read: ofBoss }],
});
const closed = collection("closed", { files: [fileField("scan")], rules: { ...rules, read: denied } });
const bare = collection("bare", { rules });

const nothing = "There is nothing at this address.";
let vault: Vault;
const tokens = { ann: "", boss: "" };
beforeAll(async () => {
  vault = await startVault("enabled", [papers, closed, bare]);
  for (const name of ["ann", "boss"] as const)
    tokens[name] = (await vault.signUp(`${name}@example.com`)).token;
});
afterAll(() => vault.stop());

async function told(method: string, path: string, token?: string): Promise<string> {
  const answer = await vault.bring(method, path, {
    ...(method === "POST" && { bytes: "x" }),
    ...(token !== undefined && { token }),
  });
  expect([answer.status, code(answer)]).toEqual([404, "not_found"]);
  return text(answer.body, "error", "message");
}

describe("A file field that the collection does not declare", () => {
  it.each([
    ["POST", "papers/x/_files/scna"],
    ["GET", "papers/x/_files/constructor"],
    ["GET", "papers/x/_files/scna/some-file"],
    ["DELETE", "papers/x/_files/scna/some-file"],
    ["POST", "papers/x/_files/scna/_uploads"],
    ["POST", "papers/x/_files/scna/_tus"],
  ])("%s %s is 404 and names the fields that there are", async (method, path) => {
    const message = "There is no such file field; files here are in 'scan' or 'film'.";
    expect(await told(method, path, tokens.ann)).toBe(message);
  });

  it("has no methods: a preflight is 404, as everywhere that nothing is; a declared field has its own", async () => {
    expect((await vault.bring("OPTIONS", "papers/x/_files/scna")).status).toBe(404);
    const wrong = await vault.bring("PUT", "papers/x/_files/scan", { token: tokens.ann });
    expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST, OPTIONS"]);
  });

  it("names hidden fields only to whom they are shown, and to administrators", async () => {
    const all = "There is no such file field; files here are in 'scan', 'film' or 'secret'.";
    expect(await told("POST", "papers/x/_files/scna", tokens.boss)).toBe(all);
    const admin = await vault.key({ name: "data", admin: ["data"] });
    expect(await told("POST", "../_admin/data/main/papers/x/_files/scna", admin)).toBe(all);
  });

  it("names none to who may read nothing there, and of collections without files", async () => {
    expect(await told("POST", "papers/x/_files/scna")).toBe(nothing);
    expect(await told("POST", "closed/x/_files/scna", tokens.ann)).toBe(nothing);
    expect(await told("POST", "bare/x/_files/scna", tokens.ann)).toBe(nothing);
  });
});
