import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HistoryExpired, StoreUnavailable } from "../../contract/errors.ts";
import type { Change } from "../../contract/feed.ts";
import { Follower, type Stream } from "./follow.ts";
import type { Batch } from "./stream.ts";

/** A stream that answers what a test tells it to. */
class Scripted implements Stream {
  readonly after: string | undefined;
  readonly #answers: (Batch | Error)[] = [];
  #opened: (position: string) => void = () => {};
  #wake: () => void = () => {};
  #closed = false;

  constructor(after: string | undefined) {
    this.after = after;
  }

  onceOpened(listener: (position: string) => void): void {
    this.#opened = listener;
  }

  open(position: string): void {
    this.#opened(position);
  }

  /** Changes at these positions. */
  answer(...positions: readonly string[]): void {
    this.#push({ changes: positions.map(change), position: positions.at(-1) ?? "", time: undefined });
  }

  stand(position: string): void {
    this.#push({ changes: [], position, time: undefined });
  }

  fail(error: Error): void {
    this.#push(error);
  }

  async next(): Promise<Batch> {
    for (;;) {
      if (this.#closed) throw new Error("the stream is closed");
      const answer = this.#answers.shift();
      if (answer instanceof Error) throw answer;
      if (answer !== undefined) return answer;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#wake();
  }

  #push(answer: Batch | Error): void {
    this.#answers.push(answer);
    this.#wake();
  }
}

const change = (position: string): Change => ({
  position,
  commit: position,
  isLast: true,
  at: 0,
  collection: "app.people",
  id: position,
  recorded: "ids",
});
const down = new StoreUnavailable("a test");

/** Resolves with what comes next, or has come and was not waited for yet. */
class Coming<T> {
  readonly #come: T[] = [];
  readonly #waiting: ((value: T) => void)[] = [];

  push(value: T): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#come.push(value);
    else waiting(value);
  }

  next(): Promise<T> {
    const come = this.#come.shift();
    return come === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(come);
  }
}

const clock = { time: 0, now: () => clock.time };
let streams: Coming<Scripted>;
let news: Coming<true>;
let pauses: Coming<{ readonly failures: number; end(): void }>;
let failed: (readonly [Error, number])[];
let follower: Follower;

beforeEach(() => {
  clock.time = 0;
  streams = new Coming();
  news = new Coming();
  pauses = new Coming();
  failed = [];
  follower = new Follower({
    open(after) {
      const stream = new Scripted(after);
      streams.push(stream);
      return stream;
    },
    onNews: () => news.push(true),
    onFailure: (error, failures) => failed.push([error, failures]),
    clock,
    pause: (failures, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener("abort", () => reject(signal.reason));
        pauses.push({ failures, end: () => resolve(undefined) });
      }),
  });
});
afterEach(() => follower.close());

const read = (position: string) =>
  follower.tail.after(position, 100, 1_000_000)?.items.map((found) => found.position);

async function begin(position: string): Promise<Scripted> {
  follower.start();
  const stream = await streams.next();
  stream.open(position);
  await news.next();
  return stream;
}

describe("the follower", () => {
  test("begins when it is started, once, and tells that there may be news", async () => {
    const begun = follower.begun();
    follower.start();
    const stream = await streams.next();
    expect(stream.after).toBeUndefined();
    stream.open("p0");
    expect(await begun).toBe("p0");
    await news.next();
    expect(read("p0")).toEqual([]);
  });

  test("keeps what comes, and tells", async () => {
    const stream = await begin("p0");
    stream.answer("p1", "p2");
    await news.next();
    expect(read("p0")).toEqual(["p1", "p2"]);
    expect(await follower.begun()).toBe("p2");
  });

  test("goes on where it was after failures, pausing longer each time until the server answers", async () => {
    let stream = await begin("p0");
    stream.answer("p1");
    stream.fail(down);
    for (const failures of [1, 2, 3]) {
      const pause = await pauses.next();
      expect(pause.failures).toBe(failures);
      pause.end();
      stream = await streams.next();
      expect(stream.after).toBe("p1");
      if (failures < 3) stream.fail(down);
    }
    stream.stand("p5");
    stream.answer("p6");
    stream.fail(down);
    const pause = await pauses.next();
    expect(pause.failures).toBe(1);
    pause.end();
    expect((await streams.next()).after).toBe("p6");
    expect(read("p0")).toEqual(["p1", "p6"]);
    expect(failed).toEqual([1, 2, 3, 1].map((failures) => [down, failures]));
  });

  test("what it cannot begin for is thrown, at once during the pause, and it tries on", async () => {
    const begun = [follower.begun(), follower.begun()];
    (await streams.next()).fail(down);
    for (const waiting of begun) await expect(waiting).rejects.toBe(down);
    const pause = await pauses.next();
    await expect(follower.begun()).rejects.toBe(down);
    pause.end();
    const stream = await streams.next();
    const later = follower.begun();
    stream.open("p0");
    expect(await later).toBe("p0");
  });

  test("where the history was lost it begins anew, and readers find out", async () => {
    const stream = await begin("p0");
    stream.answer("p1");
    await news.next();
    stream.fail(new HistoryExpired());
    const pause = await pauses.next();
    expect(read("p1")).toBeUndefined();
    const begun = follower.begun();
    pause.end();
    const anew = await streams.next();
    expect(anew.after).toBeUndefined();
    anew.open("q0");
    await news.next();
    expect(await begun).toBe("q0");
    anew.answer("q1");
    await news.next();
    expect(read("q0")).toEqual(["q1"]);
    expect(read("p0")).toBeUndefined();
  });

  test("where nothing happens a later position takes the place of the last one now and then", async () => {
    const stream = await begin("p0");
    stream.stand("p1");
    stream.answer("p2");
    await news.next();
    clock.time = 3_600_000 - 1;
    stream.stand("p3");
    stream.answer("p4");
    await news.next();
    expect(follower.tail.has("p3")).toBe(false);
    clock.time += 3_600_000;
    stream.stand("p5");
    stream.stand("p6");
    stream.answer("p7");
    await news.next();
    expect(read("p0")).toEqual(["p2", "p4", "p7"]);
    expect(read("p5")).toEqual(["p7"]);
    expect(follower.tail.has("p6")).toBe(false);
  });

  test("closing ends it at once, whatever it does", async () => {
    const waiting = follower.begun();
    await streams.next();
    await follower.close();
    await expect(waiting).rejects.toThrow("the store is closed");
    await expect(follower.begun()).rejects.toThrow("the store is closed");
  });

  test("closing ends a pause", async () => {
    const stream = await begin("p0");
    stream.fail(down);
    await pauses.next();
    await follower.close();
    expect(await follower.begun()).toBe("p0");
  });
});
