import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { openSpool, type Spool } from "../../blobs/spool.ts";
import { type Image, InvalidImage, imageLimits } from "./decoding.ts";
import { isImage, rendered, storedImage } from "./images.ts";
import { inMemory, onDisk } from "./testing/files.ts";
import { gifOf, pngOf } from "./testing/hostile.ts";

let folder: string;
let spool: Spool;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "images-"));
  spool = await openSpool(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name));
});

const stored = (bytes: Buffer, type: string) => storedImage(onDisk(bytes, spool), type, spool);
const noise = (width: number, height: number) =>
  sharp({
    create: {
      width,
      height,
      channels: 3,
      background: "#123456",
      noise: { type: "gaussian", mean: 128, sigma: 60 },
    },
  });

describe("hostile images", () => {
  const limits = imageLimits;
  const refused = async (bytes: Buffer, type: string) => {
    await expect(storedImage(inMemory(bytes), type, spool)).rejects.toThrow(InvalidImage);
    await expect(rendered(inMemory(bytes), type, { width: 9, fit: "cover" }, spool)).rejects.toThrow(
      InvalidImage,
    );
    expect(readdirSync(folder)).toEqual([]);
  };

  test.each([
    ["a page of HTML", Buffer.from("<!DOCTYPE html><html></html>"), "image/png"],
    [
      "vectors as a raster",
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
      "image/png",
    ],
    ["a script that begins as a GIF", Buffer.from("GIF89a/*\x01\x00\x00*/=1;alert(1)//"), "image/gif"],
    ["nothing", Buffer.alloc(0), "image/jpeg"],
    ["50,000 by 50,000 pixels", pngOf(50_000, 50_000, Buffer.alloc(1_000_000)), "image/png"],
    ["a pixel more than is taken", pngOf(50_000_001, 1, Buffer.alloc(50_000_002)), "image/png"],
    ["more frames than are taken", gifOf(2, 2, limits.frames + 1), "image/gif"],
    ["frames of too many pixels in all", gifOf(4_000, 4_000, 7), "image/gif"],
    ["a PNG without pixels", pngOf(100, 100, Buffer.alloc(0)), "image/png"],
  ])("%s: refused", async (_, bytes, type) => {
    await refused(bytes, type);
  });

  test("vectors are never drawn, whatever they are called", async () => {
    expect(isImage("image/svg+xml")).toBe(false);
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>');
    await expect(storedImage(inMemory(svg), "image/svg+xml", spool)).rejects.toThrow(InvalidImage);
  });

  test("the most pixels that are taken, a thousandth as large in the file, take bounded memory", async () => {
    const bomb = pngOf(7_000, 7_000, Buffer.alloc(7_001 * 7_000));
    expect(bomb.length).toBeLessThan(100_000);
    const made: Image[] = [];
    const growth = await memoryOf(async () => {
      made.push(...(await Promise.all(Array.from({ length: 4 }, () => stored(bomb, "image/png")))));
      made.push(await rendered(inMemory(bomb), "image/png", { width: 100, fit: "inside" }, spool));
    });
    expect(made.map(({ width }) => width)).toEqual([7_000, 7_000, 7_000, 7_000, 100]);
    expect(growth).toBeLessThan(250_000_000);
  });

  test("more at once than wait for a turn are refused as unavailable, with Retry-After", async () => {
    const nothing = inMemory(Buffer.alloc(0));
    const all = Array.from({ length: 300 }, () => storedImage(nothing, "image/png", spool));
    const ends = await Promise.allSettled(all);
    const reasons: unknown[] = ends.flatMap((end) => (end.status === "rejected" ? [end.reason] : []));
    const turnedAway = reasons.filter((reason) => !(reason instanceof InvalidImage));
    // Of those that are worked on there are as many as the machine has processors.
    expect(turnedAway.length).toBeGreaterThan(0);
    expect(turnedAway.length).toBeLessThan(300 - 256);
    for (const reason of turnedAway)
      expect(reason).toMatchObject({ code: "unavailable", headers: { "retry-after": "1" } });
  });

  test("a limit on pixels of one's own holds", async () => {
    const small = { ...limits, pixels: 100 };
    const bytes = inMemory(await noise(11, 10).png().toBuffer());
    await expect(storedImage(bytes, "image/png", spool, small)).rejects.toThrow("more than 100 pixels");
  });
});

/** Bytes that resident memory is higher meanwhile. */
async function memoryOf(work: () => Promise<void>): Promise<number> {
  const before = process.memoryUsage().rss;
  let most = 0;
  const look = () => {
    most = Math.max(most, process.memoryUsage().rss - before);
  };
  const watch = setInterval(look, 2);
  await work();
  look();
  clearInterval(watch);
  return most;
}
