import { expect, test } from "vitest";
import { HistoryExpired, StoreUnavailable } from "../../contract/errors.ts";
import { arrived, failureOf, read, summary } from "../../testing/suite/fixtures.ts";
import type { Fault } from "../testing/faults-link.ts";
import type { Command } from "../testing/faults-wire.ts";
import { expired, summaries, useFeeds } from "../testing/feeds.ts";
import { describeMongo } from "../testing/server.ts";
import { FeedStream } from "./stream.ts";

describeMongo("The feed of change streams where the server or the network fails", () => {
  const feeds = useFeeds();
  const { opened, insert, replace, remove } = feeds;

  const passing: readonly (readonly [string, Fault])[] = [
    ["the connection breaks before", { drop: "before" }],
    ["the connection breaks after", { drop: "after" }],
    ["NotWritablePrimary", { error: "NotWritablePrimary" }],
    ["PrimarySteppedDown", { error: "PrimarySteppedDown" }],
    ["InterruptedDueToReplStateChange", { error: "InterruptedDueToReplStateChange" }],
    ["ShutdownInProgress", { error: "ShutdownInProgress" }],
    ["HostUnreachable", { error: "HostUnreachable" }],
    ["NetworkTimeout", { error: "NetworkTimeout" }],
    ["CursorNotFound", { error: "CursorNotFound" }],
    ["ExceededTimeLimit", { error: "ExceededTimeLimit" }],
    ["Unauthorized", { error: "Unauthorized" }],
  ];
  for (const command of ["getMore", "aggregate"]) {
    test.each(passing)(`nothing is lost or repeated where ${command} fails: %s`, async (_, fault) => {
      const feed = await opened();
      const from = await feed.head();
      await insert("a");
      await arrived(feed, from, 1);
      const times = command === "getMore" ? 1 : 2;
      const injected = feeds.proxy.inject(command, fault, times);
      // The stream is opened again only where it ends.
      const ended =
        command === "getMore" ? injected : feeds.proxy.inject("getMore", { error: "CursorNotFound" });
      await ended.met;
      await replace("a", 2);
      await remove("a");
      expect(await summaries(feed, from, 3)).toEqual(["+a", "~a", "-a"]);
      expect(injected.struck).toBe(times);
      const changes = await read(feed, from, 10);
      expect(changes).toMatchObject([
        { after: { version: 1 } },
        { before: { version: 1 }, after: { version: 2 } },
        { before: { version: 2 } },
      ]);
    });
  }

  test("survives an election", async () => {
    const feed = await opened();
    const from = await feed.head();
    await insert("a");
    await arrived(feed, from, 1);
    feeds.proxy.stepDown();
    await replace("a", 2);
    // What is at hand is answered without a primary, the head is not.
    expect((await read(feed, from, 10)).map(summary)).toEqual(["+a"]);
    expect(await failureOf(feed.head())).toBeInstanceOf(StoreUnavailable);
    feeds.proxy.elect();
    expect(await summaries(feed, from, 2)).toEqual(["+a", "~a"]);
    expect(await read(feed, await feed.head(), 10)).toEqual([]);
  });

  test("survives that the server is gone for a while", async () => {
    const feed = await opened();
    const from = await feed.head();
    await feeds.proxy.vanish();
    await insert("a");
    expect(await failureOf((await opened()).read(from, 10))).toBeInstanceOf(StoreUnavailable);
    expect(await failureOf((await opened()).head())).toBeInstanceOf(StoreUnavailable);
    await feeds.proxy.appear();
    expect(await summaries(feed, from, 1)).toEqual(["+a"]);
  });

  test("where the server's history no longer reaches readers are told so, and the feed begins anew", async () => {
    const feed = await opened();
    const from = await feed.head();
    await insert("a");
    const [first] = await arrived(feed, from, 1);
    // From now on every position is too old, until the stream has begun anew.
    const isResumed = (command: Command) =>
      command.name === "aggregate" && JSON.stringify(command.body).includes("startAfter");
    const refused = feeds.proxy.inject(isResumed, { error: "ChangeStreamHistoryLost" }, 1_000);
    feeds.proxy.inject("getMore", { error: "ChangeStreamHistoryLost" });
    expect(await expired(feed, first?.position ?? "")).toBeInstanceOf(HistoryExpired);
    expect(await failureOf(read(feed, from, 10))).toBeInstanceOf(HistoryExpired);
    refused.end();
    const head = await feed.head();
    await replace("a", 2);
    expect(await summaries(feed, head, 1)).toEqual(["~a"]);
  });

  test("where only the stream was lost readers lose nothing", async () => {
    const feed = await opened();
    const from = await feed.head();
    await insert("a");
    await arrived(feed, from, 1);
    const fatal = feeds.proxy.inject("getMore", { error: "ChangeStreamFatalError" });
    await fatal.met;
    await replace("a", 2);
    expect(await summaries(feed, from, 2)).toEqual(["+a", "~a"]);
    await remove("a");
    expect(await summaries(feed, from, 3)).toEqual(["+a", "~a", "-a"]);
    expect(feeds.warnings).toEqual(["the change feed's stream ended; another one is opened"]);
  });

  test.each([
    ["InvalidResumeToken", { error: "InvalidResumeToken" }],
    ["ChangeStreamFatalError", { error: "ChangeStreamFatalError" }],
    ["MaxTimeMSExpired", { error: "MaxTimeMSExpired" }],
  ] as const)("a position that the server refuses with %s is HistoryExpired", async (_, fault) => {
    const from = await (await opened()).head();
    const feed = await opened();
    await feed.head();
    await insert("a");
    feeds.proxy.inject("aggregate", fault);
    expect(await failureOf(read(feed, `${from.slice(0, -4)}0000`, 10))).toBeInstanceOf(HistoryExpired);
  });

  test("a change too large for an event comes without the document before it", async () => {
    const feed = await opened();
    const from = await feed.head();
    await insert("a");
    await arrived(feed, from, 1);
    feeds.proxy.commands.length = 0;
    // It is among others, then alone, and both times the server cannot answer it with both documents.
    const large = { error: "BSONObjectTooLarge" } as const;
    const alone = feeds.proxy.inject("aggregate", large);
    let written = () => {};
    const hold = new Promise<void>((resolve) => {
      written = resolve;
    });
    feeds.proxy.inject("aggregate", { hold });
    feeds.proxy.inject("getMore", large);
    await alone.met;
    await replace("a", 2);
    await replace("a", 3);
    await remove("a");
    written();
    expect(await arrived(feed, from, 4)).toMatchObject([
      { after: { version: 1 } },
      { before: "unknown", after: { version: 2 } },
      { before: { version: 2 }, after: { version: 3 } },
      { before: { version: 3 } },
    ]);
    const opens = feeds.proxy.sent("aggregate").map(({ body: command }) => JSON.stringify(command));
    expect(opens.map((open) => open.includes("whenAvailable"))).toEqual([true, false, true]);
    expect(opens.map((open) => /"batchSize":(\d+)/.exec(open)?.[1])).toEqual(["1", "1", "1000"]);
  });

  test("a change that is too large in every form ends the history before it, and nothing else", async () => {
    const feed = await opened();
    const from = await feed.head();
    const large = feeds.proxy.inject("getMore", { error: "BSONObjectTooLarge" }, 3);
    await large.met;
    const told = new Promise<void>((resolve) => {
      feed.onCommit(resolve);
    });
    await told;
    expect(large.struck).toBe(3);
    await insert("a");
    expect(await summaries(feed, from, 1)).toEqual(["+a"]);
  });

  test("a stream that the server never answers is unavailable", async () => {
    const hold = new Promise(() => undefined);
    for (const command of ["aggregate", "getMore"]) {
      feeds.proxy.inject(command, { hold });
      const collections = new Map([["app.people", "documents"]] as const);
      const options = { collections, batch: 10, wait: 10, images: true, patience: 2_000 };
      const stream = new FeedStream(feeds.engine(), options);
      expect(await failureOf(stream.next())).toBeInstanceOf(StoreUnavailable);
      await stream.close();
    }
  });
});
