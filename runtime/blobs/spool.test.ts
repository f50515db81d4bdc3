import { createHash, randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runs } from "../testing/random.ts";
import { openSpool, type Spool, TooLarge } from "./spool.ts";
import { type Spooled, StorageUnavailable } from "./store.ts";
import { pieces } from "./testing/bytes.ts";

const MIB = 1_048_576;

describe("the spool", () => {
  let above: string;
  let spool: Spool;
  beforeEach(async () => {
    above = mkdtempSync(join(tmpdir(), "spool-"));
    spool = await openSpool(join(above, "a", "spool"));
  });
  afterEach(() => rmSync(above, { recursive: true, force: true }));

  test("lets go of files that lie elsewhere now", async () => {
    const spooled = await spool.take(inTurn([randomBytes(70_000)]), MIB);
    spool.moved(spooled);
    await spool.discard(spooled);
    expect(left()).toHaveLength(1);
  });

  const left = () => readdirSync(spool.folder);
  const bytesOf = (spooled: Spooled) =>
    spooled.kind === "memory" ? spooled.bytes : readFileSync(spooled.path);

  test("takes whatever pieces come, with their hash and size", async () => {
    const piece = fc.oneof(fc.nat(3), fc.nat(70_000), fc.constant(600_000));
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (sizes) => {
        const all = sizes.map((size) => randomBytes(size));
        const spooled = await spool.take(inTurn(all), 100 * MIB);
        const whole = Buffer.concat(all);
        expect(spooled.size).toBe(whole.length);
        expect(spooled.sha256).toBe(createHash("sha256").update(whole).digest("hex"));
        expect(bytesOf(spooled).equals(whole)).toBe(true);
        expect(spooled.kind).toBe(whole.length <= 65_536 ? "memory" : "file");
        await spool.discard(spooled);
        expect(left()).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });

  test("takes a hundred thousand pieces of a byte", async () => {
    const bytes = randomBytes(100_000);
    const spooled = await spool.take(pieces(bytes, 1), MIB);
    expect(bytesOf(spooled).equals(bytes)).toBe(true);
  });

  test.each([10, 200_000, 3 * MIB])(
    "refuses more than %i bytes, and keeps nothing of them",
    async (limit) => {
      expect((await spool.take(pieces(randomBytes(limit)), limit)).size).toBe(limit);
      const before = left();
      const more = spool.take(pieces(randomBytes(limit + 1)), limit);
      await expect(more).rejects.toThrow(TooLarge);
      await expect(more).rejects.toMatchObject({ limit });
      expect(left()).toEqual(before);
    },
  );

  test("tells the source that nobody takes more", async () => {
    let told = false;
    async function* endless() {
      try {
        for (;;) yield Buffer.alloc(65_536);
      } finally {
        told = true;
      }
    }
    await expect(spool.take(endless(), 5 * MIB)).rejects.toThrow(TooLarge);
    expect(told).toBe(true);
  });

  test.each([1, 100_000, 4 * MIB])("keeps nothing of a source that breaks after %i bytes", async (size) => {
    async function* broken() {
      yield* pieces(randomBytes(size));
      throw new Error("cut");
    }
    await expect(spool.take(broken(), 10 * MIB)).rejects.toThrow("cut");
    expect(left()).toEqual([]);
  });

  test("holds a few pieces of a large body, however fast they come", async () => {
    const piece = Buffer.alloc(65_536, 1);
    async function* large() {
      for (let n = 0; n < 1_600; n += 1) {
        // One of its own, as sockets give them.
        const own = Buffer.allocUnsafeSlow(piece.length);
        piece.copy(own);
        yield own;
      }
    }
    let most = 0;
    const before = process.memoryUsage().arrayBuffers;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }, 1);
    const [one] = await Promise.all(Array.from({ length: 4 }, () => spool.take(large(), 200 * MIB)));
    clearInterval(watch);
    expect(one?.size).toBe(1_600 * 65_536);
    // Of 400 MiB.
    expect(most).toBeLessThan(60 * MIB);
  });

  test("hashes what others wrote to a path of its", async () => {
    const path = spool.newPath();
    const bytes = randomBytes(1_500_000);
    writeFileSync(path, bytes);
    expect(await spool.adopt(path)).toEqual({
      kind: "file",
      path,
      size: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
    });
    await expect(spool.adopt(spool.newPath())).rejects.toThrow(StorageUnavailable);
  });

  test("cleaning removes what nobody has written to for a day", async () => {
    const [old, young] = [spool.newPath(), spool.newPath()];
    writeFileSync(old, "old");
    writeFileSync(young, "young");
    const now = Date.now();
    utimesSync(old, new Date(now), new Date(now - 86_400_000 - 1_000));
    utimesSync(young, new Date(now), new Date(now - 86_400_000 + 60_000));
    expect(await spool.clean(now)).toBe(1);
    expect(left().map((name) => join(spool.folder, name))).toEqual([young]);
  });

  test("whose folder is gone is unavailable", async () => {
    rmSync(spool.folder, { recursive: true });
    await expect(spool.take(pieces(randomBytes(100_000)), MIB)).rejects.toThrow(StorageUnavailable);
    await expect(spool.clean(Date.now())).rejects.toThrow(/is gone/);
  });
});

async function* inTurn(all: readonly Buffer[]) {
  yield* all;
}
