/**
 * A second look at what the detector tells from two to four bytes, which a text or anything else may begin with: the fields
 * that follow must be such as the format has.
 */
import type { Spooled } from "../../blobs/store.ts";
import { isAacAudio, isDolbyAudio, isMpegAudio } from "./audio-frames.ts";
import { bytesAt, headOf, type Looked } from "./head.ts";

/** Bytes that a look takes in: some frames of the largest audio, with what stands before them. */
const HEAD = 65_536;

type Look = (looked: Looked) => boolean | Promise<boolean>;

/** By the name that the detector gives, canonical or not. */
const looks: Readonly<Record<string, Look>> = {
  "application/gzip": ({ head }) => (head[3] ?? 0xff) < 0x20,
  "application/eps": isPostScript,
  "application/postscript": isPostScript,
  "application/x-apple-diskimage": async ({ size, at }) =>
    size >= 512 && (await at(size - 512, 4)).toString("latin1") === "koly",
  "application/x-arj": ({ head }) =>
    head.length > 34 && within(head.readUInt16LE(2), 30, 2_600) && within(head[4], 30, 255) && head[10] === 2,
  "application/x-bzip2": ({ head }) =>
    within(head[3], 0x31, 0x39) && ["314159265359", "177245385090"].includes(head.toString("hex", 4, 10)),
  "application/x-compress": ({ head }) =>
    within((head[2] ?? 0) & 0x1f, 9, 16) && ((head[2] ?? 0xff) & 0x60) === 0,
  "application/x-cpio": ({ head }) => {
    if (head[0] !== 0xc7) return true;
    if (head.length < 28) return false;
    const end = 25 + head.readUInt16LE(20);
    return within(end, 27, 1_049) && head.indexOf(0, 26) === end;
  },
  "application/x-msdownload": isProgram,
  "application/x-shockwave-flash": ({ head, size }) => {
    if (head.length < 10 || !within(head[3], 1, 60)) return false;
    // Whole, or packed by zlib.
    return head[0] === 0x46
      ? head.readUInt32LE(4) === size
      : head.readUInt16BE(8) % 31 === 0 && ((head[8] ?? 0) & 0x0f) === 8;
  },
  "audio/aac": isAacAudio,
  "audio/mpeg": isMpegAudio,
  "audio/vnd.dolby.dd-raw": isDolbyAudio,
  "audio/x-musepack": ({ head }) => head.toString("latin1", 0, 4) === "MPCK" || ((head[3] ?? 0) & 0x0f) === 7,
  "image/bmp": ({ head, size }) =>
    head.length > 25 &&
    [12, 16, 40, 52, 56, 64, 108, 124].includes(head.readUInt32LE(14)) &&
    within(head.readUInt32LE(10), 26, size),
  "image/gif": ({ head }) => /^GIF8[79]a$/.test(head.toString("latin1", 0, 6)),
  "image/jpeg": ({ head }) => within(head[3], 0xc0, 0xff),
  "image/jxl": isJpegXl,
  "image/vnd.ms-photo": ({ head, size }) =>
    within(head[3], 0, 1) && head.length > 8 && within(head.readUInt32LE(4), 8, size),
  "image/x-icon": isIcon,
  "video/mp2t": isTransportStream,
  "video/mpeg": ({ head }) => {
    if (head.length < 12) return false;
    const [four = 0, seven = 0, ten = 0] = [head[4], head[7], head[10]];
    return head[3] === 0xba
      ? (four & 0xc4) === 0x44 || (four & 0xf1) === 0x21
      : within(seven & 0x0f, 1, 8) && within(seven >> 4, 1, 14) && (ten & 0x20) !== 0;
  },
};

/** Whether bytes are what the detector says, where it has looked at a few of them alone. */
export async function isBorneOut(spooled: Spooled, type: string): Promise<boolean> {
  const look = Object.hasOwn(looks, type) ? looks[type] : undefined;
  if (look === undefined) return true;
  const whole = await headOf(spooled, HEAD);
  // The detector passes over the mark of UTF-8.
  const head = whole[0] === 0xef && whole[1] === 0xbb && whole[2] === 0xbf ? whole.subarray(3) : whole;
  return look({ head, size: spooled.size, at: (offset, length) => bytesAt(spooled, offset, length) });
}

function within(value: number | undefined, least: number, most: number): boolean {
  return value !== undefined && value >= least && value <= most;
}

function isPostScript({ head }: Looked): boolean {
  // Some have a header of bytes before it, which has a signature that no text begins with.
  return head[0] === 0xc5 || /^(?:%!PS|%!\s*[\r\n])/.test(head.toString("latin1", 0, 64));
}

/** A program of DOS, or one of Windows behind it. */
function isProgram({ head, size }: Looked): boolean {
  if (head.length < 28) return false;
  const next = head.length > 63 ? head.readUInt32LE(60) : 0;
  const mark = next > 0 && next < head.length ? head.toString("latin1", next, next + 2) : "";
  if (["PE", "NE", "LE", "LX"].includes(mark)) return true;
  const [last, pages, paragraphs] = [2, 4, 8].map((at) => head.readUInt16LE(at));
  return within(last, 0, 511) && within(pages, 1, Math.ceil(size / 512)) && within(paragraphs, 2, 4_096);
}

function isIcon({ head, size }: Looked): boolean {
  if (head.length < 22) return false;
  const count = head.readUInt16LE(4);
  const [bytes, offset] = [head.readUInt32LE(14), head.readUInt32LE(18)];
  return (
    within(count, 1, 1_024) &&
    head[9] === 0 &&
    bytes > 0 &&
    offset >= 6 + 16 * count &&
    offset + bytes <= size
  );
}

/** Packets of 188 or 192 bytes, each with its mark, as far as one looks. */
function isTransportStream({ head }: Looked): boolean {
  return [
    [0, 188],
    [4, 192],
  ].some(([first = 0, step = 0]) => {
    for (let at = first, seen = 0; seen < 5; at += step, seen += 1) {
      if (at >= head.length) return seen > 1;
      if (head[at] !== 0x47) return false;
    }
    return true;
  });
}

const RATIOS = [
  [1, 1],
  [6, 5],
  [4, 3],
  [3, 2],
  [16, 9],
  [5, 4],
  [2, 1],
] as const;

/** A bare codestream whose sides are such as pictures have; in a container it has a name of its own. */
function isJpegXl({ head }: Looked): boolean {
  if (head[0] !== 0xff) return true;
  if (head.length < 16) return false;
  let at = 16;
  const bits = (count: number) => {
    let value = 0;
    for (let n = 0; n < count; n += 1, at += 1) value += (((head[at >> 3] ?? 0) >> (at & 7)) & 1) * 2 ** n;
    return value;
  };
  const isSmall = bits(1) === 1;
  const side = () => (isSmall ? (bits(5) + 1) * 8 : 1 + bits([9, 13, 18, 30][bits(2)] ?? 9));
  const height = side();
  const [wide, high] = RATIOS[bits(3) - 1] ?? [0, 1];
  const width = wide === 0 ? side() : Math.floor((height * wide) / high);
  return within(height, 1, 100_000) && within(width, 1, 100_000);
}
