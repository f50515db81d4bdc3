/** Audio that is frames alone: each says where the next one begins, and that one must be there and agree. */
import type { Looked } from "./head.ts";

/** Frames that are looked at, where there are so many. */
const MOST = 4;

interface Frame {
  /** Bytes to the next one. */
  readonly length: number;
  /** What all frames of a stream have in common. */
  readonly kind: string;
}

const rates1 = [
  [32, 64, 96, 128, 160, 192, 224, 256, 288, 320, 352, 384, 416, 448],
  [32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384],
  [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
];
const rates2 = [
  [32, 48, 56, 64, 80, 96, 112, 128, 144, 160, 176, 192, 224, 256],
  [8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];
const samplings = [44_100, 48_000, 32_000];

/** MPEG 1, 2 and 2.5, layers I to III. */
export function isMpegAudio(looked: Looked): Promise<boolean> {
  return areFrames(looked, (head) => {
    if (head.length < 4 || head[0] !== 0xff || ((head[1] ?? 0) & 0xe0) !== 0xe0) return undefined;
    const [, one = 0, two = 0] = head;
    const [version, layer] = [(one >> 3) & 3, 4 - ((one >> 1) & 3)];
    const sampling = samplings[(two >> 2) & 3];
    const rates = version === 3 ? rates1[layer - 1] : rates2[layer === 1 ? 0 : 1];
    const rate = rates?.[(two >> 4) - 1];
    if (version === 1 || layer === 4 || sampling === undefined || rate === undefined) return undefined;
    const hertz = sampling / (version === 3 ? 1 : version === 2 ? 2 : 4);
    const padding = (two >> 1) & 1;
    const samples = layer === 3 && version !== 3 ? 72 : 144;
    const length =
      layer === 1
        ? (Math.floor((12_000 * rate) / hertz) + padding) * 4
        : Math.floor((samples * 1_000 * rate) / hertz) + padding;
    return { length, kind: `${version}/${layer}/${hertz}` };
  });
}

/** AAC in ADTS frames. */
export function isAacAudio(looked: Looked): Promise<boolean> {
  if (looked.head.toString("latin1", 0, 4) === "ADIF") return Promise.resolve(true);
  return areFrames(looked, (head) => {
    if (head.length < 7 || head[0] !== 0xff || ((head[1] ?? 0) & 0xf6) !== 0xf0) return undefined;
    const [, one = 0, two = 0, three = 0, four = 0, five = 0] = head;
    const sampling = (two >> 2) & 15;
    const length = ((three & 3) << 11) | (four << 3) | (five >> 5);
    return sampling > 12 || length < 7 ? undefined : { length, kind: `${one & 8}/${two >> 6}/${sampling}` };
  });
}

const dolbyRates = [32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384, 448, 512, 576, 640];

/** AC-3 and E-AC-3. */
export function isDolbyAudio(looked: Looked): Promise<boolean> {
  return areFrames(looked, (head) => {
    if (head.length < 6 || head[0] !== 0x0b || head[1] !== 0x77) return undefined;
    const [, , two = 0, three = 0, four = 0, five = 0] = head;
    const format = five >> 3;
    if (format > 10)
      return format > 16 ? undefined : { length: ((((two & 7) << 8) | three) + 1) * 2, kind: "e" };
    const rate = dolbyRates[(four & 63) >> 1];
    const sampling = four >> 6;
    if (rate === undefined || sampling === 3) return undefined;
    const words = [rate * 2, Math.floor((rate * 96_000) / 44_100) + (four & 1), rate * 3][sampling];
    return words === undefined ? undefined : { length: words * 2, kind: `${sampling}/${format}` };
  });
}

/** From the first byte on, or after a tag of ID3. At the end of a file may stand other tags. */
async function areFrames(
  { head, size, at }: Looked,
  read: (head: Buffer) => Frame | undefined,
): Promise<boolean> {
  let place = afterTags(head);
  let before: Frame | undefined;
  for (let seen = 0; seen < MOST; seen += 1) {
    const bytes = await at(place, 8);
    const frame = read(bytes);
    if (frame === undefined || (before !== undefined && frame.kind !== before.kind))
      return seen > 0 && (place >= size || isTag(bytes));
    before = frame;
    place += frame.length;
    // The last frame may be cut off; one alone must be whole.
    if (place > size) return seen > 0;
  }
  return true;
}

function afterTags(head: Buffer): number {
  if (head.toString("latin1", 0, 3) !== "ID3" || head.length < 10) return 0;
  const size = [6, 7, 8, 9].reduce((sum, at) => sum * 128 + ((head[at] ?? 0) & 127), 0);
  return 10 + size + ((head[5] ?? 0) & 0x10 ? 10 : 0);
}

function isTag(bytes: Buffer): boolean {
  return /^(?:TAG|APETAGEX|LYRICSBE|ID3)/.test(bytes.toString("latin1"));
}
