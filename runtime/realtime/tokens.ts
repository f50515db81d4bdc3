import type { Clock } from "../clock.ts";
import { Generations, kept } from "../kept.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import type { Signer } from "../signing.ts";
import { digest, rulesKey } from "./sight.ts";

/** A subscription as tokens bear it in mind. */
export interface Borne {
  /** See `Subscription`. */
  readonly identity: string;
  readonly definition: CollectionDefinition;
  /** `exact` of what the caller sees: see `Sight`. */
  readonly key: string;
}

/** What tokens of a stream say but the position: streams of whom all of it is the same share one. */
export interface Bearing {
  readonly caller: string;
  /** Tells it from all others. */
  readonly number: number;
  readonly subscriptions: Buffer;
  /** The newest token: many streams ask for the same. */
  newest: { readonly position: string; readonly at: number; readonly token: string } | undefined;
}

/** What a token says of a subscription that is asked for again. */
export interface Remembered {
  readonly sameAccess: boolean;
  readonly sameRules: boolean;
}

/** A token that is believed. */
export interface Resumption {
  readonly token: string;
  readonly position: string;
  /** It is older than history is promised to be. */
  readonly isOld: boolean;
  /** Undefined for a subscription that is new, or asks for something else than before. */
  remembers(subscription: Borne): Remembered | undefined;
}

/** Age at which history is expired (spec: Limits). */
const day = 24 * 60 * 60 * 1_000;

/** Bytes of the digests of a subscription: what is asked, who sees what of it, the rules. */
const IDENTITY = 8;
const ACCESS = 6;
const RULES = 4;
const EACH = IDENTITY + ACCESS + RULES;

/** Bytes before the subscriptions: their number, and seconds since the epoch. */
const HEAD = 6;

/** Streams whose tokens are made once for all of them. */
const bearings = { values: 20_000, weight: Number.POSITIVE_INFINITY };

/**
 * Resume tokens (spec: Realtime stream events 5): signed for a realm and a caller, at most 1 KiB. A token is the time, a
 * digest of each subscription and the position of the feed.
 */
export class Tokens {
  readonly #signer: Signer;
  readonly #clock: Clock;
  readonly #bearings = new Generations<string, Bearing>(bearings);
  #made = 0;

  constructor(signer: Signer, clock: Clock) {
    this.#signer = signer;
    this.#clock = clock;
  }

  bearing(caller: string, borne: readonly Borne[]): Bearing {
    const subscriptions = Buffer.concat(borne.map(digestOf));
    const key = `${caller} ${subscriptions.toString("latin1")}`;
    const known = this.#bearings.get(key);
    if (known !== undefined) return known;
    this.#made += 1;
    const bearing: Bearing = { caller, number: this.#made, subscriptions, newest: undefined };
    this.#bearings.set(key, bearing, 0);
    return bearing;
  }

  issue(bearing: Bearing, position: string): string {
    const at = Math.floor(this.#clock.now() / 1_000);
    const { newest, subscriptions, caller } = bearing;
    if (newest?.position === position && newest.at === at) return newest.token;
    const head = Buffer.alloc(HEAD);
    head.writeUInt8(subscriptions.length / EACH, 0);
    head.writeUIntBE(at, 1, HEAD - 1);
    const token = this.#signer.sign(Buffer.concat([head, subscriptions, Buffer.from(position)]), caller);
    bearing.newest = { position, at, token };
    return token;
  }

  /** Undefined for what was not issued to this caller of this realm with a key that is still listed. */
  read(token: string, caller: string): Resumption | undefined {
    const payload = this.#signer.openBytes(token, caller);
    if (payload === undefined) return undefined;
    const end = HEAD + payload.readUInt8(0) * EACH;
    const at = payload.readUIntBE(1, HEAD - 1) * 1_000;
    return {
      token,
      position: payload.subarray(end).toString(),
      isOld: this.#clock.now() - at > day,
      remembers: (subscription) => remembered(payload.subarray(HEAD, end), digestOf(subscription)),
    };
  }
}

function remembered(subscriptions: Buffer, asked: Buffer): Remembered | undefined {
  for (let from = 0; from < subscriptions.length; from += EACH) {
    const each = subscriptions.subarray(from, from + EACH);
    if (!same(each, asked, 0, IDENTITY)) continue;
    return {
      sameAccess: same(each, asked, IDENTITY, IDENTITY + ACCESS),
      sameRules: same(each, asked, IDENTITY + ACCESS, EACH),
    };
  }
  return undefined;
}

function same(one: Buffer, other: Buffer, from: number, to: number): boolean {
  return one.subarray(from, to).equals(other.subarray(from, to));
}

const digests = new Generations<string, Buffer>(bearings);
const ofRules = new WeakMap<CollectionDefinition, Buffer>();

function digestOf({ identity, key, definition }: Borne): Buffer {
  const rules = kept(ofRules, definition, () => digest(rulesKey(definition)));
  return Buffer.concat([
    part(identity).subarray(0, IDENTITY),
    part(key).subarray(0, ACCESS),
    rules.subarray(0, RULES),
  ]);
}

/** Thousands of streams ask for the same. */
function part(text: string): Buffer {
  const known = digests.get(text);
  if (known !== undefined) return known;
  const made = digest(text);
  if (text.length <= 1_024) digests.set(text, made, 0);
  return made;
}
