import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openSpool } from "../spool.ts";
import { BlobMissing, type BlobStore, StorageUnavailable } from "../store.ts";
import { pieces } from "../testing/bytes.ts";
import { describeBlobs } from "../testing/suite.ts";
import { openLocalBlobs } from "./store.ts";

const never = new AbortController().signal;

async function openIn(folder: string) {
  const spool = await openSpool(join(folder, "spool"));
  return { spool, store: await openLocalBlobs(folder, spool) };
}

describeBlobs("bytes in a local folder", async () => {
  const folder = mkdtempSync(join(tmpdir(), "blobs-"));
  return { ...(await openIn(folder)), close: async () => rmSync(folder, { recursive: true, force: true }) };
});

describe("the local folder", () => {
  let above: string;
  let folder: string;
  beforeEach(() => {
    above = mkdtempSync(join(tmpdir(), "blobs-"));
    folder = join(above, "files");
  });
  afterEach(() => rmSync(above, { recursive: true, force: true }));

  const filled = async () => {
    const opened = await openIn(folder);
    const spooled = await opened.spool.take(pieces(Buffer.from("x")), 10);
    await opened.store.put(spooled.sha256, spooled, "text/plain");
    return { ...opened, key: spooled.sha256, spooled };
  };

  test("holds files by the first two digits of their hash, with their versions below", async () => {
    const { store, spooled, key } = await filled();
    await store.put(`${key}/0011223344556677`, spooled, "image/png");
    const found = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
    const shelf = key.slice(0, 2);
    expect(found).toEqual(
      [
        shelf,
        `${shelf}/${key}`,
        `${shelf}/${key}.versions`,
        `${shelf}/${key}.versions/0011223344556677`,
        "spool",
      ].sort(),
    );
  });

  test("that is gone is unavailable, not empty: nothing is made in its place", async () => {
    const { store, spooled, key } = await filled();
    renameSync(folder, join(above, "elsewhere"));
    await expect(store.open(key, undefined, never)).rejects.toThrow(StorageUnavailable);
    await expect(store.size(key)).rejects.toThrow(/is gone/);
    await expect(store.put(key, spooled, "text/plain")).rejects.toThrow(/is gone/);
    await expect(store.remove([key])).rejects.toThrow(StorageUnavailable);
    await expect(store.health()).rejects.toThrow(StorageUnavailable);
    expect(existsSync(folder)).toBe(false);
  });

  test("has what is small whole, and reads it no further", async () => {
    const { store, key } = await filled();
    expect((await store.open(key, undefined, never)).whole).toEqual(Buffer.from("x"));
    expect((await store.open(key, { first: 0, last: 0 }, never)).whole).toEqual(Buffer.from("x"));
  });

  test("makes its inner folders again when they are gone", async () => {
    const { store, spooled, key } = await filled();
    rmSync(join(folder, key.slice(0, 2)), { recursive: true });
    await expect(store.open(key, undefined, never)).rejects.toThrow(BlobMissing);
    await store.put(key, spooled, "text/plain");
    expect(await store.size(key)).toBe(1);
  });

  test("lists nothing that is not its own", async () => {
    const { store, key } = await filled();
    writeFileSync(join(folder, "README"), "not mine");
    writeFileSync(join(folder, key.slice(0, 2), "note.txt"), "not mine");
    writeFileSync(join(folder, "spool", "a".repeat(64)), "under way");
    const found: string[] = [];
    for await (const each of store.list()) found.push(each.key);
    expect(found).toEqual([key]);
  });

  test("without rights for it is unavailable, and the message says so", async () => {
    // The kernel's own folder takes no other's, whoever asks.
    const spool = await openSpool(join(folder, "spool"));
    await expect(openLocalBlobs("/sys/blobs", spool)).rejects.toThrow(
      "/sys/blobs: the process may not do that",
    );
  });

  test("on a full device is unavailable, says so and leaves nothing of what it could not take", async ({
    skip,
  }) => {
    const small = join(above, "small");
    const { mount, unmount } = smallDevice(small);
    if (!mount()) return skip("this process may not mount a small device");
    let open: BlobStore | undefined;
    try {
      const { store, spool } = await openIn(small);
      open = store;
      const large = spool.take(pieces(randomBytes(3_000_000)), 10_000_000);
      await expect(large).rejects.toThrow(StorageUnavailable);
      await expect(large).rejects.toThrow("no room is left on the device");
      expect(readdirSync(spool.folder)).toEqual([]);
      // Small ones are written by the store itself.
      const put = async () => {
        for (;;) {
          const spooled = await spool.take(pieces(randomBytes(60_000)), 60_000);
          await store.put(spooled.sha256, spooled, "text/plain");
        }
      };
      await expect(put()).rejects.toThrow("no room is left on the device");
      expect(readdirSync(spool.folder)).toEqual([]);
      for await (const { size } of store.list()) expect(size).toBe(60_000);
    } finally {
      await open?.close();
      unmount();
    }
  });
});

function smallDevice(folder: string) {
  const run = (command: string, ...args: readonly string[]) => {
    try {
      execFileSync(command, args, { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };
  return {
    mount: () => run("mkdir", folder) && run("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", folder),
    unmount: () => run("umount", folder),
  };
}
