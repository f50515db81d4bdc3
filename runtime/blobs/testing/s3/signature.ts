/** AWS Signature Version 4 as a server checks it, in the header and in the address. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { S3Error } from "./errors.ts";

export interface Key {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly region: string;
}

const SKEW = 15 * 60_000;
const WEEK = 7 * 24 * 3_600;
const EMPTY = sha256("");

/**
 * @returns the hash that the body must have, where it is signed
 * @throws S3Error
 */
export function verify(request: IncomingMessage, url: URL, key: Key, now: number): string | undefined {
  const signed = url.searchParams.has("X-Amz-Signature") ? inAddress(url) : inHeader(request);
  const [id, day, region, service, end] = signed.credential.split("/");
  if (id !== key.accessKeyId) throw new S3Error(403, "InvalidAccessKeyId", "no such key");
  if (
    region !== key.region ||
    service !== "s3" ||
    end !== "aws4_request" ||
    !signed.date.startsWith(`${day}T`)
  ) {
    throw new S3Error(403, "SignatureDoesNotMatch", `the scope is ${signed.credential}`);
  }
  requireTime(signed, now);
  const names = signed.headers;
  for (const name of ["host", ...Object.keys(request.headers).filter((each) => each.startsWith("x-amz-"))]) {
    if (!names.includes(name)) throw new S3Error(403, "AccessDenied", `the header ${name} is not signed`);
  }
  const payload = signed.expires === undefined ? one(request, "x-amz-content-sha256") : "UNSIGNED-PAYLOAD";
  const canonical = [
    request.method,
    url.pathname,
    canonicalQuery(url),
    ...names.map((name) => `${name}:${one(request, name).trim().replace(/ +/g, " ")}`),
    "",
    names.join(";"),
    payload,
  ].join("\n");
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", signed.date, scope, sha256(canonical)].join("\n");
  const secret = [day ?? "", key.region, "s3", "aws4_request"].reduce<Buffer>(
    (by, part) => hmac(by, part),
    Buffer.from(`AWS4${key.secretAccessKey}`),
  );
  const expected = hmac(secret, text);
  const given = Buffer.from(signed.signature, "hex");
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw new S3Error(403, "SignatureDoesNotMatch", canonical);
  }
  if (/^[0-9a-f]{64}$/.test(payload)) return payload;
  return payload === "" ? EMPTY : undefined;
}

interface Signed {
  readonly credential: string;
  readonly headers: readonly string[];
  readonly signature: string;
  /** `20261123T120000Z` */
  readonly date: string;
  /** Seconds; of those in the address. */
  readonly expires: number | undefined;
}

function inHeader(request: IncomingMessage): Signed {
  const header = request.headers.authorization ?? "";
  const [, credential, headers, signature] =
    /^AWS4-HMAC-SHA256 Credential=(\S+), ?SignedHeaders=(\S+), ?Signature=([0-9a-f]{64})$/.exec(header) ?? [];
  if (credential === undefined || headers === undefined || signature === undefined) {
    throw new S3Error(403, "AccessDenied", "it is not signed");
  }
  const date = one(request, "x-amz-date");
  return { credential, headers: headers.split(";"), signature, date, expires: undefined };
}

function inAddress({ searchParams }: URL): Signed {
  const get = (name: string) => searchParams.get(`X-Amz-${name}`) ?? "";
  if (get("Algorithm") !== "AWS4-HMAC-SHA256") throw new S3Error(400, "AuthorizationQueryParametersError");
  const expires = Number(get("Expires"));
  if (!(expires >= 1 && expires <= WEEK)) throw new S3Error(400, "AuthorizationQueryParametersError");
  return {
    credential: get("Credential"),
    headers: get("SignedHeaders").split(";"),
    signature: get("Signature"),
    date: get("Date"),
    expires,
  };
}

function requireTime({ date, expires }: Signed, now: number): void {
  const at = Date.parse(date.replace(/^(....)(..)(..)T(..)(..)(..)Z$/, "$1-$2-$3T$4:$5:$6Z"));
  if (Number.isNaN(at)) throw new S3Error(403, "AccessDenied", `the date is ${date}`);
  if (expires === undefined ? Math.abs(now - at) > SKEW : at - now > SKEW) {
    throw new S3Error(403, "RequestTimeTooSkewed", "the clocks differ");
  }
  if (expires !== undefined && now > at + expires * 1_000) {
    throw new S3Error(403, "AccessDenied", "Request has expired");
  }
}

function canonicalQuery({ searchParams }: URL): string {
  return [...searchParams]
    .filter(([name]) => name !== "X-Amz-Signature")
    .map(([name, value]) => `${escaped(name)}=${escaped(value)}`)
    .sort()
    .join("&");
}

function escaped(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function one(request: IncomingMessage, name: string): string {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(",") : (value ?? "");
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
