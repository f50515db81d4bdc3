import type { Clock } from "../../clock.ts";
import { Recent } from "../../kept.ts";
import { type TokenKind, tokenHash, tokenKind } from "./tokens.ts";

/** A token that a request carries, as it is looked for. */
export interface Bearer {
  readonly kind: TokenKind;
  /** SHA-256 of the token. */
  readonly hash: string;
}

/** Milliseconds after which nothing is remembered. */
const period = 60_000;

/** Headers remembered at most. */
const remembered = 10_000;

/**
 * Reads `Authorization` headers. Hashing a token costs as much as all else about a session; so what was read is remembered,
 * tokens in clear with it, for a minute at most and in memory alone. Nothing about a token is decided here.
 */
export class BearerReader {
  readonly #clock: Clock;
  readonly #read = new Recent<string, Bearer>(remembered);
  #since = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The token of `Bearer <token>`; undefined for another scheme and for what is no token of ours. */
  read(authorization: string): Bearer | undefined {
    const now = this.#clock.now();
    if (now - this.#since >= period || now < this.#since) {
      this.#read.clear();
      this.#since = now;
    }
    return this.#read.get(authorization) ?? this.#parse(authorization);
  }

  #parse(authorization: string): Bearer | undefined {
    const token = /^bearer +([^ ]+) *$/i.exec(authorization)?.[1];
    const kind = token === undefined ? undefined : tokenKind(token);
    if (token === undefined || kind === undefined) return undefined;
    const bearer = { kind, hash: tokenHash(token) };
    this.#read.set(authorization, bearer);
    return bearer;
  }
}
