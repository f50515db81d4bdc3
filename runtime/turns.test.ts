import { expect, test } from "vitest";
import { Turns } from "./turns.ts";

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
