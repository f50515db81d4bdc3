import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type BlobRecord, collections, readBlob, writeFileRecord } from "../documents/files/records.ts";
import { realmUsage } from "../documents/files/usage.ts";
import { code, collection, day } from "../documents/testing/shop.ts";
import { field } from "../filter/fields.ts";
import type { JsonObject } from "../json.ts";
import { sweepEvery } from "./sweep.ts";
import { fileField, startVault, type Vault } from "./testing/vault.ts";

const kept = collection("kept", {
  files: [fileField("scan"), fileField("pages", { maxFiles: 5 })],
  softDelete: { retention: 30 * day },
});
const hard = collection("hard", { files: [fileField("scan")], customId: { duplicateLimit: 20 } });
const fields = { ...kept.fields, scan: field("scan", "object") };
const plain = collection("plain", { fields });

let vault: Vault;
let small: Vault;
beforeAll(async () => {
  vault = await startVault("disabled", [kept, hard, plain]);
  small = await startVault("disabled", [kept, hard], { quota: 10_000 });
});
afterAll(() => Promise.all([vault.stop(), small.stop()]));

const usage = (of = vault) => realmUsage(of.store("shop"));
const refs = async (sha256: unknown) =>
  (await vault.records("blobs")).find(({ id }) => id === sha256)?.["refs"];

describe("What documents name is counted", () => {
  it("as files come and go", async () => {
    const before = await usage();
    const [bytes, files] = [Number(before["bytes"]), Number(before["files"])];
    const id = await vault.made("kept");
    const one = await vault.uploaded(`kept/${id}/_files/scan`, 1_000);
    await vault.uploaded(`kept/${id}/_files/pages`, 500);
    expect(await usage()).toMatchObject({ bytes: bytes + 1_500, files: files + 2 });
    await vault.uploaded(`kept/${id}/_files/scan?replace=true`, 300);
    expect(await usage()).toMatchObject({ bytes: bytes + 800, files: files + 2 });
    expect(await refs(one["sha256"])).toBe(0);
  });

  it("equal bytes are stored once, and counted for each file", async () => {
    const ids = [await vault.made("kept"), await vault.made("kept")];
    const bytes = Buffer.alloc(2_000, "e");
    const before = Number((await usage())["bytes"]);
    const files: JsonObject[] = [];
    for (const id of ids) files.push(await vault.uploaded(`kept/${id}/_files/scan`, 0, { bytes }));
    expect(await refs(files[0]?.["sha256"])).toBe(2);
    expect((await vault.lying()).filter((name) => name === files[0]?.["sha256"])).toHaveLength(1);
    expect(Number((await usage())["bytes"])).toBe(before + 4_000);
    await vault.bring("DELETE", `kept/${ids[0]}/_files/scan/${files[0]?.["id"]}`);
    expect(await refs(files[0]?.["sha256"])).toBe(1);
    expect(
      (await vault.bring("GET", `kept/${ids[1]}/_files/scan/${files[1]?.["id"]}`)).bytes.equals(bytes),
    ).toBe(true);
  });

  it.each([
    ["a deletion", (id: string) => vault.send("DELETE", `hard/${id}`)],
    [
      "a deletion with If-Match",
      (id: string) => vault.send("DELETE", `hard/${id}`, { headers: { "if-match": '"2"' } }),
    ],
    [
      "a deletion in a batch",
      (id: string) =>
        vault.send("POST", "_batch", { body: { operations: [{ op: "delete", collection: "hard", id }] } }),
    ],
  ])("%s releases them in one transaction with the document's end", async (_, remove) => {
    const id = await vault.made("hard", { id: `d${Math.random().toString(36).slice(2)}` });
    const before = await usage();
    const file = await vault.uploaded(`hard/${id}/_files/scan`, 700);
    expect((await remove(id)).status).toBeLessThan(300);
    expect(await usage()).toEqual(before);
    expect(await refs(file["sha256"])).toBe(0);
    expect((await vault.records("names")).filter(({ document }) => document === id)).toEqual([]);
    // Somebody else's document of the same id has no part in it.
    await vault.made("hard", { id });
    expect((await vault.bring("GET", `hard/${id}/_files/scan/${file["id"]}`)).status).toBe(404);
  });

  it("the trash keeps them; restore finds them, purge releases them", async () => {
    const id = await vault.made("kept");
    const before = await usage();
    const file = await vault.uploaded(`kept/${id}/_files/scan`, 700);
    const held = await usage();
    await vault.send("DELETE", `kept/${id}`);
    const [trashed] = (await vault.records("names")).filter(({ document }) => document === id);
    expect(trashed?.["purge_at"]).toBe(new Date(vault.clock.now() + 30 * day).toISOString());
    expect(await usage()).toEqual(held);
    await vault.send("POST", `kept/${id}/restore`);
    const [back] = (await vault.records("names")).filter(({ document }) => document === id);
    expect(back?.["purge_at"]).toBeNull();
    expect((await vault.bring("GET", `kept/${id}/_files/scan/${file["id"]}`)).status).toBe(200);
    await vault.send("DELETE", `kept/${id}`);
    expect((await vault.send("DELETE", `kept/${id}?purge=true`)).status).toBe(204);
    expect(await usage()).toEqual(before);
    expect(await refs(file["sha256"])).toBe(0);
  });

  it("who has no files pays nothing: writes leave no records of files", async () => {
    const before = await vault.records("names");
    const id = await vault.made("plain");
    await vault.send("PUT", `plain/${id}`, { body: { title: "b" } });
    await vault.send("DELETE", `plain/${id}`);
    const other = await vault.made("kept");
    await vault.send("DELETE", `kept/${other}`);
    expect(await vault.records("names")).toEqual(before);
  });
});

describe("A quota", () => {
  it("is kept to the byte, also by uploads at once: 413 quota_exceeded", async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => small.made("kept")));
    const answers = await Promise.all(
      ids.map((id, n) =>
        small.bring("POST", `kept/${id}/_files/scan`, { bytes: Buffer.alloc(1_000, `${n}`) }),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array.from({ length: 10 }, () => 201), 413, 413]);
    for (const answer of answers.filter(({ status }) => status === 413))
      expect(code(answer)).toBe("quota_exceeded");
    expect(await usage(small)).toMatchObject({ bytes: 10_000, files: 10 });
    const [full = ""] = ids.filter((_, n) => answers[n]?.status === 201);
    const exchanged = await small.bring("POST", `kept/${full}/_files/scan?replace=true`, {
      bytes: Buffer.alloc(1_000, "x"),
    });
    expect(exchanged.status).toBe(201);
    const more = await small.bring("POST", `kept/${full}/_files/scan?replace=true`, {
      bytes: Buffer.alloc(1_001, "y"),
    });
    expect([more.status, code(more)]).toEqual([413, "quota_exceeded"]);
    const unsaid = await small.bring("POST", `kept/${full}/_files/pages`, { bytes: "z" });
    expect(code(unsaid)).toBe("quota_exceeded");
    expect(await usage(small)).toMatchObject({ bytes: 10_000, files: 10 });
  });
});

describe("A sweep", () => {
  it("removes what no document names for an hour, and nothing before", async () => {
    const [id, other] = [await vault.made("kept"), await vault.made("hard", { id: "other" })];
    const shared = Buffer.alloc(900, "shared");
    const gone = await vault.uploaded(`kept/${id}/_files/scan`, 70_000);
    const stays = await vault.uploaded(`kept/${id}/_files/pages`, 0, { bytes: shared });
    const same = await vault.uploaded(`hard/${other}/_files/scan`, 0, { bytes: shared });
    await vault.bring("DELETE", `kept/${id}/_files/scan/${gone["id"]}`);
    await vault.bring("DELETE", `kept/${id}/_files/pages/${stays["id"]}`);
    await vault.swept(sweepEvery);
    expect(await vault.lying()).toContain(gone["sha256"]);
    expect(await vault.swept()).toMatchObject({ removed: expect.any(Number) });
    const lying = await vault.lying();
    expect(lying).not.toContain(gone["sha256"]);
    expect(lying).toContain(same["sha256"]);
    expect((await vault.bring("GET", `hard/other/_files/scan/${same["id"]}`)).bytes.equals(shared)).toBe(
      true,
    );
    // Nothing lies there that has no record, and no record without bytes.
    expect([...lying].sort()).toEqual((await vault.records("blobs")).map((blob) => blob["id"]).sort());
    const again = await vault.uploaded(`kept/${id}/_files/scan?replace=true`, 0, {
      bytes: Buffer.alloc(10, "again"),
    });
    expect(again["size"]).toBe(10);
  });

  it("releases what documents named whose retention is over", async () => {
    const id = await vault.made("kept");
    const before = await usage();
    const file = await vault.uploaded(`kept/${id}/_files/scan`, 600);
    await vault.send("DELETE", `kept/${id}`);
    await vault.swept();
    expect(await refs(file["sha256"])).toBe(1);
    await vault.swept(31 * day);
    expect(await usage()).toEqual(before);
    await vault.swept();
    expect(await vault.lying()).not.toContain(file["sha256"]);
    expect((await vault.records("names")).filter(({ document }) => document === id)).toEqual([]);
  });

  it("bytes that it is removing are stored anew by an upload, when that is over", async () => {
    const id = await vault.made("kept");
    const bytes = Buffer.alloc(5_000, "swept");
    const first = await vault.uploaded(`kept/${id}/_files/scan`, 0, { bytes });
    await vault.bring("DELETE", `kept/${id}/_files/scan/${first["id"]}`);
    // As a process leaves it that died between the mark and the removal.
    const blobs = vault.store("shop").collection(collections.blobs);
    const sha256 = String(first["sha256"]);
    const stored = await blobs.get(sha256, "live");
    if (stored === undefined) throw new Error("no record");
    const record: BlobRecord = { ...readBlob(stored).record, sweeping: true };
    await blobs.replace(stored.version, writeFileRecord(record, stored.version + 1));
    const answer = vault.uploaded(`kept/${id}/_files/scan`, 0, { bytes });
    await vault.swept();
    const file = await answer;
    expect((await vault.bring("GET", `kept/${id}/_files/scan/${file["id"]}`)).bytes.equals(bytes)).toBe(true);
  });
});
