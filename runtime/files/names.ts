/** Names of files: as clients say them, and as browsers are told them. */
import { invalidHeader } from "./errors.ts";

/** Bytes of UTF-8 that a name may have. */
const most = 255;

const unnamed = "file";

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

/** Control characters, which no name has. */
export function hasControls(said: string): boolean {
  return control.test(said);
}

/** Marks that turn the direction of what follows, so that `exe.png` may be `gnp.exe`. */
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

const extended = /^utf-8'[A-Za-z0-9-]*'((?:[A-Za-z0-9!#$&+.^_`|~-]|%[0-9A-Fa-f]{2})*)$/i;

/**
 * The name in `X-Svc-Filename`, plain or as RFC 8187 has it (`UTF-8''na%C3%AFve.txt`); plain ones are UTF-8, or Latin-1
 * where they are no UTF-8.
 * @throws ApiError `invalid_header` where there are control characters in it
 */
export function nameIn(header: string | undefined): string {
  return header === undefined ? unnamed : fileName(said(header, "X-Svc-Filename"), "X-Svc-Filename");
}

/**
 * The name that a part of a form has, written like that; of a path only what comes last (RFC 7578, section 4.2).
 * @throws ApiError `invalid_header` where there are control characters in it
 */
export function partName(filename: string | undefined): string {
  if (filename === undefined) return unnamed;
  return fileName(said(filename, "filename").replace(/^.*[/\\]/s, ""), "filename");
}

function said(header: string, path: string): string {
  const encoded = extended.exec(header.trim())?.[1];
  return encoded === undefined ? plain(header) : decoded(encoded, path);
}

/**
 * A name as it is kept: without ways out of a folder, and not too long.
 * @param path where it was said, for the error
 * @throws ApiError `invalid_header`
 */
export function fileName(name: string, path: string): string {
  if (hasControls(name)) throw invalidHeader(path, "must have no control characters");
  // A half of a character, which is no UTF-8, becomes the mark for that.
  const kept = Buffer.from(name)
    .toString()
    .replaceAll(turning, "")
    .replaceAll(/[/\\]/g, "_")
    .trim()
    .replace(/^\.+/, (dots) => "_".repeat(dots.length));
  return cut(kept) || unnamed;
}

/** Node gives headers as Latin-1. */
function plain(header: string): string {
  const bytes = Buffer.from(header, "latin1");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return header;
  }
}

function decoded(encoded: string, path: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw invalidHeader(path, "must be UTF-8, percent-encoded (RFC 8187)");
  }
}

/** At a character, and with the extension where that is short. */
function cut(name: string): string {
  if (Buffer.byteLength(name) <= most) return name;
  const extension = /\.[A-Za-z0-9]{1,16}$/.exec(name)?.[0] ?? "";
  const stem = name.slice(0, name.length - extension.length);
  let kept = "";
  let bytes = Buffer.byteLength(extension);
  for (const character of stem) {
    bytes += Buffer.byteLength(character);
    if (bytes > most) break;
    kept += character;
  }
  return kept + extension;
}

/** Types that browsers may show in place: nothing in them runs. */
const shown = /^(?:image\/(?!svg)|audio\/|video\/|application\/pdf$|text\/plain$)/;

/** `Content-Disposition` (RFC 6266): the name twice, for those who know UTF-8 and those who do not. */
export function disposition(name: string, type: string): string {
  const kind = shown.test(type) ? "inline" : "attachment";
  const ascii = name.replaceAll(/[^\x20-\x7e]/g, "_").replaceAll(/["\\%]/g, "_");
  const rest = encodeURIComponent(name).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${rest}`;
}
