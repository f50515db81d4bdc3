/** What documents say of versions is no write of theirs: who is told of it, and what it must not touch. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collection, day, text } from "../documents/testing/shop.ts";
import { isJsonObject } from "../json.ts";
import { realtimeRoutes } from "../realtime/route.ts";
import { openStream } from "../realtime/testing/streams.ts";
import { allowed } from "../rules/index.ts";
import { until } from "../testing/until.ts";
import { specHash } from "./content/images.ts";
import { onDisk } from "./content/testing/files.ts";
import {
  type Bytes,
  bytesBelow,
  picture,
  pictured,
  settled,
  statesOf,
  type Taken,
  thumb,
  wide,
} from "./testing/pictures.ts";
import { fileField, startVault, type Vault } from "./testing/vault.ts";

const pictures = collection("pictures", {
  files: [fileField("cover", { versions: { thumb, wide } })],
  publicMaxAge: 60,
  realtime: true,
  softDelete: { retention: day },
  rules: { create: allowed, read: allowed, update: allowed, delete: allowed, restore: allowed },
});
const ready = { thumb: "ready", wide: "ready" };

let vault: Vault;
let bytes: Bytes;
beforeAll(async () => {
  vault = await startVault("disabled", [pictures], {}, { routes: [realtimeRoutes("shop")] });
  bytes = await bytesBelow(vault.folder);
});
afterAll(async () => {
  await bytes.blobs.close();
  await vault.stop();
});

/** Has a version fail: the document says so then. */
async function failing({ sha256, path }: Taken): Promise<void> {
  await bytes.blobs.remove([`${sha256}/${specHash(thumb)}`]);
  await bytes.blobs.put(sha256, onDisk("no picture", bytes.spool), "image/png");
  expect((await vault.bring("GET", `${path}?version=thumb`)).status).toBe(404);
}

it("it leaves the document's version, times and other members as they are", async () => {
  const id = await vault.made("pictures", { tags: ["a"], extra: { b: 1 } });
  await vault.uploaded(`pictures/${id}/_files/cover`, 0, { bytes: await picture() });
  const { body: before } = await vault.send("GET", `pictures/${id}`);
  vault.clock.advance(1_000);
  await until(async () => expect(await statesOf(vault, id, "cover")).toEqual(ready));
  const { body: after } = await vault.send("GET", `pictures/${id}`);
  const { cover, ...others } = before;
  expect(after).toEqual({ ...others, cover: { ...(isJsonObject(cover) && cover), versions: ready } });
});

it("entity tags of documents and lists change with it, and caches are told by them", async () => {
  const taken = await settled(vault);
  const where = encodeURIComponent(JSON.stringify({ id: taken.id }));
  const paths = [`pictures/${taken.id}`, `pictures?where=${where}`];
  const asked = async (path: string, tag?: string | null) =>
    vault.send("GET", path, { headers: typeof tag === "string" ? { "if-none-match": tag } : {} });
  const before = await Promise.all(paths.map((path) => asked(path)));
  for (const { headers } of before) expect(headers.get("cache-control")).toBe("public, max-age=60");
  const kept = await Promise.all(paths.map((path, at) => asked(path, before[at]?.tag)));
  expect(kept.map(({ status }) => status)).toEqual([304, 304]);
  await failing(taken);
  const changed = await Promise.all(paths.map((path, at) => asked(path, before[at]?.tag)));
  expect(changed.map(({ status }) => status)).toEqual([200, 200]);
  const again = await Promise.all(paths.map((path, at) => asked(path, changed[at]?.tag)));
  expect(again.map(({ status }) => status)).toEqual([304, 304]);
});

it("no write at the same moment is lost to it, and none loses it", async () => {
  const taken = await Promise.all(Array.from({ length: 8 }, () => pictured(vault, "cover")));
  await Promise.all(
    taken.map(async ({ id }) => {
      for (let qty = 1; qty <= 10; qty += 1) {
        const patched = await vault.send("PATCH", `pictures/${id}`, { body: { qty } });
        expect(patched.status).toBe(200);
      }
    }),
  );
  for (const { id } of taken) {
    // In a shared store a write may take it back, until it is looked once more.
    await until(async () => {
      vault.clock.advance(1_000);
      expect(await statesOf(vault, id, "cover")).toEqual(ready);
    });
    const { body } = await vault.send("GET", `pictures/${id}`);
    expect(body).toMatchObject({ qty: 10, _meta: { version: 12 } });
  }
});

it("a document in the trash is told, too, and stays there for as long as it would", async () => {
  const { id } = await pictured(vault, "cover");
  await vault.send("DELETE", `pictures/${id}`);
  const { body: deleted } = await vault.send("GET", `pictures/${id}?deleted=only`);
  const versions = async () => {
    const { body } = await vault.send("GET", `pictures/${id}?deleted=only`);
    return { states: isJsonObject(body["cover"]) && body["cover"]["versions"], meta: body["_meta"] };
  };
  await until(async () => expect(await versions()).toEqual({ states: ready, meta: deleted["_meta"] }));
  expect((await vault.send("GET", `pictures/${id}`)).status).toBe(404);
  const restored = await vault.send("POST", `pictures/${id}/restore`);
  expect([restored.status, await statesOf(vault, id, "cover")]).toEqual([200, ready]);
  const again = await pictured(vault, "cover");
  await vault.send("DELETE", `pictures/${again.id}`);
  vault.clock.advance(2 * day);
  expect((await vault.send("GET", `pictures/${again.id}?deleted=only`)).status).toBe(404);
});

describe("Subscribers", () => {
  it("hear of it as an update of the same version", async () => {
    const stream = await openStream(`${vault.url}/v1/shop/_realtime`, [
      { id: "s", db: "main", collection: "pictures" },
    ]);
    try {
      const taken = await settled(vault);
      const isReady = (states: unknown) => JSON.stringify(states) === JSON.stringify(ready);
      const coverOf = (doc: unknown) => (isJsonObject(doc) && isJsonObject(doc["cover"]) ? doc["cover"] : {});
      const events = await stream.until(({ data }) => isReady(coverOf(data["doc"])["versions"]));
      const told = events.map(({ event, data }) => {
        const doc = isJsonObject(data["doc"]) ? data["doc"] : {};
        return [
          event,
          doc["id"],
          isJsonObject(doc["_meta"]) && doc["_meta"]["version"],
          coverOf(doc)["versions"],
        ];
      });
      expect(told).toEqual([
        ["ready", undefined, false, undefined],
        ["created", taken.id, 1, undefined],
        ["updated", taken.id, 2, { thumb: "pending", wide: "pending" }],
        ["updated", taken.id, 2, ready],
      ]);
      expect(text(taken.file, "id")).toBe(coverOf(events.at(-1)?.data["doc"])["id"]);
    } finally {
      stream.close();
    }
  });
});
