import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { code, collection, text } from "../documents/testing/shop.ts";
import { isJsonObject } from "../json.ts";
import { allowed, byCaller } from "../rules/index.ts";
import { fileField, startVault, type Vault } from "./testing/vault.ts";

const everyone = { create: allowed, read: allowed, update: allowed, delete: allowed };
const boss = byCaller(({ user }) => user?.email === "boss@example.com");
const papers = collection("papers", {
  files: [fileField("scan"), fileField("pages", { maxFiles: 3 }), fileField("secret")],
  fieldRules: [{ path: ["secret"], read: boss }],
  rules: everyone,
  publicMaxAge: 60,
});
const plain = collection("plain", { rules: everyone });

let vault: Vault;
let token = "";
let bossToken = "";
beforeAll(async () => {
  vault = await startVault("enabled", [papers, plain]);
  token = (await vault.signUp("ann@example.com")).token;
  bossToken = (await vault.signUp("boss@example.com")).token;
});
afterAll(() => vault.stop());

async function linked(): Promise<{ id: string; url: string; bytes: Buffer; file: string }> {
  const id = await vault.made("papers", {}, "", token);
  const bytes = Buffer.from(`of ${id}`);
  const file = await vault.uploaded(`papers/${id}/_files/scan`, 0, { bytes, token });
  const { body } = await vault.send("GET", `papers/${id}?file_links=true`, { token });
  return { id, url: text(body, "scan", "url"), bytes, file: text(file, "id") };
}

describe("Links to files", () => {
  it("stand in documents and lists that ask for them, which nobody keeps", async () => {
    const { id, url, bytes } = await linked();
    expect(url).toMatch(/^\/v1\/shop\/_files\/[\w-]+$/);
    const got = await vault.send("GET", `papers/${id}?file_links=true`, { token });
    expect([got.tag, got.headers.get("cache-control")]).toEqual(['"2"', "private, no-store"]);
    const again = await vault.send("GET", `papers/${id}?file_links=true`, {
      headers: { "if-none-match": '"2"' },
    });
    expect([again.status, again.headers.get("cache-control")]).toEqual([200, "private, no-store"]);
    const list = await vault.send("GET", `papers?file_links=true&where={"id":"${id}"}`);
    const items = list.body["items"];
    const [first] = Array.isArray(items) ? items.filter(isJsonObject) : [];
    expect(first === undefined ? "" : text(first, "scan", "url")).toMatch(/^\/v1\/shop\/_files\//);
    expect(list.headers.get("cache-control")).toBe("private, no-store");
    const fetched = await vault.bring("GET", url);
    expect(fetched.status).toBe(200);
    expect(fetched.bytes.equals(bytes)).toBe(true);
    expect(Object.fromEntries(fetched.headers)).toMatchObject({
      "cache-control": "private, max-age=600",
      "content-security-policy": "sandbox",
      "x-content-type-options": "nosniff",
    });
    expect((await vault.bring("GET", url, { headers: { range: "bytes=0-1" } })).bytes.toString()).toBe("of");
  });

  it("none is made where none is asked for, of what is hidden, and in collections without files", async () => {
    const { id } = await linked();
    expect(Object.keys((await vault.send("GET", `papers/${id}`)).body["scan"] ?? {})).not.toContain("url");
    await vault.uploaded(`papers/${id}/_files/secret`, 5, { token: bossToken });
    const seen = await vault.send("GET", `papers/${id}?file_links=true`, { token });
    expect(Object.keys(seen.body)).not.toContain("secret");
    const boss = await vault.send("GET", `papers/${id}?file_links=true`, { token: bossToken });
    expect(text(boss.body, "secret", "url")).toMatch(/_files/);
    for (const query of [
      "plain?file_links=true",
      `papers/${id}?file_links=1`,
      `papers/${id}?file_links=true&version=thumb`,
    ]) {
      const refused = await vault.send("GET", query);
      expect([refused.status, code(refused)]).toEqual([400, "invalid_query"]);
    }
  });

  it("end after ten minutes: 403 invalid_file_link", async () => {
    const { url } = await linked();
    vault.clock.advance(599_000);
    expect((await vault.bring("GET", url)).status).toBe(200);
    vault.clock.advance(1_000);
    const over = await vault.bring("GET", url);
    expect([over.status, code(over)]).toEqual([403, "invalid_file_link"]);
  });

  it("with any bit flipped lead nowhere: 403 invalid_file_link", async () => {
    const { url } = await linked();
    const at = url.lastIndexOf("/") + 1;
    const signed = Buffer.from(url.slice(at), "base64url");
    const flips = Array.from({ length: signed.length * 8 }, (_, bit) => {
      const changed = Buffer.from(signed);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      return `${url.slice(0, at)}${changed.toString("base64url")}`;
    });
    for (const other of [...flips, `${url}A`, url.slice(0, -1), `${url.slice(0, at)}x`]) {
      const answer = await vault.bring("GET", other);
      expect([answer.status, code(answer)]).toEqual([403, "invalid_file_link"]);
    }
  });

  it("are bound to the content, and end with the file and its document: 404", async () => {
    const one = await linked();
    await vault.bring("POST", `papers/${one.id}/_files/scan?replace=true`, { bytes: "other", token });
    expect((await vault.bring("GET", one.url)).status).toBe(404);
    const two = await linked();
    await vault.bring("DELETE", `papers/${two.id}/_files/scan/${two.file}`, { token });
    expect((await vault.bring("GET", two.url)).status).toBe(404);
    const three = await linked();
    await vault.send("DELETE", `papers/${three.id}`, { token });
    expect((await vault.bring("GET", three.url)).status).toBe(404);
  });
});
