/** Versions of images as bytes: made once, of what can be made, gone with their image, and what a configuration makes of them. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { BlobStore } from "../blobs/store.ts";
import { code, collection, text } from "../documents/testing/shop.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import type { ImageVersion } from "../realm/files.ts";
import { allowed } from "../rules/index.ts";
import { testPlace } from "../store/testing/stores.ts";
import { until } from "../testing/until.ts";
import { specHash } from "./content/images.ts";
import { honestBytes, onDisk } from "./content/testing/files.ts";
import { pngOf } from "./content/testing/hostile.ts";
import { declaredVersion } from "./declared.ts";
import {
  type Bytes,
  bytesBelow,
  pictured,
  settled,
  sizeOf,
  statesOf,
  thumb,
  wide,
} from "./testing/pictures.ts";
import { fileField, startVault, type Vault } from "./testing/vault.ts";
import { Versions } from "./versions.ts";

const everyone = { create: allowed, read: allowed, update: allowed, delete: allowed };
const pictures = collection("pictures", {
  files: [fileField("cover", { versions: { thumb, wide } })],
  rules: everyone,
});

let vault: Vault;
let bytes: Bytes;
beforeAll(async () => {
  vault = await startVault("disabled", [pictures]);
  bytes = await bytesBelow(vault.folder);
});
afterAll(async () => {
  await bytes.blobs.close();
  await vault.stop();
});

const keyOf = (sha256: string, version: ImageVersion) => `${sha256}/${specHash(version)}`;
const spooled = async () =>
  (await vault.lying()).filter((name) => !/^[0-9a-f]{64}$|^[0-9a-f]{16}$/.test(name));

/** Waits for a sweep of an image with its versions: the server makes one, too. */
async function swept(sha256: string): Promise<void> {
  await vault.swept();
  await until(async () => {
    for (const key of [sha256, keyOf(sha256, thumb), keyOf(sha256, wide)])
      expect(await bytes.blobs.size(key)).toBeUndefined();
  });
}

describe("The life of versions", () => {
  it("they go with the bytes of their image, when a sweep removes them", async () => {
    const { path, sha256 } = await settled(vault);
    for (const version of [thumb, wide])
      expect(await bytes.blobs.size(keyOf(sha256, version))).toBeGreaterThan(0);
    expect((await vault.bring("DELETE", path)).status).toBe(204);
    await swept(sha256);
  });

  it("when its document is removed for good, they go with their image; where another document has it, they stay", async () => {
    const first = await settled(vault);
    const image = (await vault.bring("GET", first.path)).bytes;
    const second = await pictured(vault, "cover", image);
    expect(second.sha256).toBe(first.sha256);
    await vault.send("DELETE", `pictures/${first.id}`);
    await vault.swept();
    expect((await vault.bring("GET", `${second.path}?version=thumb`)).status).toBe(200);
    await vault.send("DELETE", `pictures/${second.id}`);
    await swept(first.sha256);
  });

  it("none is made of an image that nothing names any more", async () => {
    const { path, sha256 } = await settled(vault);
    await vault.bring("DELETE", path);
    await bytes.blobs.remove([keyOf(sha256, thumb)]);
    const versions = new Versions({ store: vault.store("shop") }, bytes);
    const image = { sha256, type: "image/png" };
    await expect(versions.want(image, declaredVersion(thumb))).rejects.toThrow(
      `no bytes are stored under ${sha256}`,
    );
    expect(await bytes.blobs.size(keyOf(sha256, thumb))).toBeUndefined();
  });

  it("equal requests in flight make one rendering", async () => {
    const { sha256 } = await settled(vault);
    await bytes.blobs.remove([keyOf(sha256, thumb), keyOf(sha256, wide)]);
    const [read, written]: [string[], string[]] = [[], []];
    // As a storage that is elsewhere.
    const blobs: BlobStore = {
      ...bytes.blobs,
      size: (key) => bytes.blobs.size(key),
      open(key, ...given) {
        read.push(key);
        return bytes.blobs.open(key, ...given);
      },
      async put(key, ...given) {
        written.push(key);
        await bytes.blobs.put(key, ...given);
      },
    };
    const versions = new Versions({ store: vault.store("shop") }, { ...bytes, blobs });
    const image = { sha256, type: "image/png" };
    const asked = Array.from({ length: 40 }, (_, at) =>
      versions.want(image, declaredVersion(at % 2 === 0 ? thumb : wide)),
    );
    expect(new Set((await Promise.all(asked)).map((made) => made !== "failed" && made.key))).toEqual(
      new Set([keyOf(sha256, thumb), keyOf(sha256, wide)]),
    );
    expect(read).toEqual([sha256, sha256]);
    expect(written.sort()).toEqual([keyOf(sha256, thumb), keyOf(sha256, wide)].sort());
  });
});

describe("What no version can be made of", () => {
  const png = honestBytes("inkscape.png");
  it.each([
    ["a decompression bomb", pngOf(50_000_001, 1, Buffer.alloc(50_000_002))],
    ["50,000 by 50,000 pixels", pngOf(50_000, 50_000, Buffer.alloc(1_000_000))],
    ["a truncated image", png.subarray(0, png.length / 2)],
  ])(
    "%s: refused as an upload; where it is stored, its versions are failed; nothing is left",
    async (_, hostile) => {
      const id = await vault.made("pictures");
      const refused = await vault.bring("POST", `pictures/${id}/_files/cover`, { bytes: hostile });
      expect([refused.status, code(refused)]).toEqual([422, "invalid_image"]);
      expect(await spooled()).toEqual([]);

      // As it may lie there from times when more was taken.
      const { id: taken, path, sha256 } = await settled(vault);
      await bytes.blobs.remove([keyOf(sha256, thumb), keyOf(sha256, wide)]);
      await bytes.blobs.put(sha256, onDisk(hostile, bytes.spool), "image/png");
      for (const version of ["wide", "thumb"]) {
        const answer = await vault.bring("GET", `${path}?version=${version}`);
        expect([version, answer.status, code(answer)]).toEqual([version, 404, "version_unavailable"]);
      }
      expect(await statesOf(vault, taken, "cover")).toEqual({ thumb: "failed", wide: "failed" });
      expect(await spooled()).toEqual([]);
      for (const version of [thumb, wide]) expect(await bytes.blobs.size(keyOf(sha256, version))).toBe(0);
    },
  );
});

describe("Versions that the configuration changes", () => {
  const withVersions = (versions?: Readonly<Record<string, ImageVersion>>): CollectionDefinition =>
    collection("pictures", { files: [fileField("cover", versions && { versions })], rules: everyone });

  it("new and changed ones are made of old images when they are asked for, those left out are none", async () => {
    const place = testPlace();
    const settings = { data: join(vault.folder, "moving"), store: place.location };
    const start = (versions?: Readonly<Record<string, ImageVersion>>) =>
      startVault("disabled", [withVersions(versions)], {}, { settings });
    const widthOf = async (server: Vault, path: string) =>
      (await sizeOf((await server.bring("GET", path)).bytes)).width;
    const linked = async (server: Vault, id: string, version: string) => {
      const { body } = await server.send("GET", `pictures/${id}?file_links=true&version=${version}`);
      return text(body, "cover", "url");
    };

    let server = await start();
    const { id, path, file } = await pictured(server, "cover");
    expect(file).not.toHaveProperty("versions");
    const at = (version: string) => `${path}?version=${version}`;
    await server.stop();

    // New: the document says nothing of it, and its link makes it.
    server = await start({ thumb });
    expect(await widthOf(server, await linked(server, id, "thumb"))).toBe(20);
    expect(await widthOf(server, at("thumb"))).toBe(20);
    const { body, tag } = await server.send("GET", `pictures/${id}`);
    expect([body["cover"], tag]).toEqual([file, '"2"']);
    const later = await pictured(server, "cover");
    await until(async () => expect(await statesOf(server, later.id, "cover")).toEqual({ thumb: "ready" }));
    await server.stop();

    // Changed: made anew.
    server = await start({ thumb: { ...thumb, width: 10 } });
    for (const one of [at("thumb"), `${later.path}?version=thumb`])
      expect(await widthOf(server, one)).toBe(10);
    expect(await widthOf(server, await linked(server, later.id, "thumb"))).toBe(10);
    await server.stop();

    // Another one: what documents say of the first is of no use, and nobody reads it.
    server = await start({ wide });
    const refused = await server.bring("GET", `${later.path}?version=thumb`);
    expect([refused.status, code(refused)]).toEqual([404, "version_unavailable"]);
    expect((await server.send("GET", `pictures/${later.id}?file_links=true&version=thumb`)).status).toBe(400);
    expect(await widthOf(server, `${later.path}?version=wide`)).toBe(30);
    expect(await statesOf(server, later.id, "cover")).toEqual({ thumb: "ready" });
    await server.stop();
    await place.discard();
  });
});
