import { expect, test } from "vitest";
import { Pace, Slices, Turns } from "./turns.ts";

test("so many run at once, the others in their order, and what the queue does not take is refused", async () => {
  const turns = new Turns(2, 2, () => new Error("full"));
  const ends: (() => void)[] = [];
  const begun: string[] = [];
  const run = (name: string) =>
    turns.run(async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return name;
    });
  const running = ["a", "b", "c"].map(run);
  expect(turns.isFull).toBe(false);
  running.push(run("d"));
  expect(turns.isFull).toBe(true);
  await expect(run("e")).rejects.toThrow("full");
  expect(begun).toEqual(["a", "b"]);
  ends[1]?.();
  expect(await running[1]).toBe("b");
  await Promise.resolve();
  expect(begun).toEqual(["a", "b", "c"]);
  for (let n = 0; n < 4; n++) {
    ends[n]?.();
    await Promise.race(running);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await Promise.all(running)).toEqual(["a", "b", "c", "d"]);
});

test("work that fails gives its place away", async () => {
  const turns = new Turns(1, 1, () => new Error("full"));
  await expect(turns.run(() => Promise.reject(new Error("own")))).rejects.toThrow("own");
  expect(await turns.run(async () => 1)).toBe(1);
});

test("what waits longer than it may is refused, and its place in the queue is free", async () => {
  const turns = new Turns(1, 1, () => new Error("full"), 1);
  let end = (): void => undefined;
  const running = turns.run(() => new Promise<void>((resolve) => (end = resolve)));
  await expect(turns.run(async () => "late")).rejects.toThrow("full");
  expect([turns.running, turns.waiting]).toEqual([1, 0]);
  end();
  await running;
  expect([turns.running, turns.waiting]).toEqual([0, 0]);
  expect(await turns.run(async () => "next")).toBe("next");
});

/** An event loop whose turns come when they are asked for, with a clock that stands still. */
function heldLoop() {
  const waiting: (() => void)[] = [];
  const loop = {
    time: 0,
    now: () => loop.time,
    turn: () => new Promise<void>((resolve) => waiting.push(resolve)),
    async next() {
      for (const resolve of waiting.splice(0)) resolve();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
  return loop;
}

test("works in slices come one after another; when a turn of the event loop has had its time, the next turn goes on", async () => {
  const loop = heldLoop();
  const slices = new Slices(5, loop);
  const done: string[] = [];
  const run = (name: string, pieces: number) =>
    slices.run(async (piece) => {
      for (let n = 0; n < pieces; n++) {
        await piece();
        loop.time += 2;
        done.push(`${name}${n}`);
      }
      return name;
    });
  const running = Promise.all([run("a", 4), run("b", 1), run("c", 3)]);
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    done.push("|");
    await loop.next();
  }
  expect(await running).toEqual(["a", "b", "c"]);
  expect(done.join(" ")).toBe("a0 a1 a2 | a3 b0 c0 | c1 c2 |");
});

test("a slice after a turn without any is a whole one", async () => {
  const loop = heldLoop();
  const slices = new Slices(5, loop);
  const one = (milliseconds: number) =>
    slices.run(async (piece) => {
      await piece();
      loop.time += milliseconds;
    });
  await one(100);
  await loop.next();
  // Neither waits for a turn, or this would never end.
  await one(4);
  await one(4);
});

test("who has spent the units of a turn goes on in the next one, however little time they took", async () => {
  const loop = heldLoop();
  const pace = new Pace(5, 3, loop);
  expect([pace.spend(2), pace.spend()]).toEqual([undefined, undefined]);
  const next = pace.spend(1);
  expect(next).toBeInstanceOf(Promise);
  await loop.next();
  await next;
  expect(pace.spend(2)).toBeUndefined();
  loop.time += 5;
  expect(pace.spend()).toBeInstanceOf(Promise);
});
