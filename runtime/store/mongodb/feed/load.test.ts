import fc from "fast-check";
import type { AnyBulkWriteOperation } from "mongodb";
import { expect, test } from "vitest";
import type { Change } from "../../contract/feed.ts";
import { documentIn } from "../../testing/suite/fixtures.ts";
import type { Fault } from "../testing/faults.ts";
import { type TestDocument, useFeeds } from "../testing/feeds.ts";
import { describeMongo } from "../testing/server.ts";
import type { MongoFeed } from "./feed.ts";

/** Writes of a run; `FEED_WRITES=20000` for more. */
const WRITES = Number(process.env["FEED_WRITES"] ?? 1_500);
const SEED = Number(process.env["FEED_SEED"] ?? 20260301);
const BATCH = 100;
const DOCUMENTS = 200;

/** Random writes in batches, and what the feed is to say of them: `+d1@1`, `~d1@1>2`, `-d1@2`. */
function randomWrites(): { batches: AnyBulkWriteOperation<TestDocument>[][]; history: readonly string[] } {
  const numbers = fc.sample(fc.noBias(fc.nat(999_999)), { numRuns: WRITES, seed: SEED });
  const versions = new Map<string, number>();
  const history: string[] = [];
  const batches: AnyBulkWriteOperation<TestDocument>[][] = [];
  for (const [n, number] of numbers.entries()) {
    const _id = `d${number % DOCUMENTS}`;
    const version = versions.get(_id);
    const document = (next: number) => ({ _id, _meta: { version: next } });
    if (n % BATCH === 0) batches.push([]);
    const batch = batches.at(-1);
    if (version === undefined) {
      batch?.push({ insertOne: { document: document(1) } });
      history.push(`+${_id}@1`);
      versions.set(_id, 1);
    } else if (number % 7 === 0) {
      batch?.push({ deleteOne: { filter: { _id } } });
      history.push(`-${_id}@${version}`);
      versions.delete(_id);
    } else {
      batch?.push({ replaceOne: { filter: { _id }, replacement: document(version + 1) } });
      history.push(`~${_id}@${version}>${version + 1}`);
      versions.set(_id, version + 1);
    }
  }
  return { batches, history };
}

function said(change: Change): string {
  const { id, before, after } = documentIn(change);
  if (before === undefined) return `+${id}@${after?.version}`;
  if (before === "unknown") return `?${id}`;
  return after === undefined ? `-${id}@${before.version}` : `~${id}@${before.version}>${after.version}`;
}

/** Follows the feed from a position on, page by page, as it is told of changes. */
class Reader {
  readonly history: string[] = [];
  #position: string;
  #reading: Promise<void> | undefined;
  #again = false;
  readonly #feed: MongoFeed;
  readonly #page: number;
  readonly #expected: number;
  readonly done: Promise<void>;
  #finish: () => void = () => {};
  #fail: (error: unknown) => void = () => {};

  constructor(feed: MongoFeed, position: string, page: number, expected: number) {
    this.#feed = feed;
    this.#position = position;
    this.#page = page;
    this.#expected = expected;
    this.done = new Promise((resolve, reject) => {
      this.#finish = resolve;
      this.#fail = reject;
    });
    feed.onCommit(() => this.#read());
    this.#read();
  }

  #read(): void {
    this.#again = true;
    this.#reading ??= this.#readOn().then(
      () => {
        this.#reading = undefined;
      },
      (error) => this.#fail(error),
    );
  }

  async #readOn(): Promise<void> {
    while (this.#again) {
      this.#again = false;
      for (let page = await this.#next(); page.length > 0; page = await this.#next()) {
        this.history.push(...page.map(said));
        this.#position = page.at(-1)?.position ?? this.#position;
      }
    }
    if (this.history.length >= this.#expected) this.#finish();
  }

  /** A reader whose stream the faults have met tries again. */
  async #next(): Promise<readonly Change[]> {
    for (;;) {
      try {
        return (await this.#feed.read(this.#position, this.#page)).changes;
      } catch (error) {
        if (!(error instanceof Error) || error.name !== "StoreUnavailable") throw error;
      }
    }
  }
}

const passing: readonly Fault[] = [
  { drop: "before" },
  { drop: "after" },
  { error: "NotWritablePrimary" },
  { error: "CursorNotFound" },
  { error: "HostUnreachable" },
  { error: "ShutdownInProgress" },
];

describeMongo("The feed under load", () => {
  const feeds = useFeeds();

  test("three readers at different places lose and repeat nothing, whatever happens to the connections", {
    timeout: 300_000,
  }, async () => {
    const people = feeds.collection();
    const { batches, history } = randomWrites();

    const feed = await feeds.opened();
    const from = await feed.head();
    const steady = new Reader(feed, from, 7, WRITES);
    const half = Math.floor(batches.length / 2);
    let middle = "";
    for (const [n, batch] of batches.entries()) {
      if (n === half) middle = await head(feed);
      if (n % 5 === 2) {
        const fault = passing[Math.floor(n / 5) % passing.length] ?? { drop: "before" };
        feeds.proxy.inject(n % 2 === 0 ? "getMore" : "aggregate", fault);
      }
      await people.bulkWrite(batch, { ordered: true, writeConcern: { w: "majority" } });
    }
    await steady.done;
    expect(steady.history).toEqual(history);

    // Readers of another instance, which has nothing at hand, and of one that has only the newest.
    const late = new Reader(await feeds.opened(), from, 250, WRITES);
    const later = new Reader(feed, middle, 1_000, WRITES - half * BATCH);
    await Promise.all([late.done, later.done]);
    expect(late.history).toEqual(history);
    expect(later.history).toEqual(history.slice(half * BATCH));
  });

  async function head(feed: MongoFeed): Promise<string> {
    for (;;) {
      try {
        return await feed.head();
      } catch (error) {
        if (!(error instanceof Error) || error.name !== "StoreUnavailable") throw error;
      }
    }
  }
});
