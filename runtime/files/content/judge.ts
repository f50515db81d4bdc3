/** What type a file is of: by its content, and by what its sender claims as far as the content bears it out. */
import type { FileTypeParser } from "file-type";
import type { Spooled } from "../../blobs/store.ts";
import { halfKnown, isAccepted, isTextual, mayBe, mediaType, UNKNOWN, weaklySigned } from "./media-types.ts";
import { isBorneOut } from "./second-look.ts";
import { isSvg } from "./svg.ts";
import { textIn } from "./text.ts";

/** The content is of no type that is accepted, or not of the one that was claimed. */
export class UnsupportedType extends Error {
  /** What the content is; undefined where that is not known. */
  readonly detected: string | undefined;

  constructor(why: string, detected: string | undefined) {
    super(why);
    this.name = "UnsupportedType";
    this.detected = detected;
  }
}

/**
 * The media type of a file, without parameters (files.md, "Type by content"). A claim may say what is in a container that was
 * detected (a zip file: docx; OLE: doc; XML; Ogg, MP4 and their like: sound alone), or name a kind of text where nothing
 * was detected and all of it is text without NUL, in UTF-8 or by its byte order mark in UTF-16 or UTF-32. Claims of a type that nothing can be told of are not believed: these
 * are `application/octet-stream`.
 * @param claim `Content-Type`, as it was sent; `application/octet-stream` claims nothing
 * @param accept of the field
 * @throws UnsupportedType
 */
export async function judge(
  spooled: Spooled,
  claim: string | undefined,
  accept: readonly string[],
): Promise<string> {
  const claimed = claim === undefined ? UNKNOWN : mediaType(claim);
  const type = await typeOf(spooled, claimed === "" ? UNKNOWN : claimed);
  if (!isAccepted(type, accept)) throw new UnsupportedType(`Files of type ${type} are not taken here.`, type);
  return type;
}

async function typeOf(spooled: Spooled, claim: string): Promise<string> {
  const found = await detected(spooled);
  if (found !== undefined && !(weaklySigned.has(found) && (await textIn(spooled)) !== undefined)) {
    if (claim === UNKNOWN) return found;
    if (mayBe(found, claim)) return claim;
    throw new UnsupportedType(`The content is ${found}, which is not the type that was given.`, found);
  }
  if (claim === UNKNOWN) return (await textIn(spooled)) === undefined ? UNKNOWN : "text/plain";
  if (isTextual(claim) && claim !== "image/svg+xml") {
    const charset = await textIn(spooled);
    // Of other types than texts none knows another charset, or a mark of its own does not tell it.
    if (charset === "utf-8" || (charset !== undefined && claim.startsWith("text/"))) return claim;
    throw new UnsupportedType(
      "The content is no text in UTF-8, nor one that begins with the mark of UTF-16 or UTF-32, as the type that was given says.",
      undefined,
    );
  }
  if (claim === "image/svg+xml" || (await loaded()).known.has(claim)) {
    throw new UnsupportedType("The content is not of the type that was given.", undefined);
  }
  return UNKNOWN;
}

/** By the detector, where the content bears it out, and vectors, of which it knows the XML at most. */
async function detected(spooled: Spooled): Promise<string | undefined> {
  const { parser } = await loaded();
  const found = await (spooled.kind === "memory"
    ? parser.fromBuffer(spooled.bytes)
    : parser.fromFile(spooled.path));
  const type = found === undefined ? undefined : mediaType(found.mime);
  if (type !== undefined && type !== "application/xml")
    return (await isBorneOut(spooled, type)) ? type : undefined;
  return (await isSvg(spooled)) ? "image/svg+xml" : type;
}

interface Detector {
  readonly parser: FileTypeParser;
  /** Types that it would have told, so that nothing else is of them. */
  readonly known: ReadonlySet<string>;
}

let detector: Detector | undefined;

/** Loaded with the first file. */
async function loaded(): Promise<Detector> {
  if (detector === undefined) {
    const { FileTypeParser, supportedMimeTypes } = await import("file-type");
    const types = [...supportedMimeTypes].map(mediaType);
    detector = {
      parser: new FileTypeParser(),
      known: new Set(types.filter((type) => !halfKnown.has(type))),
    };
  }
  return detector;
}
