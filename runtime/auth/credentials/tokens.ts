import { hash, randomBytes } from "node:crypto";

/** What a token is for, as its prefix says. */
export type TokenKind = "svs" | "svk";

const shape = /^sv[sk]_[A-Za-z0-9_-]{43}$/;

/** A new opaque token of 256 random bits: `svs_…` for a session, `svk_…` for an API key. */
export function newToken(kind: TokenKind): string {
  return `${kind}_${randomBytes(32).toString("base64url")}`;
}

/** The kind of a well-formed token; undefined for anything else. */
export function tokenKind(token: string): TokenKind | undefined {
  if (!shape.test(token)) return undefined;
  return token.startsWith("svk") ? "svk" : "svs";
}

/** SHA-256 in hexadecimal: the only form in which a token is stored. 256 random bits need no salt. */
export function tokenHash(token: string): string {
  return hash("sha256", token, "hex");
}
