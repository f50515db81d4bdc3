import { Long } from "mongodb";
import { expect, onTestFinished, test } from "vitest";
import { arrived } from "../../testing/suite/fixtures.ts";
import type { Command, Fields } from "../testing/faults-wire.ts";
import { useFeeds } from "../testing/feeds.ts";
import { describeMongo, testClient } from "../testing/server.ts";
import { FeedStream } from "./stream.ts";

/** A batch of a change stream's answer, as servers of which the test server is not one give it. */
interface Answered {
  readonly id: unknown;
  readonly batch: readonly Fields[];
  /** The answer with another batch, and where the server says that it stands. */
  with(batch: readonly Fields[], token: unknown): Fields;
}

function answered(answer: Fields): Answered {
  const cursor = fieldsIn(answer["cursor"]);
  const name = "firstBatch" in cursor ? "firstBatch" : "nextBatch";
  const events = cursor[name];
  return {
    id: cursor["id"],
    batch: Array.isArray(events) ? events.map(fieldsIn) : [],
    with: (batch, token) => ({
      ...answer,
      cursor: { ...cursor, [name]: batch, postBatchResumeToken: token },
    }),
  };
}

function fieldsIn(value: unknown): Fields {
  if (typeof value !== "object" || value === null) throw new Error("no document");
  return Object.fromEntries(Object.entries(value));
}

const ofTransaction = (event: Fields): Fields => ({ ...event, txnNumber: Long.fromNumber(1) });

describeMongo("Which change is the last of its commit", () => {
  const feeds = useFeeds();
  const batch = 1_000;
  const isMain = ({ name, body }: Command) =>
    name === "aggregate" && fieldsIn(body["cursor"])["batchSize"] === batch;

  /** A position, after which `a`, `b` and `c` were committed together, then `d`. */
  const written = async (): Promise<string> => {
    const feed = await feeds.opened();
    const from = await feed.head();
    const session = (await testClient()).startSession();
    await session.withTransaction(async () => {
      for (const _id of ["a", "b", "c"])
        await feeds.collection().insertOne({ _id, _meta: { version: 1 } }, { session });
    });
    await session.endSession();
    await feeds.insert("d");
    await arrived(feed, from, 4);
    await feeds.close();
    feeds.proxy.commands.length = 0;
    return from;
  };

  const streamed = (after: string, size = batch): FeedStream => {
    const collections = new Map([["app.people", "ids"]] as const);
    const options = { collections, after, batch: size, wait: 10, images: false };
    const stream = new FeedStream(feeds.engine(), options);
    onTestFinished(() => stream.close());
    return stream;
  };

  const next = async (stream: FeedStream) =>
    (await stream.next()).changes.map(({ id, isLast }) => `${id}${isLast ? "." : ""}`);

  /** The server's answer has no room for more than so many, which it gives with the next one. */
  const cutAfter = (count: number): void => {
    let rest: readonly Fields[] = [];
    let cursor: unknown;
    const change = (answer: Fields): Fields => {
      const { id, batch: events, with: changed } = answered(answer);
      cursor = id;
      rest = events.slice(count).map((event, at) => (count + at < 3 ? ofTransaction(event) : event));
      const kept = events.slice(0, count).map((event, at) => (at < 3 ? ofTransaction(event) : event));
      return changed(kept, kept.at(-1)?.["_id"]);
    };
    feeds.proxy.inject(isMain, { change });
    const goesOn = ({ name, body }: Command) =>
      name === "getMore" && String(body["getMore"]) === String(cursor);
    feeds.proxy.inject(goesOn, {
      change: (answer) => answered(answer).with(rest, rest.at(-1)?.["_id"]),
    });
  };

  test("is known where an answer has no room for the rest of it", async () => {
    const stream = streamed(await written());
    cutAfter(2);
    expect(await next(stream)).toEqual(["a", "b"]);
    expect(await next(stream)).toEqual(["c.", "d."]);
  });

  test("and where the answer ends with it: the server is asked for what comes after", async () => {
    const stream = streamed(await written());
    cutAfter(3);
    expect(await next(stream)).toEqual(["a", "b", "c."]);
    // The stream, and the one beside it.
    expect(feeds.streams()).toBe(2);
    expect(await next(stream)).toEqual(["d."]);
  });

  test("it is not asked where it has looked further, nor after what is no write of a transaction", async () => {
    const from = await written();
    const beyond = streamed(from);
    feeds.proxy.inject(isMain, {
      change: (answer) => {
        const { batch: events, with: changed } = answered(answer);
        return changed(events.slice(0, 3).map(ofTransaction), events[3]?.["_id"]);
      },
    });
    expect(await next(beyond)).toEqual(["a", "b", "c."]);
    const single = streamed(from);
    cutAfter(4);
    expect(await next(single)).toEqual(["a", "b", "c.", "d."]);
    expect(feeds.streams()).toBe(2);
  });

  test("is known where what comes after a full batch cannot be fetched", async () => {
    const from = await written();
    const stream = streamed(from, 2);
    const failing = feeds.proxy.inject("getMore", { error: "Unauthorized" });
    expect(await next(stream)).toEqual(["a", "b"]);
    expect(failing.struck).toBe(1);
  });
});
