import { ApiError } from "../../errors.ts";
import type { Answer, ByteSource, Ending, Exchange } from "../../realm/exchange.ts";
import { namesTag } from "../etag.ts";

/** Bytes that can be read from anywhere. */
export interface Representation {
  /** Bytes of all. */
  readonly length: number;
  /** Quoted; a weak one, with `W/`, serves no `If-Range`. */
  readonly etag: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** As of every stream, of the bytes from `start` to before `end`. */
  readonly open: (start: number, end: number, ending: Ending) => ByteSource | Promise<ByteSource>;
  /** As of every stream. @param of how many bytes it was to be */
  readonly ended?: (bytes: number, of: number) => void;
}

/**
 * Answers with a representation, or with the part of it that `Range` asks for (RFC 9110, 13.1.5 and 14): 200, 206, or 304
 * where `If-None-Match` names it. Who asks for several parts gets all of it, as do those whose `Range` is malformed, in
 * other units than bytes, or whose `If-Range` is not its tag: dates, of which it has none, included.
 * @throws ApiError `range_not_satisfiable`
 */
export function ranged(
  { method, headers }: Pick<Exchange, "method" | "headers">,
  { length, etag, headers: own, open, ended }: Representation,
): Answer {
  if (namesTag(headers["if-none-match"], etag)) return { status: 304, headers: { ...kept(own), etag } };
  const range = method === "GET" && isCurrent(headers["if-range"], etag) ? headers.range : undefined;
  const part = partOf(range, length);
  if (part === "unsatisfiable") {
    throw new ApiError("range_not_satisfiable", "The range is outside of what there is.", {
      headers: { "content-range": `bytes */${length}`, "accept-ranges": "bytes" },
    });
  }
  const [start, end] = part === "whole" ? [0, length] : [part.start, part.end];
  return {
    status: part === "whole" ? 200 : 206,
    headers: {
      ...own,
      etag,
      "accept-ranges": "bytes",
      ...(part !== "whole" && { "content-range": `bytes ${start}-${end - 1}/${length}` }),
    },
    body: {
      kind: "stream",
      length: end - start,
      open: (ending) => open(start, end, ending),
      ended: (bytes) => ended?.(bytes, end - start),
    },
  };
}

/** What a 304 repeats (RFC 9110, 15.4.5). */
function kept(headers: Representation["headers"]): Record<string, string> {
  const names = ["cache-control", "vary"];
  return Object.fromEntries(Object.entries(headers).filter(([name]) => names.includes(name)));
}

/** RFC 9110, 13.1.5: tags compare strongly. */
function isCurrent(condition: string | string[] | undefined, etag: string): boolean {
  return condition === undefined || (condition === etag && !etag.startsWith("W/"));
}

/** From `start` to before `end`. */
export interface Part {
  readonly start: number;
  readonly end: number;
}

const bytes = /^bytes=/i;
const between = /^(\d+)-(\d*)$/;
const last = /^-(\d+)$/;

/** The part of `length` bytes that a `Range` header asks for (RFC 9110, 14.1.2). */
export function partOf(header: string | undefined, length: number): Part | "whole" | "unsatisfiable" {
  // Of nothing there is no part, and clients ask for parts by habit.
  if (header === undefined || length === 0 || !bytes.test(header)) return "whole";
  const specs = header
    .slice("bytes=".length)
    .split(",")
    .map((spec) => spec.trim())
    .filter((spec) => spec !== "");
  const [spec = ""] = specs;
  if (specs.length !== 1) return "whole";
  const suffix = last.exec(spec);
  if (suffix !== null) {
    const wanted = Number(suffix[1]);
    return wanted === 0 ? "unsatisfiable" : { start: Math.max(0, length - wanted), end: length };
  }
  const range = between.exec(spec);
  if (range === null) return "whole";
  const [start, stop] = [Number(range[1]), range[2] === "" ? Number.POSITIVE_INFINITY : Number(range[2])];
  if (stop < start) return "whole";
  return start >= length ? "unsatisfiable" : { start, end: Math.min(stop + 1, length) };
}
