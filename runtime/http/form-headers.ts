/** Headers of `multipart/form-data` (RFC 7578): the boundary of a form, and what a part says of itself. */
import { ApiError } from "../errors.ts";

export const formType = "multipart/form-data";

/** What the header block of a part says. */
export interface PartHeaders {
  /** Of the form's field. */
  readonly name: string;
  /** As Node would give a header: Latin-1, whatever the client wrote; empty of a file that was not chosen. */
  readonly filename: string | undefined;
  /** `Content-Type`, where the part has one. */
  readonly type: string | undefined;
  /** `Content-Transfer-Encoding`, where the bytes are not the file's own. */
  readonly encoding: string | undefined;
}

const plainEncoding = /^(?:7bit|8bit|binary)?$/i;

/** Parameters of a header after its value; the alternatives of a quoted one are disjoint, so that it is read once. */
const parameter =
  /;[ \t]*([A-Za-z0-9_-]+\*?)[ \t]*=[ \t]*(?:"((?:[^"\\]|\\["\\]|\\(?!["\\]))*)"|([^;"\s]*))/g;

/** RFC 2046 has 70 characters at most; of which of them there are clients think differently. */
const boundary = /^[\x20-\x7e]{1,70}$/;

/**
 * What separates the parts of a form.
 * @param header `Content-Type` of the request
 * @throws ApiError `invalid_header`
 */
export function boundaryIn(header: string): string {
  const said = parametersOf(header).get("boundary");
  if (said !== undefined && boundary.test(said)) return said;
  throw new ApiError("invalid_header", "Content-Type is malformed.", {
    details: [{ path: "Content-Type", reason: `${formType} must have a boundary of 1 to 70 characters` }],
  });
}

/**
 * Whether a part is a file: it has the name of one, or says that it is bytes. Browsers send an empty name for a field in
 * which nothing was chosen.
 */
export function isFilePart({ filename, type }: PartHeaders): boolean {
  return filename === undefined
    ? /^[ \t]*application\/octet-stream[ \t]*(?:;|$)/i.test(type ?? "")
    : filename !== "";
}

/** @returns undefined where the part is none of a form: it has no `Content-Disposition: form-data` with a name */
export function partHeaders(headers: Readonly<Record<string, readonly string[]>>): PartHeaders | undefined {
  const said = headers["content-disposition"]?.[0] ?? "";
  if (!/^[ \t]*form-data[ \t]*;/i.test(said)) return undefined;
  const values = parametersOf(said);
  const name = values.get("name");
  if (name === undefined) return undefined;
  const filename = values.get("filename*") ?? values.get("filename");
  const type = headers["content-type"]?.[0];
  const encoding = headers["content-transfer-encoding"]?.[0]?.trim() ?? "";
  return {
    name: Buffer.from(name, "latin1").toString("utf8"),
    filename,
    type: type === "" ? undefined : type,
    encoding: plainEncoding.test(encoding) ? undefined : encoding,
  };
}

/** By their names in lower case; the first of several counts. */
function parametersOf(header: string): ReadonlyMap<string, string> {
  const values = new Map<string, string>();
  for (const [, name = "", quoted, plain = ""] of header.matchAll(parameter)) {
    const key = name.toLowerCase();
    if (!values.has(key))
      values.set(key, quoted === undefined ? plain : quoted.replaceAll(/\\(["\\])/g, "$1"));
  }
  return values;
}
