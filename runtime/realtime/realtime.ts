import { clientEntrance, type Entrance } from "../documents/entrance.ts";
import { ApiError } from "../errors.ts";
import type { RealmInstance } from "../realm/exchange.ts";
import { Turns } from "../turns.ts";
import type { AccessMeans } from "./access.ts";
import { StreamLimits } from "./limits.ts";
import { HEARTBEAT, type Home, type Opening, OpenStream } from "./open-stream.ts";
import type { Stream } from "./stream.ts";
import { Tokens } from "./tokens.ts";
import { Watch } from "./watch.ts";
import { Wheel } from "./wheel.ts";

/** Streams that read their access at a time. */
const READINGS = 16;

export class Realtime implements Home {
  readonly realm: RealmInstance;
  readonly entrance: Entrance;
  readonly means: AccessMeans;
  readonly tokens: Tokens;
  readonly limits: StreamLimits;
  readonly wheel: Wheel;
  readonly open = new Set<OpenStream>();
  readonly #watch = new Watch();
  /** How the feed's reader is let go; present while there are streams, or some begin. */
  #attending: Promise<() => void> | undefined;
  #attended = 0;

  constructor(realm: RealmInstance) {
    const { definition, clock, realtime, streams } = realm;
    const followed = definition.collections.filter((collection) => collection.realtime === true);
    this.realm = realm;
    this.entrance = clientEntrance(realm, followed);
    const turns = new Turns(READINGS, Number.POSITIVE_INFINITY, () => new Error("the queue has no end"));
    this.means = { realm, reader: this.entrance.reader, watch: this.#watch, turns };
    this.tokens = new Tokens(streams, clock);
    this.limits = new StreamLimits(realtime.limits, clock, realtime.shared);
    this.wheel = new Wheel(HEARTBEAT, realtime.repeat);
    realtime.stopping.addEventListener("abort", () => {
      for (const stream of [...this.open]) stream.close();
    });
  }

  /**
   * Begins a stream (realtime.md, Opening a stream 8).
   * @throws (rejects with) ApiError `too_many_requests` | `realtime_unavailable`, and as the caller's first reading where
   *   they are no more who they were, or may read nothing any more. Then nothing was counted and nothing is left.
   */
  async begin(opening: Opening): Promise<Stream> {
    this.requireService();
    const stream = new OpenStream(this, opening);
    try {
      return await stream.begin(opening);
    } catch (error) {
      stream.close();
      throw error;
    }
  }

  requireService(): void {
    const { enabled, stopping } = this.realm.realtime;
    if (enabled && !stopping.aborted) return;
    throw new ApiError("realtime_unavailable", "This instance serves no realtime streams.");
  }

  async attend(): Promise<void> {
    this.#attended += 1;
    this.#attending ??= this.realm.hub.tap(this.#watch);
    await this.#attending;
  }

  leave(): void {
    this.#attended -= 1;
    if (this.#attended > 0) return;
    // Where it could not begin, whoever attended was told.
    void this.#attending?.then((end) => end()).catch(() => undefined);
    this.#attending = undefined;
  }
}
