import { setTimeout } from "node:timers/promises";
import { differencesOf } from "../../realtime/model/differences.ts";
import type { Told, Wanted } from "../../realtime/model/followed.ts";
import { type Place, Subscriber } from "../../realtime/model/subscriber.ts";
import { Moments } from "../../realtime/model/timeline.ts";
import { type Caller, versionOf } from "../../realtime/model/world.ts";
import type { Headers } from "../../realtime/wire/requests.ts";
import { judge } from "../feed/judge.ts";
import type { Seen } from "../feed/setting.ts";
import { followed } from "./writer.ts";

/** Milliseconds after which what has not come is not coming. */
const patience = 120_000;

const robot: Caller = { kind: "key", scopes: undefined };
const user: Caller = { kind: "session", user: "user", mfa: false };
const anonymous: Caller = { kind: "anonymous" };

export interface Credentials {
  /** Of the realm, at a server that lives or does not. */
  url(): string;
  readonly robot: Headers;
  readonly user: Headers;
}

/** Everybody who follows; whoever loses their stream comes again with their last token, at any server. */
export class Audience {
  readonly #place: Place;
  readonly #moments = new Moments();
  /** Reads and follows all there is, from the beginning. */
  readonly #everything: Subscriber;
  readonly #all: Subscriber[] = [];
  readonly #attending: Promise<void>[] = [];
  #isOver = false;

  constructor({ url, ...headers }: Credentials) {
    this.#place = {
      url,
      headersOf: ({ kind }) => (kind === "key" ? headers.robot : kind === "session" ? headers.user : {}),
    };
    this.#everything = this.#come(robot, ...followed.map((collection) => ({ collection })));
  }

  async comeForEverything(): Promise<void> {
    await this.#settled();
  }

  /** @param docs of `posts`, for those who follow one alone */
  async comeForSome(docs: readonly string[]): Promise<void> {
    const few = { rank: { $lt: 5 } };
    this.#come(user, { collection: "posts", where: few }, { collection: "tasks", where: { open: false } });
    this.#come(
      anonymous,
      { collection: "posts" },
      { collection: "tasks", where: { rank: { $in: [1, 2, 3] } } },
    );
    for (const doc of docs) {
      this.#come(anonymous, { collection: "posts", doc }, { collection: "tasks" });
      this.#come(user, { collection: "posts", doc });
    }
    await this.#settled();
  }

  /** Events that whoever follows everything has had. */
  get told(): number {
    return this.#everything.told.length;
  }

  get events(): number {
    return this.#all.reduce((sum, { told }) => sum + told.length, 0);
  }

  get held(): number {
    return this.#all.flatMap((each) => [...each.states()]).reduce((sum, { held }) => sum + held.size, 0);
  }

  /** What they hold otherwise than their lists show it, when nobody writes. */
  async differences(): Promise<readonly string[]> {
    for (const began = Date.now(); ; await setTimeout(20)) {
      await this.#settled();
      const found = (await Promise.all(this.#all.map(differencesOf))).flat();
      if (found.length === 0 || Date.now() - began > patience) return found;
    }
  }

  /**
   * What is wrong with what they were told: nothing is missing or twice, nobody's stream had anything to begin anew for.
   * @param acknowledged `<collection> <id> <did>`
   */
  async judged(acknowledged: readonly string[]): Promise<readonly string[]> {
    const problems = this.#all.flatMap(({ name, told, faults, seen, ended }) => [
      ...faults.map((fault) => `${name}: ${fault}`),
      ...[...seen.keys()].filter((what) => what.startsWith("reset")).map((what) => `${name}: ${what}`),
      ...(ended === undefined ? [] : [`${name} ended: ${ended}`]),
      ...shrunk(told).map((what) => `${name}: ${what}`),
    ]);
    const stored = new Map<string, number>();
    for (const collection of followed) {
      const listed = await this.#everything.list({ collection });
      if (typeof listed === "string") throw new Error(`${collection} cannot be listed`);
      for (const [id, document] of listed) stored.set(`${collection} ${id}`, versionOf(document));
    }
    return [...problems, ...judge(acknowledged, this.#everything.told.map(seenOf), stored)];
  }

  async leave(): Promise<void> {
    this.#isOver = true;
    for (const each of this.#all) each.leave();
    await Promise.all(this.#attending);
  }

  #come(caller: Caller, ...wanted: readonly Wanted[]): Subscriber {
    const name = `${caller.kind} with ${JSON.stringify(wanted)}`;
    const [place, moments] = [this.#place, this.#moments];
    const options = { name, caller, session: undefined, place, moments, localAddress: undefined };
    const subscriber = new Subscriber(options, new Map(wanted.map((each) => [each.collection, each])));
    this.#all.push(subscriber);
    this.#attending.push(this.#attend(subscriber));
    return subscriber;
  }

  async #attend(subscriber: Subscriber): Promise<void> {
    while (!this.#isOver) {
      await subscriber.open();
      await Promise.race([subscriber.changed(), setTimeout(20)]);
    }
  }

  async #settled(): Promise<void> {
    for (const began = Date.now(); this.#all.some(({ isSettled }) => !isSettled); await setTimeout(5)) {
      if (Date.now() - began > patience) throw new Error("somebody is never ready and loaded");
    }
  }
}

/** Versions of documents only grow; who removes one may name the last that it had. */
function shrunk(told: readonly Told[]): readonly string[] {
  const last = new Map<string, number>();
  return told.flatMap(({ event, collection, id, version }) => {
    const before = last.get(id) ?? 0;
    last.set(id, version);
    const grows = event === "removed" ? version >= before : version > before;
    return grows ? [] : [`told ${event} ${collection}/${id}@${version} after ${before}`];
  });
}

const signs = { created: "+", updated: "~", removed: "-" } as const;

/** For one who reads everything each change is one event. */
function seenOf({ event, collection, id, version }: Told, step: number): Seen {
  return { document: `${collection} ${id}`, did: `${signs[event]}${version}`, batch: null, step, place: 0 };
}
