import { setTimeout } from "node:timers/promises";
import { oneAtATime } from "../../../one-at-a-time.ts";
import { IndexBuilding } from "../../contract/errors.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import type { Engine, TextState } from "../engine.ts";
import { storeError } from "../errors.ts";
import { unlessHeld } from "../exclusively.ts";
import { Leases } from "../leases.ts";
import { TextFill } from "./fill.ts";
import { type TextRecord, TextRecords } from "./record.ts";
import { analysisOf } from "./search.ts";

/**
 * Text indexes of collections that have documents are made in the background, by one instance at a time: the index first,
 * then the stems of every document. What the record of the collection says decides who may search.
 *
 * The declaration that was provisioned last is the current one, as long as instances run with it. Those that run with
 * another (a rolling upgrade) do not search meanwhile, yet they write: documents with other stems. The ones that run with
 * the current declaration look for such documents from time to time, and one of them gives them theirs.
 */

/** Milliseconds for which what was read of a record is believed. */
const BELIEVED = 500;
/** Milliseconds between two looks for documents that others wrote, and whether the index is there. */
const LOOK = 30_000;
/** Milliseconds until another attempt where another instance is at work; where it failed, they double up to LOOK. */
const RETRY = 1_000;
/** Milliseconds between two notes of the progress. */
const NOTE = 1_000;
/** Of the time that documents take, the share that the server is then left alone for; milliseconds at most. */
const REST = 0.5;
const LONGEST_REST = 500;

/** Documents done in a second, until we know better. */
const GUESSED_RATE = 2_000;
/** Seconds that a caller is told to wait at most, and where only another instance can answer. */
const LONGEST_WAIT = 600;
const OTHER_INSTANCE = 5;

const noText: TextState = { check: async () => {}, close: async () => {} };

/**
 * Sees to a collection's text index, if it has one or had one.
 * @param record what is known of it
 */
export async function openTextState(
  engine: Engine,
  shape: CollectionShape,
  record: TextRecord | undefined,
): Promise<TextState> {
  const isGone = record === undefined || (record.analysis === null && record.ready);
  if (shape.text === undefined && isGone) return noText;
  const build = new TextBuild(engine, shape);
  await build.begin(record);
  return build;
}

/** {@link openTextState}'s. */
export class TextBuild implements TextState {
  readonly #engine: Engine;
  readonly #collection: string;
  readonly #analysis: string | null;
  readonly #records: TextRecords;
  readonly #leases: Leases;
  readonly #fill: TextFill;
  readonly #own = new AbortController();
  readonly #closing: AbortSignal;
  #known: { readonly record: TextRecord | undefined; readonly until: number } | undefined;
  #reading: Promise<TextRecord | undefined> | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(engine: Engine, { name, text }: CollectionShape) {
    this.#engine = engine;
    this.#collection = name;
    this.#analysis = text === undefined ? null : analysisOf(text);
    this.#records = new TextRecords(engine, name);
    this.#leases = new Leases(engine);
    this.#fill = new TextFill(engine, name, text);
    this.#closing = AbortSignal.any([engine.closing, this.#own.signal]);
  }

  /** Makes the declaration the current one, and the index, where there is nothing to fill it with. */
  async begin(before: TextRecord | undefined): Promise<void> {
    const isCurrent = before?.analysis === this.#analysis;
    if (isCurrent) await this.#records.mark(this.#analysis);
    else await this.#records.announce(this.#analysis, await this.#fill.size());
    const isReady = (isCurrent && before?.ready) || (await this.#makeEmpty());
    // Others are to notice first that the index is no longer theirs.
    const pause = isReady ? LOOK : isCurrent || before === undefined ? 0 : 2 * BELIEVED;
    this.#running = this.#run(pause);
  }

  async check(): Promise<void> {
    const record = await this.#believed();
    if (record?.analysis !== this.#analysis) throw new IndexBuilding(OTHER_INSTANCE);
    if (!record.ready) throw new IndexBuilding(remaining(record));
  }

  async close(): Promise<void> {
    this.#own.abort();
    await this.#running;
  }

  /** Of an empty collection everything is done at once. */
  async #makeEmpty(): Promise<boolean> {
    if (!(await this.#fill.isEmpty())) return false;
    try {
      await this.#makeIndexes();
      await this.#finish();
      return true;
    } catch (error) {
      // Another instance, with another declaration, did the same perhaps.
      this.#warn(error);
      return false;
    }
  }

  async #run(pause: number): Promise<void> {
    let next = pause;
    for (let failures = 0; ; ) {
      try {
        await this.#sleep(next);
        next = await this.look();
        failures = 0;
      } catch (error) {
        if (this.#closing.aborted) return;
        this.#warn(error);
        next = Math.min(LOOK, RETRY * 2 ** failures);
        failures += 1;
      }
    }
  }

  /** Does what is to be done, if anything; answers after how many milliseconds to look again. */
  async look(): Promise<number> {
    const record = await this.#read();
    if (record === undefined) {
      // The database was restored to what it was before, perhaps.
      await this.#records.announce(this.#analysis, await this.#fill.size());
      return 0;
    }
    if (record.analysis !== this.#analysis) {
      // The instances that run with it see to it, as long as there are any.
      const isOurs = await this.#records.takeOver(this.#analysis, await this.#fill.size());
      return isOurs ? 0 : LOOK;
    }
    await this.#records.mark(this.#analysis);
    if (record.ready && !(await this.#fill.isNeeded())) return LOOK;
    // Making an index may take long.
    const mark = oneAtATime(() => this.#records.mark(this.#analysis));
    const marking = setInterval(() => mark().catch(() => undefined), LOOK).unref();
    try {
      const name = `svc.text.${this.#collection}`;
      const outcome = await unlessHeld(this.#leases, name, () => this.#build(record));
      return outcome?.answer === true ? LOOK : RETRY;
    } finally {
      clearInterval(marking);
    }
  }

  /** False where another declaration became the current one. */
  async #build({ ready }: TextRecord): Promise<boolean> {
    await this.#makeIndexes();
    const total = ready ? 0 : await this.#fill.count();
    const began = performance.now();
    let done = 0;
    let [noted, rested] = [began, began];
    for await (const count of this.#fill.run()) {
      this.#closing.throwIfAborted();
      done += count;
      const now = performance.now();
      if (!ready && now - noted > NOTE) {
        const left = Math.max(0, total - done);
        if (!(await this.#records.progress(this.#analysis, left, (done * 1000) / (now - began))))
          return false;
        noted = now;
      }
      await this.#sleep(Math.min(LONGEST_REST, (now - rested) * REST));
      rested = performance.now();
    }
    return ready || (await this.#finish());
  }

  async #finish(): Promise<boolean> {
    if (this.#analysis === null) await this.#fill.dropIndexes();
    const isCurrent = await this.#records.finish(this.#analysis);
    this.#known = undefined;
    return isCurrent;
  }

  /** As long as the server may take: closing does not wait for it. */
  #makeIndexes(): Promise<void> {
    this.#closing.throwIfAborted();
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(this.#closing.reason);
      this.#closing.addEventListener("abort", giveUp, { once: true });
      this.#fill
        .makeIndexes()
        .then(resolve, reject)
        .finally(() => this.#closing.removeEventListener("abort", giveUp));
    });
  }

  /** Rejects when the store closes. Only what answers requests keeps the process alive. */
  async #sleep(milliseconds: number): Promise<void> {
    await setTimeout(milliseconds, undefined, { signal: this.#closing, ref: false });
  }

  #warn(error: unknown): void {
    const message = `the text index of ${this.#collection} could not be made; it is tried again`;
    this.#engine.warn(error, message);
  }

  async #believed(): Promise<TextRecord | undefined> {
    if (this.#known !== undefined && performance.now() < this.#known.until) return this.#known.record;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<TextRecord | undefined> {
    const until = performance.now() + BELIEVED;
    try {
      const record = await this.#records.read();
      this.#known = { record, until };
      return record;
    } catch (error) {
      throw storeError(error);
    }
  }
}

/** Seconds that a build will take yet, by what it has done. */
function remaining({ left = 0, rate = GUESSED_RATE }: TextRecord): number {
  return Math.min(LONGEST_WAIT, Math.max(1, Math.ceil(left / rate)));
}
