import { hash, randomBytes } from "node:crypto";

/** What a token is for, as its prefix says. */
export type TokenKind = keyof typeof kinds;

const kinds = {
  svs: "session",
  svk: "API key",
  svi: "invitation",
  svp: "proof of identity",
  svt: "verification, password reset or change of address",
} as const;

const shape = /^(sv[skipt])_[A-Za-z0-9_-]{43}$/;

/** A new opaque token of 256 random bits: `svs_…` for a session, `svk_…` for an API key, and so on. */
export function newToken(kind: TokenKind): string {
  return `${kind}_${randomBytes(32).toString("base64url")}`;
}

/** What a token may be known by to whom it was shown: 24 of its 256 random bits. */
export function startOf(token: string): string {
  return token.slice(0, 8);
}

/** Whether an `Authorization` header carries a token of ours, be it well-formed or not. */
export function isOurs(authorization: string): boolean {
  return /^bearer +sv[skipt]_/i.test(authorization);
}

/** The kind of a well-formed token; undefined for anything else. */
export function tokenKind(token: string): TokenKind | undefined {
  const prefix = shape.exec(token)?.[1];
  return prefix !== undefined && isKind(prefix) ? prefix : undefined;
}

function isKind(prefix: string): prefix is TokenKind {
  return Object.hasOwn(kinds, prefix);
}

/** SHA-256 in hexadecimal: the only form in which a token is stored. 256 random bits need no salt. */
export function tokenHash(token: string): string {
  return hash("sha256", token, "hex");
}
