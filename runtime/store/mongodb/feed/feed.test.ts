import { expect, test } from "vitest";
import { HistoryExpired } from "../../contract/errors.ts";
import { arrived, failureOf, read, shape } from "../../testing/suite/fixtures.ts";
import { expired, images, people, summaries, useFeeds } from "../testing/feeds.ts";
import { describeMongo } from "../testing/server.ts";

const places = shape("app.places", { feed: "documents" });

describeMongo("The feed of change streams", () => {
  const feeds = useFeeds();
  const { opened, collection, insert, remove, streams } = feeds;

  test("is opened when it is needed, and only then", async () => {
    const feed = await opened();
    expect(streams()).toBe(0);
    const told = new Promise<void>((resolve) => {
      feed.onCommit(resolve);
    });
    await told;
    expect(streams()).toBe(1);
    feed.onCommit(() => undefined);
    const unfollowed = await opened(shape("app.people"));
    unfollowed.onCommit(() => undefined);
    expect(await read(unfollowed, await unfollowed.head(), 10)).toEqual([]);
    expect(streams()).toBe(1);
  });

  test("updates are the engine's own, no changes", async () => {
    const feed = await opened();
    const from = await feed.head();
    await insert("a");
    await collection().updateOne({ _id: "a" }, { $set: { own: 1 } });
    await remove("a");
    expect(await summaries(feed, from, 2)).toEqual(["+a", "-a"]);
  });

  test("where the server has no image of before it is unknown", async () => {
    await feeds.database.createCollection("app.places");
    const feed = await opened(places);
    const from = await feed.head();
    await insert("a", "app.places");
    await collection("app.places").replaceOne({ _id: "a" }, { _meta: { version: 2 } });
    await collection("app.places").deleteOne({ _id: "a" });
    const changes = await arrived(feed, from, 3);
    expect(changes).toMatchObject([
      { id: "a", after: { id: "a", version: 1, text: '{"id":"a","_meta":{"version":1}}' } },
      { id: "a", before: "unknown", after: { version: 2 } },
      { id: "a", before: "unknown" },
    ]);
    expect(changes[0]).not.toHaveProperty("before");
    expect(changes[2]).not.toHaveProperty("after");
    expect(Math.abs((changes[0]?.at ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  test("positions are those of every instance, however far back", async () => {
    const first = await opened();
    const from = await first.head();
    for (let n = 0; n < 5; n++) await insert(`d${n}`);
    const known = await arrived(first, from, 5);
    const second = await opened();
    const idsAfter = async (position: string, limit: number) =>
      (await read(second, position, limit)).map(({ id }) => id);
    expect(await idsAfter(from, 100)).toEqual(["d0", "d1", "d2", "d3", "d4"]);
    expect(await idsAfter(from, 2)).toEqual(["d0", "d1"]);
    expect(await idsAfter(known[2]?.position ?? "", 1)).toEqual(["d3"]);
    expect(await idsAfter(known[4]?.position ?? "", 1)).toEqual([]);
    const head = await second.head();
    await insert("d5");
    expect(await idsAfter(known[3]?.position ?? "", 100)).toEqual(["d4", "d5"]);
    expect((await arrived(first, head, 1)).map(({ id }) => id)).toEqual(["d5"]);
    expect(await read(first, from, 100)).toEqual(await read(second, from, 100));
  });

  test("readers further back take turns", async () => {
    const first = await opened();
    const from = await first.head();
    for (let n = 0; n < 30; n++) await insert(`d${n}`);
    const known = await arrived(first, from, 30);
    const second = await opened();
    await second.head();
    feeds.proxy.commands.length = 0;
    const pages = await Promise.all(known.map(({ position }) => read(second, position, 100)));
    expect(pages.map(({ length }) => length)).toEqual(known.map((_, n) => 29 - n));
    let open = 0;
    let most = 0;
    for (const { name, body: command } of feeds.proxy.commands) {
      if (name === "aggregate" && JSON.stringify(command).includes("startAfter")) open += 1;
      if (name === "killCursors") open -= 1;
      most = Math.max(most, open);
    }
    expect(open).toBe(0);
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(4);
  });

  test("who asks for the head at the same time shares the search", async () => {
    const feed = await opened();
    await feed.head();
    await insert("a");
    feeds.proxy.commands.length = 0;
    const heads = await Promise.all(Array.from({ length: 50 }, () => feed.head()));
    expect(new Set(heads).size).toBe(1);
    expect(streams()).toBe(1);
    expect(await read(feed, heads[0] ?? "", 10)).toEqual([]);
  });

  test("what is followed may change", async () => {
    const feed = await opened();
    const from = await feed.head();
    await feeds.database.createCollection("app.places", images);
    await insert("unfollowed", "app.places");
    await insert("a");
    await arrived(feed, from, 1);
    await feed.follow([people, places]);
    await insert("b", "app.places");
    await insert("c");
    // The server's history has what nobody followed, too.
    expect(await summaries(feed, from, 4)).toEqual(["+unfollowed", "+a", "+b", "+c"]);
  });

  const endings: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["dropped", () => collection().drop()],
    ["renamed", () => collection().rename("app.others")],
    ["dropped with its database", () => feeds.database.dropDatabase()],
    [
      "replaced by another one",
      async () => {
        await insert("x", "app.others");
        await collection("app.others").rename("app.people", { dropTarget: true });
      },
    ],
  ];
  test.each(endings)("where a collection is %s the history before is no longer one", async (_, end) => {
    const feed = await opened();
    const from = await feed.head();
    await insert("a");
    await arrived(feed, from, 1);
    await end();
    expect(await expired(feed, from)).toBeInstanceOf(HistoryExpired);
    expect(await failureOf((await opened()).read(from, 10))).toBeInstanceOf(HistoryExpired);
    await feeds.database.createCollection("app.people", images).catch(() => undefined);
    const head = await feed.head();
    await insert("b");
    expect(await summaries(feed, head, 1)).toEqual(["+b"]);
  });

  test("what happens to other collections is nothing", async () => {
    const feed = await opened();
    const from = await feed.head();
    await insert("a", "app.others");
    await collection("app.others").rename("app.more");
    await collection("app.more").drop();
    await insert("b");
    expect(await summaries(feed, from, 1)).toEqual(["+b"]);
  });

  test("once nobody listens the stream ends; who comes back has everything from there on", async () => {
    const feed = await feeds.restless();
    const stop = feed.onCommit(() => undefined);
    const from = await feed.head();
    await insert("a");
    expect(await summaries(feed, from, 1)).toEqual(["+a"]);
    stop();
    while (feeds.proxy.sent("killCursors").length < streams()) await new Promise(setImmediate);
    await insert("b");
    const before = streams();
    expect(await summaries(feed, from, 2)).toEqual(["+a", "+b"]);
    expect(streams()).toBeGreaterThan(before);
  });

  test("closing ends the streams at the server, and who reads is told", async () => {
    const feed = await opened();
    const from = await feed.head();
    await insert("a");
    const other = await opened();
    await other.head();
    const hold = new Promise(() => undefined);
    const held = Array.from({ length: 3 }, () => feeds.proxy.inject("getMore", { hold }));
    const reading = failureOf(read(other, from, 10));
    await Promise.all(held.map(({ met }) => met));
    await feeds.close();
    expect(await reading).toMatchObject({ message: "the store is closed" });
    expect(await failureOf(read(feed, from, 10))).toMatchObject({ message: "the store is closed" });
    expect(await failureOf(feed.head())).toMatchObject({ message: "the store is closed" });
    expect(feeds.proxy.sent("killCursors").length).toBe(streams());
  });
});
