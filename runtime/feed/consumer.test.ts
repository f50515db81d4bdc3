import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import { TRUE } from "../filter/algebra.ts";
import type { Store } from "../store/contract/store.ts";
import { openSqliteStore } from "../store/sqlite/store.ts";
import { failureOf, shape, written } from "../store/testing/suite/fixtures.ts";
import { until } from "../testing/until.ts";
import { Consumer, type ConsumerOptions, type Work } from "./consumer.ts";
import { ConsumerMoved, ConsumerPosition, consumerShape } from "./consumer-position.ts";
import { Hub } from "./hub.ts";
import { followedStore, inserted, people } from "./testing/followed.ts";

let store: Store;
let hub: Hub;
const consumers: Consumer[] = [];
const also = [shape("app.seen"), consumerShape];
beforeEach(async () => {
  store = await followedStore(...also);
  hub = new Hub({ feed: store.feed });
});
afterEach(async () => {
  for (const consumer of consumers.splice(0)) await consumer.close();
  await hub.close();
  await store.close();
});

/** A consumer that writes what it is told into `app.seen`, a document each, as it moves on. */
function open(options: Partial<ConsumerOptions> = {}): Consumer {
  const consumer = new Consumer({
    store,
    history: hub.history,
    clock: systemClock,
    name: "test",
    interests: new Map([["people", people]]),
    work: (work) => note(work),
    pause: () => Promise.resolve(),
    ...options,
  });
  consumers.push(consumer);
  return consumer;
}

let serial = 0;
const nextId = () => {
  serial += 1;
  return `s${`${serial}`.padStart(8, "0")}`;
};

async function note(work: Work): Promise<void> {
  const names = work.kind === "gap" ? ["gap"] : work.deliveries.map(({ change }) => change.id);
  await work.commit(async (transaction) => {
    for (const name of names) await transaction.collection("app.seen").insert(written(nextId(), { name }));
  });
}

/** Names in the order in which they were noted, once there are so many. */
async function noted(count: number, isEnough = () => true): Promise<readonly string[]> {
  return until(
    async () => {
      const found = await store.collection("app.seen").scan(undefined, 1_000);
      expect(found.length).toBeGreaterThanOrEqual(count);
      expect(isEnough()).toBe(true);
      return found.map(({ text }) => JSON.parse(text).name);
    },
    { limit: 60_000 },
  );
}

/** Resolves when the consumer's position is stored for the first time. */
async function begun(): Promise<void> {
  await until(async () =>
    expect(await store.collection(consumerShape.name).count(TRUE, "live")).toBeGreaterThan(0),
  );
}

const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `d${from + n}`);

describe("a consumer", () => {
  test("gets what comes after it was first opened, also what came while it was closed, each once and in order", async () => {
    await inserted(store, ["before"]);
    const first = open();
    await begun();
    await inserted(store, ids(0, 10));
    await noted(10);
    await first.close();
    await inserted(store, ids(10, 20));
    open();
    await noted(20);
    await inserted(store, ids(20, 25));
    expect(await noted(25)).toEqual(ids(0, 25));
  });

  test("gets whole commits, and of them what concerns it", async () => {
    const works: Work[] = [];
    open({
      work: async (work) => {
        works.push(work);
        await note(work);
      },
    });
    await begun();
    await store.transaction(async (transaction) => {
      await transaction.collection("app.people").insert(written("a", {}));
      await transaction.collection("app.places").insert(written("p", {}));
      await transaction.collection("app.people").insert(written("b", {}));
    });
    await inserted(store, ["c"]);
    expect(await noted(3)).toEqual(["a", "b", "c"]);
    const [first] = works;
    expect(first?.kind === "changes" && first.deliveries.slice(0, 2).map(({ change }) => change.id)).toEqual([
      "a",
      "b",
    ]);
    expect(works.every(({ from, to }) => from !== to)).toBe(true);
  });

  test("gets the same again where its work fails, and what that wrote is undone", async () => {
    const warned: unknown[] = [];
    let calls = 0;
    open({
      warn: (error) => warned.push(error),
      work: async (work) => {
        calls += 1;
        if (calls % 2 === 0) return note(work);
        await work.commit(async (transaction) => {
          await transaction.collection("app.seen").insert(written(nextId(), { name: "undone" }));
          throw new Error("a test");
        });
      },
    });
    await begun();
    for (const id of ids(0, 5)) await inserted(store, [id]);
    expect(await noted(5)).toEqual(ids(0, 5));
    expect(warned.length).toBeGreaterThan(0);
  });

  test("may go on in steps: where it fails between them it goes on after the last", async () => {
    let calls = 0;
    open({
      work: async (work) => {
        if (work.kind === "gap") return;
        for (const { change } of work.deliveries) {
          calls += 1;
          if (calls % 3 === 0) throw new Error("a test");
          await work.commit(
            (transaction) =>
              transaction.collection("app.seen").insert(written(nextId(), { name: change.id })),
            change.position,
          );
        }
      },
    });
    await begun();
    await inserted(store, ids(0, 12));
    expect(await noted(12)).toEqual(ids(0, 12));
  });

  test("works in one instance at a time; another one goes on when that closes", async () => {
    const by: string[] = [];
    const named = (name: string) =>
      open({
        takeover: 10_000,
        work: async (work) => {
          by.push(name);
          await note(work);
        },
      });
    const first = named("first");
    await begun();
    await inserted(store, ids(0, 3));
    await noted(3);
    named("second");
    await inserted(store, ids(3, 6));
    await noted(6);
    expect(new Set(by)).toEqual(new Set(["first"]));
    await first.close();
    await inserted(store, ids(6, 9));
    expect(await noted(9)).toEqual(ids(0, 9));
    expect(by.at(-1)).toBe("second");
  });

  test("is fenced off: who was overtaken writes nothing", async () => {
    const lease = await store.lease("test", 60_000);
    if (lease === undefined) throw new Error("nobody else has it");
    const [one, other] = [1, 2].map(() => new ConsumerPosition(store, systemClock, "test"));
    await one?.load();
    await other?.load();
    await inserted(store, ["a"]);
    const head = await store.feed.head();
    await one?.advance(head, lease);
    const overtaken = other?.advance(head, lease, (transaction) =>
      transaction.collection("app.seen").insert(written("x", {})),
    );
    expect(await failureOf(overtaken ?? Promise.resolve())).toBeInstanceOf(ConsumerMoved);
    expect(await store.collection("app.seen").get("x", "live")).toBeUndefined();
    await lease.release();
    const late = one?.advance(head, lease, (transaction) =>
      transaction.collection("app.seen").insert(written("y", {})),
    );
    expect(await failureOf(late ?? Promise.resolve())).toMatchObject({ name: "LeaseLost" });
  });

  test("is told of a gap, from where to where, and goes on after it", async () => {
    const text = JSON.stringify({ id: "test", position: "x", created_at: "2026-03-01T00:00:00.000Z" });
    await store.collection(consumerShape.name).insert({ id: "test", version: 1, text, createdAt: 1 });
    const gaps: Work[] = [];
    open({
      work: async (work) => {
        if (work.kind === "gap") gaps.push(work);
        await note(work);
      },
    });
    await noted(1);
    await inserted(store, ["a"]);
    expect(await noted(2)).toEqual(["gap", "a"]);
    expect(gaps).toMatchObject([{ kind: "gap", from: "x" }]);
    expect((await store.feed.read(gaps[0]?.to ?? "", 9)).changes.map(({ id }) => id)).toEqual(["a"]);
  });

  test("moves on where nothing concerns it, so that history is not held back for nothing", async () => {
    const clock = { time: 0, now: () => clock.time };
    open({ clock, interests: new Map() });
    await begun();
    const position = async () => {
      const found = await store.collection(consumerShape.name).get("test", "live");
      return JSON.parse(found?.text ?? "{}").position;
    };
    const before = await position();
    for (let n = 0; (await position()) === before; n++) {
      clock.time += 60_000;
      await inserted(store, [`a${n}`]);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const { changes } = await store.feed.read(await position(), 9);
    expect(changes.map(({ id }) => id)).not.toContain("a0");
  });

  test("notes every few seconds alone where its work has committed nothing", async () => {
    const clock = { time: 0, now: () => clock.time };
    const told: string[] = [];
    const work = async (work: Work) => {
      if (work.kind === "changes") told.push(...work.deliveries.map(({ change }) => change.id));
    };
    open({ clock, work });
    await begun();
    const position = async () => (await store.collection(consumerShape.name).get("test", "live"))?.version;
    for (const id of ["a", "b", "c"]) {
      await inserted(store, [id]);
      await until(() => expect(told.at(-1)).toBe(id));
    }
    clock.time += 60_000;
    await inserted(store, ["d"]);
    await until(async () => expect([await position(), told.at(-1)]).toEqual([2, "d"]));
    expect(told).toEqual(["a", "b", "c", "d"]);
  });

  test("has history held back for it on the embedded engine, beyond a day and up to a week", async () => {
    const DAY = 24 * 60 * 60 * 1000;
    const clock = { time: 0, now: () => clock.time };
    const own = await openSqliteStore({ location: ":memory:", realm: "own", clock, queryTime: 5_000 });
    await own.provision([shape("app.people", { feed: "documents" }), ...also]);
    const ownHub = new Hub({ feed: own.feed });
    const told: string[] = [];
    const options = {
      store: own,
      history: ownHub.history,
      clock,
      work: async (work: Work) => {
        if (work.kind === "gap") told.push("gap");
        else told.push(...work.deliveries.map(({ change }) => change.id));
      },
    };
    const opened = open(options);
    while ((await own.collection(consumerShape.name).count(TRUE, "live")) === 0)
      await new Promise(setImmediate);
    await opened.close();
    const people = own.collection("app.people");
    await people.insert(written("a", {}));
    clock.time += 3 * DAY;
    await people.insert(written("b", {}));
    const again = open(options);
    while (told.length < 2) await new Promise(setImmediate);
    await again.close();
    expect(told).toEqual(["a", "b"]);
    clock.time += 3 * DAY;
    await people.insert(written("c", {}));
    clock.time += 8 * DAY;
    for (const id of ["d", "e"]) await people.insert(written(id, {}));
    const late = open(options);
    while (told.at(-1) !== "e") await new Promise(setImmediate);
    expect(told.slice(2)).toEqual(["gap", "d", "e"]);
    await late.close();
    await ownHub.close();
    await own.close();
  });
});
