import { Random } from "../../organizations/model/prng.ts";
import { closeIdle } from "../wire/requests.ts";
import { Cast, endings } from "./cast.ts";
import { Changes } from "./changes.ts";
import { differencesOf } from "./differences.ts";
import { Writers } from "./documents.ts";
import type { Stage } from "./stage.ts";
import type { Subscriber } from "./subscriber.ts";
import { Moments, Timeline } from "./timeline.ts";
import { versionOf } from "./world.ts";

/** What a run came to. */
export interface Outcome {
  /** In words; empty when all is well. */
  readonly faults: readonly string[];
  /** Resets by reason, ends of streams, refusals. */
  readonly seen: ReadonlyMap<string, number>;
  /** Answers by kind of operation. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** Events of documents. */
  readonly events: number;
  /** All that happened. */
  readonly journal: readonly string[];
}

/** Milliseconds after which what has not come is not coming. */
const patience = 60_000;
const minute = 60_000;

/** What happens between two rests, one of them at a time. */
const scenes = [
  "none",
  "ending",
  "wait",
  "other config",
  "ending",
  "none",
  "flood",
  "ending",
  "restart",
  "wait",
  "ending",
  "none",
  "long wait",
  "ending",
] as const;
type Scene = (typeof scenes)[number];

export class Run {
  readonly #stage: Stage;
  readonly #random: Random;
  readonly #moments = new Moments();
  readonly #timeline: Timeline;
  readonly #writers: Writers;
  readonly #changes: Changes;
  readonly #cast: Cast;
  readonly #faults: string[] = [];
  readonly #seen = new Map<string, number>();
  #beats = 0;
  #scenes: number;
  #endings = 0;
  #events = 0;

  constructor(stage: Stage, random: Random) {
    this.#stage = stage;
    this.#scenes = Math.floor(random.next() * scenes.length);
    this.#random = random;
    this.#timeline = new Timeline(stage.access);
    const shared = [stage, random, this.#moments, this.#timeline] as const;
    this.#writers = new Writers(...shared);
    this.#changes = new Changes(...shared);
    this.#cast = new Cast(stage, random, this.#moments, (collection) => this.#writers.idsOf(collection));
  }

  /** Does so many steps, or fewer where something is wrong. */
  async go(length: number): Promise<Outcome> {
    await this.#writers.prepare();
    await this.#cast.gather();
    for (let n = 0; n < 30; n += 1) await this.#writers.write();
    await this.#rest("none");
    for (let step = 0; step < length && this.#faults.length === 0; step += 1) {
      await this.#step();
      if (step % 7 === 6) await this.#scene();
    }
    for (const subscriber of this.#cast.subscribers) this.#leave(subscriber);
    closeIdle();
    const outcomes = new Map([...this.#writers.outcomes, ...this.#changes.outcomes]);
    return {
      faults: this.#faults,
      seen: this.#seen,
      outcomes,
      events: this.#events,
      journal: this.#moments.journal,
    };
  }

  /** Writes and a change of access at the same time, while streams are cut and opened. */
  async #step(): Promise<void> {
    const random = this.#random;
    const work = random.some([1, 2, 3, 4], 3).map(() => this.#writers.write());
    if (random.chance(0.3)) work.push(this.#changes.change());
    for (const subscriber of this.#cast.subscribers) {
      if (random.chance(0.06)) this.#cut(subscriber);
      else if (!subscriber.isOpen && random.chance(0.3)) work.push(subscriber.open());
    }
    await Promise.all(work);
  }

  #cut(subscriber: Subscriber): void {
    const random = this.#random;
    subscriber.cut();
    if (random.chance(0.15)) subscriber.forgetToken();
    if (random.chance(0.3)) subscriber.add(this.#cast.nextName(), this.#cast.wanted());
    const droppable = subscriber.subscriptions.filter((id) => id !== "beat");
    if (random.chance(0.2) && droppable.length > 1) subscriber.drop(random.pick(droppable));
  }

  async #scene(): Promise<void> {
    const scene = this.#nextScene();
    this.#moments.note(`scene: ${scene}`);
    // Some of it is judged by what everybody knew before.
    if (scene !== "none") await this.#rest("none");
    await this.#play(scene);
    await this.#rest(scene);
  }

  /** Each kind in its turn, so that every run meets all of them. */
  #nextScene(): Scene {
    this.#scenes += 1;
    return scenes[this.#scenes % scenes.length] ?? "none";
  }

  async #play(scene: Scene): Promise<void> {
    const { critical } = this.#timeline.access;
    switch (scene) {
      case "none":
        return;
      case "restart":
        return this.#restart(critical);
      case "other config":
        return this.#restart(!critical);
      case "wait":
        return this.#changes.wait(20 * minute);
      case "long wait":
        for (const subscriber of this.#cast.subscribers) if (this.#random.chance(0.5)) subscriber.cut();
        return this.#changes.wait(25 * 60 * minute);
      case "flood":
        return this.#flood();
      case "ending":
        return this.#end();
    }
  }

  async #restart(critical: boolean): Promise<void> {
    const from = this.#moments.next();
    await this.#stage.restart(critical);
    this.#timeline.changed({ ...this.#timeline.access, critical }, from, this.#moments.next());
  }

  async #flood(): Promise<void> {
    const [slow] = this.#cast.subscribers.filter(
      ({ isOpen, subscriptions }) => isOpen && subscriptions.includes("blob"),
    );
    slow?.pause();
    await this.#writers.flood();
    slow?.resume();
  }

  async #end(): Promise<void> {
    const how = endings[this.#endings % endings.length] ?? "revoked";
    this.#endings += 1;
    const ending = await this.#cast.endOne(how);
    if (ending === undefined) return;
    const { subscriber, ended } = ending;
    if (ended === "reauth") this.#changes.wait(20 * minute);
    await this.#until(
      () => subscriber.ended !== undefined,
      [subscriber],
      `${subscriber.name} to be told ${ended}`,
    );
    if (subscriber.ended !== undefined && subscriber.ended !== ended) {
      this.#faults.push(`${subscriber.name} was told ${subscriber.ended} instead of ${ended}`);
    }
  }

  /** Everything is open, loaded and has come through; then everybody has what their lists show. */
  async #rest(after: Scene): Promise<void> {
    const { subscribers } = this.#cast;
    for (const subscriber of subscribers) subscriber.resume();
    await this.#opened();
    this.#beats += 1;
    const version = await this.#writers.beat(this.#beats);
    const heard = (subscriber: Subscriber) => subscriber.ended !== undefined || beatOf(subscriber) >= version;
    const all = this.#cast.subscribers;
    await this.#until(
      () => all.every((each) => heard(each) && each.isSettled),
      all,
      "the beat to come through",
      () => all.filter((each) => !(heard(each) && each.isSettled)).map(({ name }) => name),
    );
    // What the clock decides is read anew some time later.
    const isLate = after === "wait" || after === "long wait" || after === "ending";
    const unequal = async () => (await Promise.all(all.map((each) => differencesOf(each)))).flat();
    let differences = await unequal();
    for (const began = Date.now(); isLate && differences.length > 0 && Date.now() - began < patience; ) {
      await Promise.race([...all.map((each) => each.changed()), pause()]);
      differences = await unequal();
    }
    this.#faults.push(...differences);
    for (const subscriber of all) this.#judge(subscriber);
    this.#timeline.settle();
  }

  /** Opens what is closed; whoever has ended is replaced. */
  async #opened(): Promise<void> {
    for (const began = Date.now(); Date.now() - began < patience; ) {
      for (const subscriber of this.#cast.subscribers)
        if (subscriber.ended !== undefined) this.#judge(subscriber);
      for (const gone of await this.#cast.replaceEnded()) this.#takeSeen(gone);
      await Promise.all(this.#cast.subscribers.map((each) => each.open()));
      const { subscribers } = this.#cast;
      const settled = () => subscribers.every(({ isSettled }) => isSettled);
      if (settled() && subscribers.every(({ ended }) => ended === undefined)) return;
      await Promise.race([...subscribers.map((each) => each.changed()), pause()]);
    }
    const open = this.#cast.subscribers.filter(({ isSettled }) => !isSettled);
    this.#faults.push(`never ready and loaded: ${open.map(({ name }) => name).join(", ")}`);
  }

  async #until(
    done: () => boolean,
    subscribers: readonly Subscriber[],
    what: string,
    who: () => readonly string[] = () => [],
  ): Promise<void> {
    const began = Date.now();
    while (!done()) {
      if (Date.now() - began > patience) {
        this.#faults.push(`waited in vain for ${what} ${who().join(", ")}`);
        return;
      }
      await Promise.race([...subscribers.map((each) => each.changed()), pause()]);
    }
  }

  /** What it was told is what it could have read then. */
  #judge(subscriber: Subscriber): void {
    const told = subscriber.told;
    subscriber.told = [];
    this.#events += told.length;
    for (const { at, event, collection, id, version, view } of told) {
      // Every beat is everybody's to read.
      if (collection === "beats") continue;
      const why = (of: number) =>
        this.#timeline.whyNot(subscriber.caller, collection, { id, version: of, view, at }, false);
      const reason = event === "removed" ? why(version) && why(version - 1) : why(version);
      if (reason === undefined) continue;
      this.#faults.push(`${subscriber.name} was told ${event} ${collection}/${id}@${version}: ${reason}`);
    }
    this.#faults.push(...subscriber.faults.splice(0).map((fault) => `${subscriber.name}: ${fault}`));
  }

  #leave(subscriber: Subscriber): void {
    subscriber.leave();
    this.#judge(subscriber);
    this.#takeSeen(subscriber);
  }

  #takeSeen({ seen }: Subscriber): void {
    for (const [what, count] of seen) this.#seen.set(what, (this.#seen.get(what) ?? 0) + count);
    seen.clear();
  }
}

function beatOf(subscriber: Subscriber): number {
  for (const { id, held } of subscriber.states()) {
    const beat = id === "beat" ? held.get("beat") : undefined;
    if (beat !== undefined) return versionOf(beat);
  }
  return 0;
}

/** So that what was missed is seen. */
function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 50));
}

export async function runSeed(setStage: (random: Random) => Promise<Stage>, seed: number, length: number) {
  const random = new Random(seed);
  const stage = await setStage(random);
  try {
    return await new Run(stage, random).go(length);
  } finally {
    await stage.stop();
  }
}
