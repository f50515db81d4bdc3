import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { StoreUnavailable } from "../contract/errors.ts";
import { failureOf } from "../testing/suite/fixtures.ts";
import { Underway } from "./underway.ts";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const silence = () => new Promise<never>(() => undefined);

test("an operation that nobody answers ends when its patience does, and closing waits no longer for it", async () => {
  const underway = new Underway(1_000);
  const failure = failureOf(underway.run(silence));
  const closed = underway.close();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await failure).toBeInstanceOf(StoreUnavailable);
  await closed;
});

test("one that takes as long as it takes is waited for", async () => {
  const underway = new Underway(1_000);
  const answer = underway.run(
    () => new Promise((resolve) => setTimeout(resolve, 3_600_000, "made")),
    Number.POSITIVE_INFINITY,
  );
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(await answer).toBe("made");
});

test("answers and failures pass through, and no timer stays", async () => {
  const underway = new Underway(1_000);
  expect(await underway.run(async () => 1)).toBe(1);
  const error = new Error("x");
  expect(await failureOf(underway.run(() => Promise.reject(error)))).toBe(error);
  expect(vi.getTimerCount()).toBe(0);
});
