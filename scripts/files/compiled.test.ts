/** Files of a compiled realm: every answer is held against its OpenAPI document. */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Started, startRealm } from "../../runtime/instance/testing/servers.ts";
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import { compileRealm } from "../compiled.ts";

const schema = JSON.stringify({
  type: "object",
  properties: { title: { type: "string" } },
  additionalProperties: false,
});
const collection = (files: string) => `files:\n  ${files}\n`;
const realm = () => "auth: disabled\nstorage: { driver: local }\n";

function writeTree(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

const config = mkdtempSync(join(tmpdir(), "realmc-config-"));
const data = mkdtempSync(join(tmpdir(), "realmc-data-"));
let server: Started;
beforeAll(async () => {
  writeTree(config, {
    "paper/realm.yaml": realm(),
    "paper/main/bills/schema.json": schema,
    "paper/main/bills/collection.yaml": collection(
      "scan: { accept: ['*/*'], max_size: 1MiB }\n  film: { accept: ['*/*'], max_size: 9MiB, upload: any }\n  photo: { accept: [image/png], versions: { thumb: { width: 20 } } }",
    ),
  });
  server = await startRealm(await compileRealm(config, "paper"), { settings: { data } });
});
afterAll(async () => {
  await server.stop();
  for (const folder of [config, data]) rmSync(folder, { recursive: true, force: true });
});

const bills = () => `${server.url}/v1/paper/main/bills`;
const objectOf = async (response: Response): Promise<JsonObject> => {
  const value: unknown = await response.json();
  return isJsonObject(value) ? value : {};
};

describe("Files of a compiled realm", () => {
  it("are uploaded, found, linked, downloaded and removed", async () => {
    const json = { "content-type": "application/json" };
    const made = await fetch(bills(), {
      method: "POST",
      headers: json,
      body: JSON.stringify({ title: "a" }),
    });
    const { id } = await objectOf(made);
    const headers = { "content-type": "text/plain", "x-svc-filename": "a.txt" };
    const uploaded = await fetch(`${bills()}/${id}/_files/scan`, { method: "POST", headers, body: "hello" });
    expect(uploaded.status).toBe(201);
    const file = await objectOf(uploaded);
    expect(file).toMatchObject({ name: "a.txt", type: "text/plain", size: 5 });
    const full = await fetch(`${bills()}/${id}/_files/scan`, { method: "POST", headers, body: "hello" });
    expect(full.status).toBe(409);
    const where = encodeURIComponent(JSON.stringify({ "scan.size": { $lt: 6 }, scan: { $notNull: true } }));
    expect(await objectOf(await fetch(`${bills()}?where=${where}`))).toMatchObject({
      items: [{ id, scan: file }],
    });
    const linked = await objectOf(await fetch(`${bills()}/${id}?file_links=true`));
    expect(linked["scan"]).toMatchObject({ url: expect.stringMatching(/^\/v1\/paper\/_files\//) });
    const at = `${bills()}/${id}/_files/scan/${file["id"]}`;
    const part = await fetch(at, { headers: { range: "bytes=1-3" } });
    expect([part.status, await part.text()]).toEqual([206, "ell"]);
    expect((await fetch(at, { method: "DELETE" })).status).toBe(204);
    expect((await fetch(at)).status).toBe(404);
  });

  it("images have the versions that their field declares", async () => {
    const headers = { "content-type": "application/json" };
    const { id } = await objectOf(await fetch(bills(), { method: "POST", headers, body: "{}" }));
    const body = await sharp({ create: { width: 60, height: 40, channels: 3, background: "#0b5" } })
      .png()
      .toBuffer();
    const sent = { method: "POST", headers: { "content-type": "image/png" }, body: new Blob([body]) };
    const uploaded = await fetch(`${bills()}/${id}/_files/photo`, sent);
    const file = await objectOf(uploaded);
    expect([uploaded.status, file["versions"]]).toEqual([201, { thumb: "pending" }]);
    const at = `${bills()}/${id}/_files/photo/${file["id"]}`;
    const thumb = await fetch(`${at}?version=thumb`);
    expect([thumb.status, (await sharp(await thumb.arrayBuffer()).metadata()).width]).toEqual([200, 20]);
    expect((await fetch(`${at}?version=large`)).status).toBe(404);
    expect((await fetch(`${bills()}?file_links=true&version=large`)).status).toBe(400);
  });
});

it("Files are sent to an address of their own, and completed, as the OpenAPI document says", async () => {
  const json = { "content-type": "application/json" };
  const post = (at: string, body?: object) =>
    fetch(at, {
      method: "POST",
      ...(body !== undefined && { headers: json, body: JSON.stringify(body) }),
    });
  const { id } = await objectOf(await post(bills(), { title: "a" }));
  const film = `${bills()}/${id}/_files/film/_uploads`;
  const bytes = Buffer.alloc(2_000_000, "film");
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  const claim = { name: "a.bin", type: "application/octet-stream", size: bytes.length, sha256 };
  const begun = await post(film, claim);
  expect(begun.status).toBe(201);
  const { upload, method, url } = await objectOf(begun);
  const complete = `${film}/${upload}/complete`;
  expect((await post(complete)).status).toBe(409);
  const sent = await fetch(`${server.url}${url}`, { method: `${method}`, body: new Blob([bytes]) });
  expect(sent.status).toBe(204);
  const done = await post(complete);
  expect(done.status).toBe(201);
  const file = await objectOf(done);
  expect(file).toMatchObject({ name: "a.bin", size: bytes.length, sha256 });
  const got = await fetch(`${bills()}/${id}/_files/film/${file["id"]}?redirect=true`);
  expect([got.status, Buffer.from(await got.arrayBuffer()).equals(bytes)]).toEqual([200, true]);
  expect((await post(`${bills()}/${id}/_files/scan/_uploads`, claim)).status).toBe(409);
});

it("Files are sent in pieces, as the OpenAPI document says", async () => {
  const json = { "content-type": "application/json" };
  const made = await fetch(bills(), { method: "POST", headers: json, body: JSON.stringify({ title: "a" }) });
  const { id } = await objectOf(made);
  const field = `${bills()}/${id}/_files/film/_tus`;
  const tus = { "tus-resumable": "1.0.0" };
  const said = { ...tus, "upload-length": "10", "upload-metadata": `filename ${btoa("a.bin")}` };
  const begun = await fetch(field, { method: "POST", headers: said });
  expect(begun.status).toBe(201);
  const upload = `${server.url}${begun.headers.get("location")}`;
  const send = (offset: number, bytes: string, more = {}) =>
    fetch(upload, {
      method: "PATCH",
      headers: {
        ...{ ...tus, "upload-offset": String(offset), ...more },
        "content-type": "application/offset+octet-stream",
      },
      body: bytes,
    });
  expect((await send(0, "0123")).status).toBe(204);
  expect((await fetch(upload, { method: "HEAD", headers: tus })).headers.get("upload-offset")).toBe("4");
  expect((await send(3, "3")).status).toBe(409);
  expect((await send(4, "4", { "upload-checksum": "sha1 AAAA" })).status).toBe(460);
  expect((await send(4, "4", { "tus-resumable": "0.1.0" })).status).toBe(412);
  expect((await send(4, "4567890")).status).toBe(413);
  const stands = await fetch(upload);
  expect(await objectOf(stands)).toMatchObject({ offset: 4, size: 10 });
  const done = await send(4, "456789");
  expect([done.status, done.headers.get("etag")]).toEqual([204, '"2"']);
  const { file } = await objectOf(await fetch(upload));
  expect(file).toMatchObject({ name: "a.bin", size: 10 });
  expect(await (await fetch(`${server.url}${done.headers.get("x-svc-file")}`)).text()).toBe("0123456789");
  expect((await fetch(upload, { method: "DELETE", headers: tus })).status).toBe(204);
  expect((await fetch(upload, { method: "HEAD", headers: tus })).status).toBe(404);
  expect((await fetch(`${bills()}/${id}/_files/scan/_tus`, { method: "POST", headers: said })).status).toBe(
    409,
  );
});
