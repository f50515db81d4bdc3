/** The tests of the contract of storage drivers, the same for each of them. */
import { createHash, randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { growthOf, TRACE } from "../../testing/resources.ts";
import type { Spool } from "../spool.ts";
import { type BlobKey, BlobMissing, type BlobStore, type Spooled } from "../store.ts";
import { pieces, textOf } from "./bytes.ts";

export interface Opened {
  readonly store: BlobStore;
  readonly spool: Spool;
  /** Closes what belongs to the storage itself. */
  close(): Promise<void>;
}

const MIB = 1_048_576;
const never = new AbortController().signal;

export function describeBlobs(name: string, open: () => Promise<Opened>): void {
  describe(name, () => {
    let opened: Opened;
    let store: BlobStore;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(async () => {
      await store.close();
      await opened.close();
    });

    const take = (bytes: Buffer) => opened.spool.take(pieces(bytes), 64 * MIB);
    /** Under the key of its content. */
    const stored = async (bytes: Buffer, type = "application/octet-stream") => {
      const spooled = await take(bytes);
      await store.put(spooled.sha256, spooled, type);
      await opened.spool.discard(spooled);
      return spooled.sha256;
    };
    const readAll = async (key: BlobKey, range?: { first: number; last: number }) => {
      const read: Buffer[] = [];
      for await (const piece of await store.open(key, range, never)) read.push(Buffer.from(piece));
      return Buffer.concat(read);
    };
    const keys = async () => {
      const found: Record<string, number> = {};
      for await (const { key, size } of store.list()) found[key] = size;
      return found;
    };

    describe.each([0, 1, 65_536, 65_537, 1_048_576, 20 * MIB + 7])("%i bytes", (size) => {
      test("are read as they were put", async () => {
        const bytes = randomBytes(size);
        const key = await stored(bytes);
        const file = store.fileOf?.(key);
        if (file !== undefined) expect(readFileSync(file).equals(bytes)).toBe(true);
        expect(await store.size(key)).toBe(size);
        expect(sha256(await readAll(key))).toBe(key);
      });
    });

    test("put replaces what has the key", async () => {
      const key: BlobKey = "uploads/one";
      await store.put(key, await take(Buffer.from("first")), "text/plain");
      await store.put(key, await take(randomBytes(100_000)), "text/plain");
      await store.put(key, await take(Buffer.from("last")), "text/plain");
      expect(String(await readAll(key))).toBe("last");
    });

    test("equal bytes put at once are stored", async () => {
      const bytes = randomBytes(200_000);
      const all = await Promise.all(Array.from({ length: 8 }, () => stored(bytes)));
      expect(new Set(all).size).toBe(1);
      expect(await readAll(all[0] ?? "")).toEqual(bytes);
    });

    test.each([
      [0, 0],
      [0, 9],
      [65_535, 65_536],
      [99_990, 99_999],
      [0, 99_999],
    ])("bytes %i to %i are read alone", async (first, last) => {
      const bytes = randomBytes(100_000);
      const key = await stored(bytes);
      expect(await readAll(key, { first, last })).toEqual(bytes.subarray(first, last + 1));
    });

    test("what is not there has no size and cannot be opened", async () => {
      const key = sha256(Buffer.from("nowhere"));
      expect(await store.size(key)).toBeUndefined();
      expect(await store.size(`${key}/0123456789abcdef`)).toBeUndefined();
      await expect(store.open(key, undefined, never)).rejects.toThrow(BlobMissing);
      await expect(store.open(key, { first: 1, last: 2 }, never)).rejects.toThrow(BlobMissing);
    });

    test("removal takes versions with their file, and what is not there is no mistake", async () => {
      const kept = await stored(Buffer.from("kept"));
      const gone = await stored(Buffer.from("gone"));
      for (const file of [kept, gone]) {
        for (const version of ["00000000000000aa", "00000000000000bb"]) {
          await store.put(`${file}/${version}`, await take(Buffer.from(version)), "image/png");
        }
      }
      await store.remove([gone, sha256(Buffer.from("nowhere")), `${kept}/00000000000000bb`, "uploads/none"]);
      expect(await keys()).toEqual({ [kept]: 4, [`${kept}/00000000000000aa`]: 16 });
      await store.remove([kept]);
      expect(await keys()).toEqual({});
      await store.put(`${gone}/00000000000000aa`, await take(Buffer.from("again")), "image/png");
      expect(await keys()).toEqual({ [`${gone}/00000000000000aa`]: 5 });
    });

    test("all that is stored is listed, with its size and when it changed", async () => {
      const many = await Promise.all(
        Array.from({ length: 30 }, (_, n) => stored(Buffer.alloc(n + 1, String(n)))),
      );
      const since = Date.now() - 60_000;
      let count = 0;
      for await (const { key, size, changedAt } of store.list()) {
        expect(size).toBe(many.indexOf(key) + 1);
        expect(changedAt).toBeGreaterThan(since);
        count += 1;
      }
      expect(count).toBe(30);
    });

    test("a put is the spool's no more, or can be discarded", async () => {
      const spooled = await take(randomBytes(100_000));
      await store.put(spooled.sha256, spooled, "text/plain");
      await opened.spool.discard(spooled);
      await opened.spool.discard(spooled);
      expect(spooled.kind === "file" && existsSync(spooled.path)).toBe(false);
    });

    test.each([
      "",
      "..",
      "../../etc/passwd",
      "uploads/../x",
      "uploads/..",
      "uploads/a/b",
      "uploads/a\0b",
      "/etc/passwd",
      "AB".repeat(32),
      "a".repeat(63),
      `${"a".repeat(64)}/../b`,
      `${"a".repeat(64)}/`,
      `${"a".repeat(64)}\n`,
    ])("%j is no key", async (key) => {
      const spooled: Spooled = await take(Buffer.from("x"));
      expect(() => store.put(key, spooled, "text/plain")).toThrow("is no key");
      expect(() => store.open(key, undefined, never)).toThrow("is no key");
      expect(() => store.remove([key])).toThrow("is no key");
      await expect(async () => store.size(key)).rejects.toThrow("is no key");
    });

    test("reading ends when its signal aborts", async () => {
      const key = await stored(randomBytes(4 * MIB));
      const going = new AbortController();
      const read = async () => {
        for await (const piece of await store.open(key, undefined, going.signal)) {
          expect(piece.length).toBeGreaterThan(0);
          going.abort();
        }
      };
      await expect(read()).rejects.toThrow();
      await expect(store.open(key, undefined, going.signal)).rejects.toThrow();
    });

    test("readers that stop early, never begin or are cut leave nothing open", async () => {
      const key = await stored(randomBytes(2 * MIB));
      const once = async () => {
        for (let n = 0; n < 20; n += 1) {
          const going = new AbortController();
          const source = await store.open(
            key,
            n % 2 === 0 ? undefined : { first: 5, last: MIB },
            going.signal,
          );
          if (n % 4 > 1) for await (const _ of source) break;
          going.abort();
          await textOf(await store.open(key, { first: 0, last: 10 }, never));
        }
      };
      await once();
      expect(await growthOf(once)).toBeLessThan(TRACE);
    });

    test("it is well", async () => {
      await store.health();
    });
  });
}

export function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
