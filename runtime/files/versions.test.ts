import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { code, collection, text } from "../documents/testing/shop.ts";
import { allowed, byCaller } from "../rules/index.ts";
import { until } from "../testing/until.ts";
import { specHash } from "./content/images.ts";
import { onDisk } from "./content/testing/files.ts";
import {
  type Bytes,
  bytesBelow,
  picture,
  pictured,
  settled,
  sizeOf,
  statesOf,
  thumb,
  wide,
} from "./testing/pictures.ts";
import { fileField, startVault, type Vault } from "./testing/vault.ts";

const boss = byCaller(({ user }) => user?.email === "boss@example.com");
const everyone = { create: allowed, read: allowed, update: allowed, delete: allowed };
const pictures = collection("pictures", {
  files: [
    fileField("cover", { versions: { thumb, wide } }),
    fileField("prints", { maxFiles: 3, versions: { wide } }),
    fileField("scan"),
  ],
  rules: everyone,
});
const guarded = collection("guarded", {
  files: [fileField("secret", { versions: { thumb } })],
  fieldRules: [{ path: ["secret"], read: boss }],
  rules: everyone,
});

let vault: Vault;
let bytes: Bytes;
let bossToken = "";
beforeAll(async () => {
  vault = await startVault("enabled", [pictures, guarded]);
  bytes = await bytesBelow(vault.folder);
  bossToken = (await vault.signUp("boss@example.com")).token;
});
afterAll(async () => {
  await bytes.blobs.close();
  await vault.stop();
});

describe("Versions of images", () => {
  it("are made after the upload, which changes no version of the document and no other member", async () => {
    const id = await vault.made("pictures");
    const answer = await vault.bring("POST", `pictures/${id}/_files/cover`, { bytes: await picture() });
    expect(answer.body["versions"]).toEqual({ thumb: "pending", wide: "pending" });
    await until(async () =>
      expect(await statesOf(vault, id, "cover")).toEqual({ thumb: "ready", wide: "ready" }),
    );
    const { body } = await vault.send("GET", `pictures/${id}`);
    expect(body).toMatchObject({ id, title: "a", _meta: { version: 2 } });
    expect(body["cover"]).toEqual({ ...answer.body, versions: { thumb: "ready", wide: "ready" } });
  });

  it("the document's entity tag tells that they are not ready, and guards writes by its version", async () => {
    const id = await vault.made("pictures");
    const sent = { bytes: await picture() };
    const { headers } = await vault.bring("POST", `pictures/${id}/_files/cover`, sent);
    const pending = headers.get("etag") ?? "";
    expect(pending).toMatch(/^"2\.v[0-9a-f]{8}"$/);
    await until(async () => expect((await vault.send("GET", `pictures/${id}`)).tag).toBe('"2"'));
    const ask = (tag: string) =>
      vault.send("GET", `pictures/${id}`, { headers: { "if-none-match": tag } }).then(({ status }) => status);
    expect([await ask(pending), await ask('"2"')]).toEqual([200, 304]);
    const headersOf = { "if-match": pending };
    const patched = await vault.send("PATCH", `pictures/${id}`, { body: { title: "b" }, headers: headersOf });
    expect([patched.status, patched.tag]).toEqual([200, '"3"']);
    expect(await statesOf(vault, id, "cover")).toEqual({ thumb: "ready", wide: "ready" });
  });

  it("are downloaded as files are: their size, type, entity tag, ranges and conditions", async () => {
    const { path, sha256 } = await settled(vault);
    const got = await vault.bring("GET", `${path}?version=thumb`);
    expect([got.status, got.headers.get("content-type")]).toEqual([200, "image/png"]);
    expect(await sizeOf(got.bytes)).toEqual({ format: "png", width: 20, height: 20 });
    const etag = `"${sha256}.${specHash(thumb)}"`;
    expect(got.headers.get("etag")).toBe(etag);
    expect(got.headers.get("content-security-policy")).toBe("sandbox");
    const wider = await vault.bring("GET", `${path}?version=wide`);
    expect(await sizeOf(wider.bytes)).toEqual({ format: "png", width: 30, height: 20 });
    const again = await vault.bring("GET", `${path}?version=thumb`, { headers: { "if-none-match": etag } });
    expect(again.status).toBe(304);
    const part = await vault.bring("GET", `${path}?version=thumb`, { headers: { range: "bytes=1-3" } });
    expect([part.status, part.bytes.toString()]).toEqual([206, "PNG"]);
    const head = await vault.bring("HEAD", `${path}?version=thumb`);
    expect(head.headers.get("content-length")).toBe(String(got.bytes.length));
  });

  it("that are gone, or were never made, are made for the first who wants one", async () => {
    const { path, sha256 } = await settled(vault);
    const first = await vault.bring("GET", `${path}?version=thumb`);
    await bytes.blobs.remove([`${sha256}/${specHash(thumb)}`]);
    const second = await vault.bring("GET", `${path}?version=thumb`);
    expect(second.status).toBe(200);
    expect(second.bytes.equals(first.bytes)).toBe(true);
    expect(await bytes.blobs.size(`${sha256}/${specHash(thumb)}`)).toBe(first.bytes.length);
  });

  it("which cannot be made are failed: 404 version_unavailable, and the document says so", async () => {
    const { id, path, sha256 } = await settled(vault);
    await bytes.blobs.remove([`${sha256}/${specHash(thumb)}`]);
    await bytes.blobs.put(sha256, onDisk("no picture at all", bytes.spool), "image/png");
    for (let time = 0; time < 2; time += 1) {
      const refused = await vault.bring("GET", `${path}?version=thumb`);
      expect([refused.status, code(refused)]).toEqual([404, "version_unavailable"]);
    }
    expect(await statesOf(vault, id, "cover")).toEqual({ thumb: "failed", wide: "ready" });
    const { tag } = await vault.send("GET", `pictures/${id}`);
    expect(tag).toMatch(/^"2\.v[0-9a-f]{8}"$/);
    const { body } = await vault.send("GET", `pictures/${id}?file_links=true&version=thumb`);
    expect(body["cover"]).toMatchObject({ url: null });
  });

  it("that the field does not declare, or of what is no image: 404 version_unavailable", async () => {
    const { path } = await settled(vault);
    const scan = await pictured(vault, "scan");
    const id = await vault.made("pictures");
    const words = await vault.uploaded(`pictures/${id}/_files/cover`, 0, { bytes: "words" });
    expect(words).not.toHaveProperty("versions");
    for (const at of [
      `${path}?version=large`,
      `${path}?version=toString`,
      `${path}?version=`,
      `${scan.path}?version=thumb`,
      `pictures/${id}/_files/cover/${text(words, "id")}?version=thumb`,
    ]) {
      const refused = await vault.bring("GET", at);
      expect([at, refused.status, code(refused)]).toEqual([at, 404, "version_unavailable"]);
    }
  });

  it("of a field that is hidden are 404 as the file is, and tell the tag of nobody else", async () => {
    const id = await vault.made("guarded");
    const at = `guarded/${id}/_files/secret`;
    const file = await vault.uploaded(at, 0, { bytes: await picture(), token: bossToken });
    const tagOf = async (token?: string) =>
      (await vault.send("GET", `guarded/${id}`, token === undefined ? {} : { token })).tag;
    expect(await tagOf()).toMatch(/^"2\.r[0-9a-f]{8}"$/);
    await until(async () => expect(await tagOf(bossToken)).toBe('"2"'));
    const path = `${at}/${text(file, "id")}?version=thumb`;
    expect((await vault.bring("GET", path, { token: bossToken })).status).toBe(200);
    const refused = await vault.bring("GET", path);
    expect([refused.status, code(refused)]).toEqual([404, "not_found"]);
  });

  it("equal ones are stored once, whichever documents name the image", async () => {
    const image = await picture();
    const [one, two] = [await vault.made("pictures"), await vault.made("pictures")];
    const first = await vault.uploaded(`pictures/${one}/_files/cover`, 0, { bytes: image });
    await vault.uploaded(`pictures/${two}/_files/prints`, 0, { bytes: image });
    await until(async () => {
      expect(await statesOf(vault, one, "cover")).toEqual({ thumb: "ready", wide: "ready" });
      expect(await statesOf(vault, two, "prints")).toMatchObject([{ versions: { wide: "ready" } }]);
    });
    const sha256 = text(first, "sha256");
    const keys: string[] = [];
    for await (const { key } of bytes.blobs.list()) if (key.startsWith(sha256)) keys.push(key);
    const versions = [thumb, wide].map((version) => `${sha256}/${specHash(version)}`);
    expect(keys.sort()).toEqual([sha256, ...versions].sort());
  });
});

describe("Links to versions", () => {
  it("are in documents and lists that ask for one, null where it is not ready or not the field's", async () => {
    const { id } = await settled(vault);
    await vault.uploaded(`pictures/${id}/_files/prints`, 0, { bytes: await picture() });
    const pending = await vault.send("GET", `pictures/${id}?file_links=true&version=thumb`);
    expect(pending.body["prints"]).toMatchObject([{ url: null }]);
    const url = text(pending.body, "cover", "url");
    const got = await vault.bring("GET", url);
    expect([got.status, got.headers.get("cache-control")]).toEqual([200, "private, max-age=600"]);
    expect(await sizeOf(got.bytes)).toEqual({ format: "png", width: 20, height: 20 });
    const where = encodeURIComponent(JSON.stringify({ id }));
    const { body } = await vault.send("GET", `pictures?where=${where}&file_links=true&version=thumb`);
    expect(body["items"]).toMatchObject([
      { cover: { url: expect.stringMatching(/_files/) }, prints: [{ url: null }] },
    ]);
    for (const at of [`pictures/${id}`, "pictures"]) {
      const refused = await vault.send("GET", `${at}?file_links=true&version=large`);
      expect([refused.status, code(refused)]).toEqual([400, "invalid_query"]);
    }
  });
});
