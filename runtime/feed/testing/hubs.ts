/** A store that is followed and hubs that read it, made anew for each test of a file. */
import { afterEach, beforeEach } from "vitest";
import { eq } from "../../filter/algebra.ts";
import type { Store } from "../../store/contract/store.ts";
import { fields, shape } from "../../store/testing/suite/fixtures.ts";
import type { Follower } from "../follower.ts";
import { Hub, type HubOptions } from "../hub.ts";
import { followedStore, people, type Watched, watched } from "./followed.ts";

export class Hubs {
  #store: Store | undefined;
  #feed: Watched | undefined;
  readonly #hubs: Hub[] = [];

  /** To be called at the top of a file. */
  static eachTest(): Hubs {
    const hubs = new Hubs();
    beforeEach(() => hubs.#begin());
    afterEach(() => hubs.#end());
    return hubs;
  }

  get store(): Store {
    if (this.#store === undefined) throw new Error("there is none between tests");
    return this.#store;
  }

  get feed(): Watched {
    if (this.#feed === undefined) throw new Error("there is none between tests");
    return this.#feed;
  }

  open(options: Partial<HubOptions> = {}): Hub {
    const gather = () => new Promise(setImmediate);
    const hub = new Hub({ feed: this.feed, pause: () => Promise.resolve(), gather, ...options });
    this.#hubs.push(hub);
    return hub;
  }

  async #begin(): Promise<void> {
    this.#store = await followedStore(shape("app.accounts", { feed: "ids" }));
    this.#feed = watched(this.#store.feed);
  }

  async #end(): Promise<void> {
    for (const hub of this.#hubs.splice(0)) await hub.close();
    await this.#store?.close();
  }
}

export const everybody = [["people", people]] as const;
export const named = (name: string) => [["named", { ...people, filter: eq(fields.name, name) }]] as const;
export const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `d${from + n}`);
export const joined = async (follower: Follower) => {
  while (!follower.isLive) await new Promise(setImmediate);
};
