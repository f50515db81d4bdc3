/** Media types by the names that they are known by, and which of them hold which. */

/** In place of a claim by clients that do not know: it says nothing. */
export const UNKNOWN = "application/octet-stream";

/** What browsers, systems and older programs call a type, by the name that the detector gives it. */
const others: Readonly<Record<string, readonly string[]>> = {
  "image/jpeg": ["image/jpg", "image/pjpeg"],
  "image/png": ["image/x-png", "image/apng", "image/vnd.mozilla.apng"],
  "image/bmp": ["image/x-bmp", "image/x-ms-bmp"],
  "image/x-icon": ["image/vnd.microsoft.icon", "image/ico"],
  "image/vnd.adobe.photoshop": ["image/x-photoshop", "image/psd", "application/x-photoshop"],
  "image/heic": ["image/heif"],
  "image/heic-sequence": ["image/heif-sequence"],
  "image/tiff": ["image/tif", "image/x-tiff"],
  "image/jp2": ["image/jpeg2000", "image/x-jp2"],
  "audio/mpeg": ["audio/mp3", "audio/x-mp3", "audio/x-mpeg"],
  "audio/wav": ["audio/x-wav", "audio/wave", "audio/vnd.wave", "audio/x-pn-wav"],
  "audio/flac": ["audio/x-flac"],
  "audio/aiff": ["audio/x-aiff"],
  "audio/aac": ["audio/x-aac", "audio/aacp"],
  "audio/midi": ["audio/x-midi", "audio/mid"],
  "audio/mp4": ["audio/x-m4a", "audio/m4a"],
  "video/mp4": ["video/x-m4v"],
  "video/matroska": ["video/x-matroska"],
  "video/vnd.avi": ["video/x-msvideo", "video/avi", "video/msvideo"],
  "video/mp2t": ["video/mpeg2ts"],
  "video/mpeg": ["video/mp2p", "video/mp1s"],
  "application/gzip": ["application/x-gzip", "application/x-gtar-compressed", "application/x-compressed-tar"],
  "application/x-7z-compressed": ["application/7z"],
  "application/x-bzip2": ["application/bzip2", "application/x-bzip"],
  "application/x-rar-compressed": ["application/vnd.rar", "application/x-rar"],
  "application/x-xz": ["application/xz"],
  "application/zstd": ["application/x-zstd"],
  "application/zip": ["application/x-zip", "application/x-zip-compressed"],
  "application/x-tar": ["application/tar"],
  "application/x-cfb": ["application/x-ole-storage"],
  "application/pdf": ["application/x-pdf"],
  "application/rtf": ["text/rtf", "application/x-rtf"],
  "application/xml": ["text/xml"],
  "application/postscript": ["application/eps", "application/x-eps", "image/x-eps"],
  "application/x-sqlite3": ["application/vnd.sqlite3"],
  "application/x-deb": ["application/vnd.debian.binary-package", "application/x-debian-package"],
  "application/x-msdownload": ["application/vnd.microsoft.portable-executable", "application/x-dosexec"],
  "application/java-archive": ["application/x-java-archive", "application/x-jar"],
  "application/vnd.visio": ["application/vnd.ms-visio.drawing"],
  "font/ttf": ["application/x-font-ttf", "application/x-font-truetype", "font/sfnt"],
  "font/otf": ["application/x-font-otf", "application/x-font-opentype"],
  "font/woff": ["application/font-woff", "application/x-font-woff"],
  "font/woff2": ["application/font-woff2"],
  "text/vcard": ["text/x-vcard", "text/directory"],
};

const canonical = new Map(
  Object.entries(others).flatMap(([type, names]) => names.map((name) => [name, type] as const)),
);

/** A type as it is compared and stored: without parameters, in lower case, by one of its names. */
export function mediaType(text: string): string {
  const [essence = ""] = text.split(";");
  const type = essence.trim().toLowerCase();
  return canonical.get(type) ?? type;
}

const officePackages =
  /^application\/(?:vnd\.(?:openxmlformats-officedocument|oasis\.opendocument|sun\.xml|ms-(?:word|excel|powerpoint|visio|xpsdocument|package)|visio|google-earth\.kmz|android\.package-archive|comicbook\+zip|etsi\.asic-[es]\+zip|recordare\.musicxml$|apple\.(?:pages|numbers|keynote))|.*\+zip$|java-archive$|x-xpinstall$|oxps$|x-webarchive$|epub\+zip$|x-krita$)|^model\/(?:3mf|vnd\.usdz\+zip)$/;
const oleDocuments =
  /^application\/(?:msword|vnd\.(?:ms-(?:excel|powerpoint|outlook|project|works|publisher)|visio)|x-(?:msi|mspublisher|hwp|msproject)|haansofthwp|vnd\.hancom\.hwp)$/;

/** What a container that the detector names may turn out to hold. */
const contents: Readonly<Record<string, (claim: string) => boolean>> = {
  "application/zip": (claim) => officePackages.test(claim),
  "application/java-archive": (claim) =>
    [
      "application/vnd.android.package-archive",
      "application/x-xpinstall",
      "application/x-webarchive",
    ].includes(claim),
  "application/x-cfb": (claim) => oleDocuments.test(claim),
  // Vectors are told by their root, so that nothing else is taken for an image.
  "application/xml": (claim) => isTextual(claim) && claim !== "image/svg+xml",
  "application/gzip": (claim) => ["application/x-gtar", "application/x-gnumeric"].includes(claim),
  // Word reads it under its own name, and others write it so.
  "application/rtf": (claim) => claim === "application/msword",
  "image/tiff": (claim) =>
    /^image\/x-(?:adobe-dng|canon-cr2|nikon-nef|sony-arw|pentax-pef|olympus-orf)$/.test(claim),
  "application/ogg": isOgg,
  "audio/ogg": isOgg,
  "video/ogg": isOgg,
  "video/mp4": (claim) => ["audio/mp4", "video/3gpp", "video/quicktime"].includes(claim),
  "video/3gpp": (claim) => ["audio/3gpp", "video/mp4", "audio/mp4"].includes(claim),
  "video/3gpp2": (claim) => claim === "audio/3gpp2",
  "video/matroska": (claim) => claim === "audio/x-matroska" || claim === "audio/matroska",
  "video/webm": (claim) => claim === "audio/webm",
  "application/vnd.ms-asf": isAsf,
  "video/x-ms-asf": isAsf,
  "audio/x-ms-asf": isAsf,
};

function isOgg(claim: string): boolean {
  return /^(?:(?:application|audio|video)\/ogg|audio\/(?:opus|vorbis|x-speex|speex|x-vorbis\+ogg))$/.test(
    claim,
  );
}

function isAsf(claim: string): boolean {
  return /^(?:(?:audio|video)\/x-ms-(?:asf|wma|wmv)|application\/vnd\.ms-asf)$/.test(claim);
}

/** What is a container to who does not look into it: claiming that says less than is known, and is true. */
const containerOf: readonly (readonly [RegExp, string])[] = [
  [officePackages, "application/zip"],
  [oleDocuments, "application/x-cfb"],
  [/^application\/vnd\.ms-outlook$/, "application/x-cfb"],
  [/\+xml$/, "application/xml"],
];

/** Whether content that was detected as one type may be what a claim says. */
export function mayBe(detected: string, claim: string): boolean {
  return (
    detected === claim ||
    contents[detected]?.(claim) === true ||
    containerOf.some(([held, container]) => container === claim && held.test(detected)) ||
    (textFormats.has(detected) && claim === "text/plain")
  );
}

/** Formats of the detector that are text to who does not know them. */
const textFormats = new Set([
  "application/xml",
  "image/svg+xml",
  "text/vcard",
  "text/calendar",
  "text/vtt",
  "model/stl",
  "application/pgp-encrypted",
  "application/x-ms-regedit",
]);

/**
 * Formats told by a few letters that a text may begin with, too. All of them hold bytes that no text does, so that a text
 * is none of them.
 */
export const weaklySigned: ReadonlySet<string> = new Set([
  "application/vnd.apache.parquet",
  "application/x-blender",
  "application/x-bzip2",
  "application/x-ft-windows-registry-hive",
  "application/x-google-chrome-extension",
  "application/x-lzip",
  "application/x-msdownload",
  "application/x-sqlite3",
  "audio/aiff",
  "audio/midi",
  "audio/mpeg",
  "audio/wav",
  "audio/x-musepack",
  "image/bmp",
  "image/icns",
]);

const textual =
  /^(?:text\/[^/]+|[^/]+\/[^/]+\+(?:xml|json|yaml)|application\/(?:vnd\.oasis\.opendocument\.[a-z]+-flat-xml|json|jsonl|ld-json|x-ndjson|json5|jsonlines|x-jsonlines|xml|xml-dtd|yaml|x-yaml|toml|javascript|x-javascript|ecmascript|typescript|x-typescript|sql|x-sql|graphql|x-sh|x-shellscript|x-csh|x-httpd-php|x-php|x-perl|x-python|x-ruby|x-tex|x-latex|x-bibtex|x-subrip|mbox|x-troff(?:-man|-me|-ms)?|x-patch|x-pem-file|x-x509-ca-cert|pem-certificate-chain|pgp-keys|pgp-signature|x-ms-regedit|trig|n-triples|n-quads|sparql-query|x-gnuplot|x-abiword|x-desktop|vnd\.apple\.mpegurl|x-mpegurl|edi-x12|edifact)|audio\/(?:x-mpegurl|mpegurl)|message\/[^/]+|model\/(?:obj|mtl|step|iges|vrml)|chemical\/[^/]+)$/;

/** Whether a type's content is text, as far as that can be told. */
export function isTextual(type: string): boolean {
  return textual.test(type);
}

/** `image/png`, `image/*` or `*` with any subtype, each by any of its names. */
export function isAccepted(type: string, accept: readonly string[]): boolean {
  const [top = ""] = type.split("/");
  return accept.some(
    (each) => each === "*/*" || each.toLowerCase() === `${top}/*` || mediaType(each) === type,
  );
}

/** Types that the detector knows in some of their forms alone. */
export const halfKnown: ReadonlySet<string> = new Set([
  "application/x-tar",
  "model/stl",
  "video/mpeg",
  "audio/mpeg",
]);
