import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ApiError } from "../errors.ts";
import { formParts } from "./form.ts";

interface Read {
  readonly name: string;
  readonly filename: string | undefined;
  readonly type: string | undefined;
  readonly text: string;
}

async function* pieces(text: string, size = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text, "latin1");
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(source: AsyncIterable<Buffer>, boundary = "b"): Promise<readonly Read[]> {
  const parts: Read[] = [];
  for await (const { name, filename, type, bytes } of formParts(source, boundary)) {
    const held: Buffer[] = [];
    for await (const piece of bytes) held.push(piece);
    parts.push({ name, filename, type, text: Buffer.concat(held).toString("latin1") });
  }
  return parts;
}

/** The code with which a form is refused, and why. */
async function refused(text: string, size?: number): Promise<string> {
  try {
    await read(pieces(text, size));
  } catch (error) {
    if (error instanceof ApiError) return `${error.code}: ${error.details?.[0]?.reason ?? error.message}`;
    throw error;
  }
  return "none";
}

const part = (headers: string, text: string): string => `--b\r\n${headers}\r\n\r\n${text}\r\n`;
const field = (name: string, text: string): string =>
  part(`Content-Disposition: form-data; name="${name}"`, text);

const two = [
  field("title", "Bill"),
  part(
    'Content-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: image/png',
    "\r\n-\r\n--",
  ),
  part("content-disposition: form-data; filename=b; name=c", ""),
  "--b--\r\n",
].join("");
const read2: readonly Read[] = [
  { name: "title", filename: undefined, type: undefined, text: "Bill" },
  { name: "file", filename: "a.bin", type: "image/png", text: "\r\n-\r\n--" },
  { name: "c", filename: "b", type: undefined, text: "" },
];

describe("A form", () => {
  it.each([1, 2, 3, 7, 64, 100_000])("is read the same in pieces of %i bytes", async (size) => {
    expect(await read(pieces(two, size))).toEqual(read2);
    expect(await read(pieces(`before\r\n${two}behind, as long as it goes on`, size))).toEqual(read2);
  });

  it("holds whatever parts it was made of, in whatever pieces it comes", async () => {
    const text = fc.string({ unit: fc.constantFrom("\r", "\n", "-", "b", "a", "\u00ff"), maxLength: 40 });
    const fitting = text.filter((each) => !`\r\n${each}\r\n`.includes("\r\n--b"));
    await fc.assert(
      fc.asyncProperty(
        fc.array(fitting, { maxLength: 6 }),
        fc.integer({ min: 1, max: 80 }),
        async (all, size) => {
          const form = `${all.map((each, at) => field(`f${at}`, each)).join("")}--b--`;
          const parts = await read(pieces(form, size));
          expect(parts.map(({ name, text: held }) => [name, held])).toEqual(
            all.map((each, at) => [`f${at}`, each]),
          );
        },
      ),
    );
  });

  it("that is cut anywhere before its last boundary is refused", async () => {
    const last = two.lastIndexOf("--b--") + "--b--".length;
    for (let length = 0; length < last; length += 1) {
      for (const size of [1, 16, 100_000])
        expect(await refused(two.slice(0, length), size), `${length}`).toMatch(
          /^validation_error: is no multipart/,
        );
    }
  });

  it("of bytes at random is refused or read, and its reading ends", async () => {
    const unit = fc.constantFrom(
      "--b",
      "--b--",
      "\r\n",
      "\r\n\r\n",
      ":",
      "a",
      'Content-Disposition: form-data; name="x"',
    );
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit, maxLength: 30 }),
        fc.integer({ min: 1, max: 50 }),
        async (text, size) => {
          expect(await refused(text, size)).toMatch(/^(?:none|validation_error: is no multipart.*)$/);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("whose parts are skipped, or left in the middle, goes on with the next ones", async () => {
    const large = "x".repeat(300_000);
    const form = `${field("a", large)}${field("b", large)}${field("c", "end")}--b--`;
    const seen: string[] = [];
    for await (const { name, bytes } of formParts(pieces(form, 10_000), "b")) {
      seen.push(name);
      if (name === "b") for await (const piece of bytes) if (piece.length > 0) break;
      if (name === "c") for await (const piece of bytes) seen.push(piece.toString());
    }
    expect(seen).toEqual(["a", "b", "c", "end"]);
  });

  it("is read no further than somebody wants it, and its source is told so", async () => {
    let asked = 0;
    let left = false;
    async function* source(): AsyncGenerator<Buffer> {
      try {
        for await (const piece of pieces(field("a", "x".repeat(1_000_000)), 1_000)) {
          asked += 1;
          yield piece;
        }
      } finally {
        left = true;
      }
    }
    for await (const { bytes } of formParts(source(), "b")) {
      for await (const piece of bytes) if (piece.length > 0) break;
      break;
    }
    expect([asked < 5, left]).toEqual([true, true]);
  });

  it.each([
    ["a part without a name", `${part("Content-Disposition: form-data", "x")}--b--`],
    ["a part of something else", `${part('Content-Disposition: attachment; name="a"', "x")}--b--`],
    ["a part without headers", "--b\r\n\r\nx\r\n--b--"],
    ["headers that do not end", "--b\r\nContent-Disposition: form-data\r\n--b--"],
    ["nothing at all", ""],
    ["another boundary", two.replaceAll("--b", "--c")],
  ])("with %s is validation_error", async (_, text) => {
    for (const size of [1, 100_000]) expect(await refused(text, size)).toMatch(/^validation_error/);
  });

  it("of more than 100 parts, or with a transfer encoding, is unsupported_media_type", async () => {
    const many = Array.from({ length: 101 }, (_, at) => field(`f${at}`, "x"));
    expect(await refused(`${many.slice(1).join("")}--b--`)).toBe("none");
    expect(await refused(`${many.join("")}--b--`)).toBe(
      "unsupported_media_type: A form here has at most 100 parts.",
    );
    const encoded = (encoding: string): string =>
      `${part(`Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: ${encoding}`, "eA==")}--b--`;
    expect(await refused(encoded("base64"))).toMatch(/^unsupported_media_type/);
    expect(await refused(encoded("Binary"))).toBe("none");
  });

  it("keeps no more of a part's headers than 16 KiB", async () => {
    const long = "x".repeat(1_000_000);
    const form = `${part(`Content-Disposition: form-data; name="a"\r\nX-Long: ${long}\r\nContent-Type: image/png`, "x")}--b--`;
    expect(await read(pieces(form, 10_000))).toMatchObject([{ name: "a", type: undefined, text: "x" }]);
  });
});
