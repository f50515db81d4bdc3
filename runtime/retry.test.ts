import { expect, test } from "vitest";
import { Outdated, once, optimistic } from "./retry.ts";

function counting(attempts: number) {
  const pauses: number[] = [];
  return { pauses, retry: { attempts, pause: (lost: number) => Promise.resolve(pauses.push(lost)) } };
}

test("Concurrency 2: a write that lost is tried again after a pause, up to the number of attempts", async () => {
  const { pauses, retry } = counting(3);
  let tried = 0;
  const won = optimistic(retry, async () => {
    tried += 1;
    return tried === 3 ? "done" : undefined;
  });
  expect(await won).toBe("done");
  expect([tried, pauses]).toEqual([3, [1, 2]]);
});

test("an attempt whose basis has changed has lost", async () => {
  const { pauses, retry } = counting(3);
  let tried = 0;
  const attempt = async () => {
    tried += 1;
    if (tried < 3) throw new Outdated();
    return tried;
  };
  expect(await optimistic(retry, attempt)).toBe(3);
  expect(pauses).toEqual([1, 2]);
  const lost = optimistic(retry, () => Promise.reject(new Outdated()));
  await expect(lost).rejects.toMatchObject({ code: "write_conflict" });
});

test("Concurrency 2: all attempts lost: 409 write_conflict", async () => {
  const { pauses, retry } = counting(3);
  const lost = optimistic(retry, async () => undefined);
  await expect(lost).rejects.toMatchObject({ code: "write_conflict", status: 409 });
  expect(pauses).toEqual([1, 2]);
  await expect(optimistic(once, async () => undefined)).rejects.toMatchObject({ code: "write_conflict" });
});

test("Concurrency 2: the first success ends it, and an error is not tried again", async () => {
  const { pauses, retry } = counting(3);
  expect(await optimistic(retry, async () => 0)).toBe(0);
  await expect(optimistic(retry, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(pauses).toEqual([]);
});
