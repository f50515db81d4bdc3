/** What `accept` may say. */
import { alternatives, closest, didYouMean } from "../../../runtime/suggest.ts";

/** Registered top-level types (IANA) that files have. */
const kinds = ["application", "audio", "font", "image", "message", "model", "text", "video"];

/** Types that people mean, and what is written for them by mistake. */
const common: Readonly<Record<string, string>> = {
  "application/doc": "application/msword",
  "application/docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "application/excel": "application/vnd.ms-excel",
  "application/word": "application/msword",
  "application/x-pdf": "application/pdf",
  "application/x-zip-compressed": "application/zip",
  "application/xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "audio/mp3": "audio/mpeg",
  "image/jpg": "image/jpeg",
  "image/pjpeg": "image/jpeg",
  "image/svg": "image/svg+xml",
  "image/tif": "image/tiff",
  "image/x-png": "image/png",
  "text/json": "application/json",
  "text/txt": "text/plain",
  "video/mov": "video/quicktime",
};

const registered = [
  "application/gzip",
  "application/json",
  "application/msword",
  "application/octet-stream",
  "application/ogg",
  "application/pdf",
  "application/rtf",
  "application/vnd.ms-excel",
  "application/vnd.ms-powerpoint",
  "application/vnd.oasis.opendocument.presentation",
  "application/vnd.oasis.opendocument.spreadsheet",
  "application/vnd.oasis.opendocument.text",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "application/xml",
  "application/zip",
  "audio/aac",
  "audio/flac",
  "audio/midi",
  "audio/mp4",
  "audio/mpeg",
  "audio/ogg",
  "audio/wav",
  "font/otf",
  "font/ttf",
  "font/woff",
  "font/woff2",
  "image/apng",
  "image/avif",
  "image/bmp",
  "image/gif",
  "image/heic",
  "image/heif",
  "image/jpeg",
  "image/png",
  "image/svg+xml",
  "image/tiff",
  "image/webp",
  "message/rfc822",
  "text/calendar",
  "text/css",
  "text/csv",
  "text/html",
  "text/markdown",
  "text/plain",
  "text/xml",
  "video/mp4",
  "video/mpeg",
  "video/ogg",
  "video/quicktime",
  "video/webm",
];

const restricted = "[a-z0-9][a-z0-9!#$&^_.+-]{0,126}";
const mediaType = new RegExp(`^(?:\\*|${restricted})/(?:\\*|${restricted})$`);

export interface TypeProblem {
  readonly problem: string;
  readonly hint?: string | undefined;
}

/** Why nothing has this type (RFC 6838), or undefined. */
export function typeProblem(type: string): TypeProblem | undefined {
  if (mediaType.test(type)) return kindProblem(type);
  const [bare = ""] = type.split(";");
  if (type.includes(";"))
    return { problem: "it has parameters", hint: writeInstead(bare.trim().toLowerCase()) };
  if (type !== type.toLowerCase())
    return { problem: "it has capital letters", hint: writeInstead(type.toLowerCase()) };
  if (type === "*") return { problem: "it has no '/'", hint: "write '*/*'" };
  if (/^\.?[a-z0-9]+$/.test(type)) {
    const ending = type.replace(".", "");
    const meant = [...registered, ...Object.keys(common)].find((each) => each.endsWith(`/${ending}`));
    return {
      problem: "it has no '/'",
      hint: meant === undefined ? undefined : writeInstead(common[meant] ?? meant),
    };
  }
  return { problem: "it is not type/subtype", hint: didYouMean(type, registered) };
}

function kindProblem(type: string): TypeProblem | undefined {
  const [kind = "", subtype = ""] = type.split("/");
  if (kind === "*")
    return subtype === "*" ? undefined : { problem: "no type has any first part", hint: "write '*/*'" };
  if (kinds.includes(kind)) return undefined;
  const meant = didYouMean(kind, kinds);
  return {
    problem: `there is no '${kind}'`,
    hint: meant ?? `media types of files begin with ${alternatives(kinds)}`,
  };
}

function writeInstead(type: string): string | undefined {
  return mediaType.test(type) ? `write '${type}'` : undefined;
}

/** What is probably meant by a type of the right form that is none that files are found to have. */
export function unusualType(type: string): string | undefined {
  if (type.endsWith("/*") || registered.includes(type)) return undefined;
  const meant = common[type];
  if (meant !== undefined) return `did you mean '${meant}'?`;
  const [kind = "", subtype = ""] = type.split("/");
  // Vendors' and unregistered types are what they are, and short names are near to many.
  if (/^(?:vnd|prs|x)[.-]/.test(subtype) || subtype.length < 4) return undefined;
  const near = closest(
    subtype,
    registered.flatMap((each) => (each.startsWith(`${kind}/`) ? [each.slice(kind.length + 1)] : [])),
  );
  return near === undefined ? undefined : `did you mean '${kind}/${near}'?`;
}

/** Whether a wildcard holds a type, or a narrower wildcard. */
export function covers(wildcard: string, type: string): boolean {
  return wildcard === "*/*" || (wildcard.endsWith("/*") && type.startsWith(wildcard.slice(0, -1)));
}
