/** What a file is by its first bytes: a few of them alone, which anything may begin with, tell nothing. */
import { hash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSpool, type Spool } from "../../blobs/spool.ts";
import { judge, UnsupportedType } from "./judge.ts";
import { mediaType } from "./media-types.ts";
import { honest, honestBytes, inMemory, onDisk } from "./testing/files.ts";

let folder: string;
let spool: Spool;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "heads-"));
  spool = await openSpool(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const any = ["*/*"];
const unknown = "application/octet-stream";
const typeOf = (bytes: Buffer, claim?: string) => judge(inMemory(bytes), claim, any);

/** Signatures of two to five bytes, and what they are of. */
const signatures: readonly (readonly [string, string, string])[] = [
  ["MPEG layer I", "fffe", "audio/mpeg"],
  ["MPEG layer II", "fffd", "audio/mpeg"],
  ["MPEG layer III", "fffb90", "audio/mpeg"],
  ["MPEG 2.5", "ffe3", "audio/mpeg"],
  ["a tag of ID3", "49443303000000000000", "audio/mpeg"],
  ["ADTS", "fff15080", "audio/aac"],
  ["AC-3", "0b77", "audio/vnd.dolby.dd-raw"],
  ["Musepack", "4d502b", "audio/x-musepack"],
  ["a bitmap", "424d", "image/bmp"],
  ["GIF", "474946", "image/gif"],
  ["JPEG XR", "4949bc", "image/vnd.ms-photo"],
  ["an icon", "00000100", "image/x-icon"],
  ["a cursor", "00000200", "image/x-icon"],
  ["a program", "4d5a", "application/x-msdownload"],
  ["PostScript", "2521", "application/postscript"],
  ["a disk image", "7801", "application/x-apple-diskimage"],
  ["compress", "1fa0", "application/x-compress"],
  ["cpio", "c771", "application/x-cpio"],
  ["ARJ", "60ea", "application/x-arj"],
  ["bzip2", "425a68", "application/x-bzip2"],
  ["Flash", "465753", "application/x-shockwave-flash"],
  ["compressed Flash", "435753", "application/x-shockwave-flash"],
  ["a transport stream", "47", "video/mp2t"],
  ["a program stream", "000001ba", "video/mpeg"],
  ["an elementary stream", "000001b3", "video/mpeg"],
];

const noise = (length: number) =>
  Buffer.concat(
    Array.from({ length: Math.ceil(length / 64) }, (_, at) => hash("sha512", `noise ${at}`, "buffer")),
  ).subarray(0, length);

/** What follows a signature and is nothing of its format. */
const tails: readonly (readonly [string, Buffer])[] = [
  ["nothing", Buffer.alloc(0)],
  ["a byte", Buffer.from("e")],
  ["words", Buffer.from(" is how a note of somebody begins, who goes on for a while.\n".repeat(20))],
  ["words in UTF-16", Buffer.from("is how a note begins".repeat(20), "utf16le")],
  ["zeros", Buffer.alloc(1_000)],
  ["ones", Buffer.alloc(1_000, 0xff)],
  ["bytes that go up", Buffer.from(Array.from({ length: 1_024 }, (_, at) => at % 256))],
  ["noise", noise(2_000)],
];

describe.each(signatures)("The signature of %s", (_, hex, type) => {
  test.each(tails)("before %s tells nothing", async (__, tail) => {
    const bytes = Buffer.concat([Buffer.from(hex, "hex"), tail]);
    const found = await typeOf(bytes);
    expect(found).not.toBe(type);
    expect([unknown, "text/plain"]).toContain(found);
  });
});

describe("Real files", () => {
  test.each(honest)(
    "$file is what it is, with what is claimed and with the first half of it alone",
    async ({ file, claim }) => {
      const bytes = honestBytes(file);
      const found = await typeOf(bytes);
      expect(await typeOf(bytes, claim)).toBe(mediaType(claim));
      const isBinary = /^(?:image\/(?!svg|tiff)|audio\/|video\/)/.test(found);
      // A tail is looked for at the end of some: those are not told by a half.
      if (isBinary && found !== "image/x-icon")
        expect(await typeOf(bytes.subarray(0, bytes.length >> 1))).toBe(found);
    },
  );
});

/** Header and length of a frame, as the standard has them. */
function frame(version: 1 | 2 | 2.5, layer: 1 | 2 | 3, rate: number, sampling: number): Buffer {
  const index = [44_100, 48_000, 32_000].indexOf(sampling * (version === 1 ? 1 : version === 2 ? 2 : 4));
  const of = version === 1 ? bits1[layer - 1] : layer === 1 ? bits2[0] : bits2[1];
  const at = (of ?? []).indexOf(rate) + 1;
  const id = version === 1 ? 3 : version === 2 ? 2 : 0;
  const samples = layer === 1 ? 384 : layer === 3 && version !== 1 ? 576 : 1_152;
  const slot = layer === 1 ? 4 : 1;
  const length = Math.floor((samples / 8 / slot) * ((rate * 1_000) / sampling)) * slot;
  const bytes = Buffer.alloc(length);
  bytes.set([0xff, 0xe1 | (id << 3) | ((4 - layer) << 1), (at << 4) | (index << 2), 0]);
  return bytes;
}

const bits1 = [
  [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
];
const bits2 = [
  [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];

describe.each([1, 2, 2.5] as const)("MPEG %s", (version) => {
  test.each([1, 2, 3] as const)(
    "of layer %i at every rate is told where frames agree, and only there",
    async (layer) => {
      const divisor = version === 1 ? 1 : version === 2 ? 2 : 4;
      for (const sampling of [44_100, 48_000, 32_000].map((hertz) => hertz / divisor)) {
        for (const rate of (version === 1 ? bits1[layer - 1] : layer === 1 ? bits2[0] : bits2[1]) ?? []) {
          const one = frame(version, layer, rate, sampling);
          const say = `${rate} kbit/s at ${sampling}`;
          expect(await typeOf(Buffer.concat([one, one, one, one.subarray(0, 9)])), say).toBe("audio/mpeg");
          expect(await typeOf(Buffer.concat([one, Buffer.from("TAG"), Buffer.alloc(125)])), say).toBe(
            "audio/mpeg",
          );
          const off = Buffer.concat([one, Buffer.alloc(1), one, one]);
          expect(await typeOf(off), say).toBe(unknown);
          const other = Buffer.from(one);
          other[1] = (other[1] ?? 0) ^ 0x02;
          expect(await typeOf(Buffer.concat([one, other, one])), say).toBe(unknown);
          await expect(typeOf(off, "text/plain")).rejects.toThrow(UnsupportedType);
        }
      }
    },
  );
});

describe("Text with a byte order mark", () => {
  const words = "Name\tStraße\tMünchen 😀\r\n";
  const utf32 = (isLittle: boolean) =>
    Buffer.concat(
      ["\ufeff", ...words.repeat(30)].map((character) => {
        const bytes = Buffer.alloc(4);
        const point = character.codePointAt(0) ?? 0;
        if (isLittle) bytes.writeUInt32LE(point);
        else bytes.writeUInt32BE(point);
        return bytes;
      }),
    );
  const little = Buffer.from(`\ufeff${words.repeat(30)}`, "utf16le");
  const all: readonly (readonly [string, Buffer])[] = [
    ["UTF-8", Buffer.from(`\ufeff${words}`)],
    ["UTF-16LE", little],
    ["UTF-16BE", Buffer.from(little).swap16()],
    ["UTF-32LE", utf32(true)],
    ["UTF-32BE", utf32(false)],
    ["UTF-16LE, and nothing else", Buffer.from("fffe", "hex")],
  ];
  test.each(all)("in %s is text, of the kind that is claimed", async (_, bytes) => {
    expect(await typeOf(bytes)).toBe("text/plain");
    for (const claim of ["text/plain", "text/csv", "text/tab-separated-values"])
      expect(await typeOf(bytes, claim)).toBe(claim);
    for (const claim of ["audio/mpeg", "image/png"])
      expect(await typeOf(bytes, claim).catch((error: unknown) => error)).not.toBe(claim);
  });

  test.each<readonly [string, Buffer]>([
    ["a NUL", Buffer.from("\ufeffa\0b", "utf16le")],
    ["half a character", Buffer.concat([little, Buffer.from("a")])],
    ["half a pair", Buffer.concat([little, Buffer.from([0x3d, 0xd8])])],
    ["the second half of a pair", Buffer.concat([little, Buffer.from([0x00, 0xde])])],
    ["what is beyond Unicode", Buffer.concat([utf32(true), Buffer.from([0, 0, 0x11, 0])])],
    ["half of a pair in UTF-32", Buffer.concat([utf32(true), Buffer.from([0, 0xd8, 0, 0])])],
  ])("and %s is no text", async (_, bytes) => {
    expect(await typeOf(bytes)).toBe(unknown);
    await expect(typeOf(bytes, "text/plain")).rejects.toThrow(UnsupportedType);
  });

  test("a character that two pieces of a file share is whole", async () => {
    for (let before = 8_180; before < 8_200; before += 1) {
      const bytes = Buffer.from(`\ufeff${"a".repeat(before)}😀b`, "utf16le");
      expect(await judge(onDisk(bytes, spool), undefined, any)).toBe("text/plain");
    }
  });
});

test("there are more than two hundred heads", () => {
  expect(signatures.length * tails.length + honest.length).toBeGreaterThan(200);
});
