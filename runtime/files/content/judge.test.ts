import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deflateRawSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSpool, type Spool } from "../../blobs/spool.ts";
import type { Spooled } from "../../blobs/store.ts";
import { judge, UnsupportedType } from "./judge.ts";
import { mediaType } from "./media-types.ts";
import { honest, honestBytes, inMemory, onDisk } from "./testing/files.ts";
import { zipOf } from "./testing/zip.ts";

const any = ["*/*"];
let folder: string;
let spool: Spool;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "judge-"));
  spool = await openSpool(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const isMemory = [true, false] as const;
const of = (bytes: Buffer | string, memory: boolean): Spooled =>
  memory ? inMemory(bytes) : onDisk(bytes, spool);

describe("files by real producers", () => {
  test("there are more than sixty", () => {
    expect(honest.length).toBeGreaterThan(60);
  });

  test.each(honest)("$file of $producer is taken as $claim", async ({ file, claim }) => {
    const bytes = honestBytes(file);
    for (const memory of isMemory) {
      expect(await judge(of(bytes, memory), claim, [claim])).toBe(mediaType(claim));
      expect(await judge(of(bytes, memory), `${claim.toUpperCase()}; charset=utf-8`, any)).toBe(
        mediaType(claim),
      );
    }
  });

  test.each(honest)("$file is no executable, and its text no image", async ({ file, claim }) => {
    const bytes = inMemory(honestBytes(file));
    await expect(judge(bytes, "application/x-msdownload", any)).rejects.toThrow(UnsupportedType);
    const isIt = mediaType(claim) === "image/x-icon";
    if (!isIt) await expect(judge(bytes, "image/x-icon", any)).rejects.toThrow(UnsupportedType);
  });

  test.each(honest.filter(({ claim }) => /^(?:image|video|audio|font)\//.test(claim)))(
    "$file needs no claim",
    async ({ file, claim }) => {
      const [kind] = mediaType(claim).split("/");
      const found = await judge(inMemory(honestBytes(file)), undefined, any);
      // Sound alone in a container of videos is told by who sends it.
      expect(
        found.startsWith(`${kind}/`) ||
          /^(?:video|audio|application)\/(?:mp4|webm|ogg|x-ms-asf|vnd\.ms-asf)$/.test(found),
      ).toBe(true);
    },
  );
});

const png = honestBytes("magick.png");
const jpg = honestBytes("magick.jpg");
const pdf = honestBytes("graphviz.pdf");
const html = "<!DOCTYPE html><html><body><script>alert(1)</script></body></html>";
const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
const gifAndScript = "GIF89a/*\x01\x00\x00*/=1;alert(1)//";

describe("a claim", () => {
  const word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
  const zip = zipOf({ "a.txt": Buffer.from("a") });
  const taken: readonly (readonly [string, Buffer | string, string | undefined, string])[] = [
    ["that is none leaves what was found", png, undefined, "image/png"],
    ["of nothing in particular leaves what was found", png, "application/octet-stream", "image/png"],
    ["that is none makes text plain", "just words", undefined, "text/plain"],
    [
      "that is none makes unknown bytes unknown",
      Buffer.from([1, 2, 3, 0, 255]),
      undefined,
      "application/octet-stream",
    ],
    [
      "that nothing can be told of is not believed",
      Buffer.from([1, 2, 3, 0, 255]),
      "application/x-mine",
      "application/octet-stream",
    ],
    ["names what is in a zip file", zip, word, word],
    ["names what is in a zip file, if it is one of those", zip, "application/zip", "application/zip"],
    [
      "of the container says less, and is true",
      honestBytes("pandoc.docx"),
      "application/zip",
      "application/zip",
    ],
    [
      "names what is in an OLE file",
      honestBytes("libreoffice-doc.doc"),
      "application/msword",
      "application/msword",
    ],
    ["names a kind of text", '{"a":1}', "application/json", "application/json"],
    ["names a kind of XML", "<?xml version='1.0'?><rss/>", "application/rss+xml", "application/rss+xml"],
    ["of XML is true of vectors", svg, "text/xml", "application/xml"],
    [
      "of vectors is true with a declaration",
      `<?xml version="1.0"?>\n<!-- by --> ${svg}`,
      "image/svg+xml",
      "image/svg+xml",
    ],
    [
      "of vectors is true with a DOCTYPE that declares entities",
      `\ufeff<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "x>y" [ <!ENTITY a "]>"> <!-- > --> ]><svg:svg xmlns:svg="http://www.w3.org/2000/svg"/>`,
      "image/svg+xml",
      "image/svg+xml",
    ],
    ["of text is true of what begins as a bitmap", "BM is no bitmap", "text/plain", "text/plain"],
    ["of text is true of what begins as a program", "MZ is no program", "text/x-notes", "text/x-notes"],
    ["of text is true of much text", "ä".repeat(700_001), "text/plain", "text/plain"],
    ["of nothing at all is true of text", "", "text/plain", "text/plain"],
  ];
  test.each(taken)("%s", async (_, bytes, claim, type) => {
    for (const memory of isMemory) expect(await judge(of(bytes, memory), claim, any)).toBe(type);
  });

  const refused: readonly (readonly [string, Buffer | string, string])[] = [
    ["HTML as an image", html, "image/png"],
    ["HTML as vectors", html, "image/svg+xml"],
    [
      "XHTML as vectors",
      '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"/>',
      "image/svg+xml",
    ],
    ["vectors as HTML", svg, "text/html"],
    ["a JPEG as a PNG", jpg, "image/png"],
    ["an image as text", png, "text/plain"],
    ["a script that is a GIF", gifAndScript, "text/javascript"],
    ["a PDF as a zip file", pdf, "application/zip"],
    ["a zip file as a PDF", zip, "application/pdf"],
    ["a zip file as an image", zip, "image/jpeg"],
    ["a zip file as old Word", zip, "application/msword"],
    ["OLE as new Word", honestBytes("libreoffice-doc.doc"), word],
    ["a spreadsheet as a letter", honestBytes("openpyxl.xlsx"), word],
    ["bytes that are no text", Buffer.from([0x68, 0xff, 0x68]), "text/plain"],
    ["text with a NUL", "a\0b", "text/csv"],
    ["text with a NUL after a megabyte", `${"a".repeat(1_500_000)}\0`, "text/csv"],
    [
      "text that ends in half a character",
      Buffer.concat([Buffer.from("a".repeat(100)), Buffer.from([0xe2, 0x82])]),
      "text/plain",
    ],
    ["random bytes as an archive", Buffer.from([9, 8, 7, 6, 5, 4, 3, 2]), "application/gzip"],
    ["a program as a picture", Buffer.concat([Buffer.from("MZ"), Buffer.alloc(200)]), "image/bmp"],
  ];
  test.each(refused)("that contradicts is refused: %s", async (_, bytes, claim) => {
    for (const memory of isMemory) {
      await expect(judge(of(bytes, memory), claim, any)).rejects.toThrow(UnsupportedType);
    }
  });
});

describe("what a field accepts", () => {
  test.each([
    [["image/*"], png, "image/png"],
    [["image/png", "application/pdf"], pdf, "application/pdf"],
    [["IMAGE/JPG"], jpg, "image/jpeg"],
    [["text/*"], "words", "text/plain"],
  ])("%j takes what is of it", async (accept, bytes, type) => {
    expect(await judge(inMemory(bytes), undefined, accept)).toBe(type);
  });

  test.each([
    [["image/*"], pdf, undefined],
    [["image/*"], html, undefined],
    [["image/png"], jpg, undefined],
    [["image/*"], Buffer.from([1, 0, 2]), "image/x-mine"],
    [["application/x-mine"], Buffer.from([1, 0, 2]), "application/x-mine"],
    [[], png, undefined],
  ])("%j refuses others", async (accept, bytes, claim) => {
    await expect(judge(inMemory(bytes), claim, accept)).rejects.toThrow(UnsupportedType);
  });
});

describe("content that is two things is what it begins as", () => {
  test("a PDF before a zip file", async () => {
    const both = Buffer.concat([pdf, zipOf({ "META-INF/MANIFEST.MF": Buffer.from("x") })]);
    expect(await judge(inMemory(both), undefined, any)).toBe("application/pdf");
    await expect(judge(inMemory(both), "application/java-archive", any)).rejects.toThrow(UnsupportedType);
  });

  test("a GIF before a jar", async () => {
    const both = Buffer.concat([honestBytes("magick.gif"), zipOf({ "a.class": Buffer.from("x") })]);
    expect(await judge(inMemory(both), undefined, any)).toBe("image/gif");
    await expect(judge(inMemory(both), "application/java-archive", any)).rejects.toThrow(UnsupportedType);
  });
});

describe("what would take much to look into is not", () => {
  test("zip files and archives that unfold to hundreds of megabytes", async () => {
    const zeros = Buffer.alloc(100_000_000);
    const bombs = [
      zipOf({ "[Content_Types].xml": zeros }),
      zipOf({ mimetype: zeros, "[Content_Types].xml": zeros }),
      gzipSync(zeros, { level: 9 }),
    ];
    const packed = deflateRawSync(zeros);
    expect(packed.length).toBeLessThan(200_000);
    let most = 0;
    for (const bomb of bombs) {
      const before = process.memoryUsage().rss;
      const watch = setInterval(() => {
        most = Math.max(most, process.memoryUsage().rss - before);
      }, 1);
      const type = await judge(onDisk(bomb, spool), undefined, any);
      most = Math.max(most, process.memoryUsage().rss - before);
      clearInterval(watch);
      expect(["application/zip", "application/gzip"]).toContain(type);
    }
    expect(most).toBeLessThan(60_000_000);
  });

  test.each(honest.filter((_, n) => n % 3 === 0))(
    "$file cut anywhere is something, or refused",
    async ({ file, claim }) => {
      const bytes = honestBytes(file);
      for (const part of [0.02, 0.3, 0.9, 0.99]) {
        const cut = onDisk(bytes.subarray(0, Math.floor(bytes.length * part)), spool);
        const found = await judge(cut, claim, any).catch((error: unknown) => error);
        expect(typeof found === "string" || found instanceof UnsupportedType, String(found)).toBe(true);
        expect(await judge(cut, undefined, any)).toMatch(/^[a-z]+\/[a-z0-9.+-]+$/);
      }
    },
  );
});
