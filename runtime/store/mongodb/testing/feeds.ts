import type { Collection, Db, MongoClient } from "mongodb";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { systemClock } from "../../../clock.ts";
import type { CollectionShape } from "../../contract/shape.ts";
import { arrived, shape, summary } from "../../testing/suite/fixtures.ts";
import { openClient } from "../client.ts";
import type { Engine } from "../engine.ts";
import { MongoFeed } from "../feed/feed.ts";
import { turnsOf } from "../pool.ts";
import { FaultProxy } from "./faults.ts";
import { dropTestDatabases, testClient, testLocation } from "./server.ts";

export interface TestDocument {
  readonly _id: string;
  readonly _meta: { readonly version: number };
}

/** Feeds behind a proxy that makes their server fail, and writers past it. */
export interface Feeds {
  readonly proxy: FaultProxy;
  /** Past the proxy. */
  readonly database: Db;
  /** What was said to the operator. */
  readonly warnings: readonly string[];
  /** What an instance has. */
  engine(): Engine;
  /** The feed of another instance; it follows `app.people`, or these. */
  opened(...shapes: readonly CollectionShape[]): Promise<MongoFeed>;
  /** The same, whose stream ends as soon as nobody listens. */
  restless(): Promise<MongoFeed>;
  close(): Promise<void>;
  collection(name?: string): Collection<TestDocument>;
  insert(id: string, name?: string): Promise<unknown>;
  replace(id: string, version: number): Promise<unknown>;
  remove(id: string): Promise<unknown>;
  /** Streams that were opened. */
  streams(): number;
}

/** The option of collections whose changes come with what was before. */
export const images = { changeStreamPreAndPostImages: { enabled: true } };
export const people = shape("app.people", { feed: "documents" });

/** Milliseconds. */
const queryTime = 3_000;

/** For the tests of a `describe`; `app.people` is empty before each of them. */
export function useFeeds(): Feeds {
  const location = testLocation();
  let proxy: FaultProxy;
  let client: MongoClient;
  let database: Db;
  const open: MongoFeed[] = [];
  const warnings: string[] = [];

  beforeAll(async () => {
    proxy = await FaultProxy.open(location.uri);
    client = openClient(proxy.uri, { queryTime });
    await client.connect();
  });
  beforeEach(async () => {
    database = (await testClient()).db(`${location.prefix}feed`);
    await database.createCollection("app.people", images);
    proxy.commands.length = 0;
    warnings.length = 0;
  });
  afterEach(async () => {
    await proxy.reset();
    await feeds.close();
    await dropTestDatabases(location);
  });
  afterAll(async () => {
    await client.close();
    await proxy.close();
  });

  const body = (version: number) => ({ _meta: { version } });
  const feeds: Feeds = {
    get proxy() {
      return proxy;
    },
    get database() {
      return database;
    },
    warnings,
    engine: () => ({
      client,
      database: client.db(database.databaseName),
      clock: systemClock,
      queryTime,
      searchTime: queryTime,
      expensive: turnsOf(client),
      closing: new AbortController().signal,
      warn: (_, message) => warnings.push(message),
    }),
    opened: async (...shapes) => {
      const feed = new MongoFeed(feeds.engine());
      open.push(feed);
      await feed.follow(shapes.length === 0 ? [people] : shapes);
      return feed;
    },
    restless: async () => {
      const feed = new MongoFeed(feeds.engine(), 0);
      open.push(feed);
      await feed.follow([people]);
      return feed;
    },
    close: async () => {
      await Promise.all(open.splice(0).map((feed) => feed.close()));
    },
    collection: (name = "app.people") => database.collection<TestDocument>(name),
    insert: (id, name) => feeds.collection(name).insertOne({ _id: id, ...body(1) }),
    replace: (id, version) => feeds.collection().replaceOne({ _id: id }, body(version)),
    remove: (id) => feeds.collection().deleteOne({ _id: id }),
    streams: () => proxy.sent("aggregate").length,
  };
  return feeds;
}

export async function summaries(feed: MongoFeed, from: string, count: number): Promise<readonly string[]> {
  return (await arrived(feed, from, count)).map(summary);
}

/** Reads, each time that the feed tells of something, until that fails. */
export function expired(feed: MongoFeed, from: string): Promise<unknown> {
  return new Promise((resolve) => {
    const read = () => feed.read(from, 1_000).catch(resolve);
    feed.onCommit(read);
    void read();
  });
}
