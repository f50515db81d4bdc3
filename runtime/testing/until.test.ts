import { expect, it, vi } from "vitest";
import { until, untilHolds } from "./until.ts";

it("calls until the check passes, and returns its result", async () => {
  let calls = 0;
  const check = () => {
    calls += 1;
    expect(calls).toBe(3);
    return "result";
  };
  expect(await until(check, { interval: 1 })).toBe("result");
  expect(calls).toBe(3);
});

it("takes a check that answers later", async () => {
  const answers = [Promise.reject(new Error("first")), Promise.resolve("second")];
  expect(await until(() => answers.shift() ?? Promise.reject(new Error("no more")), { interval: 1 })).toBe(
    "second",
  );
});

it("gives up after the limit, saying what it waited for and what failed", async () => {
  const failed = new Error("expected 1 to be 2");
  const waiting = until(() => Promise.reject(failed), { limit: 20, interval: 1 });
  await expect(waiting).rejects.toThrow("not within 0.02 s: expected 1 to be 2");
  await expect(waiting).rejects.toMatchObject({
    cause: failed,
    stack: expect.stringContaining("until.test.ts"),
  });
});

it("calls once more after the limit: a machine that was busy so long has not failed the test", async () => {
  let calls = 0;
  const check = () => {
    calls += 1;
    expect(calls).toBe(2);
  };
  await until(check, { limit: 1, interval: 20 });
});

it("gives up on a call that does not end", async () => {
  const waiting = until(() => new Promise(() => {}), { limit: 20 });
  await expect(waiting).rejects.toThrow("has not ended");
});

it("waits by the real clock where a test holds the timers", async () => {
  vi.useFakeTimers();
  try {
    let calls = 0;
    await until(() => expect(++calls).toBe(2), { interval: 1 });
  } finally {
    vi.useRealTimers();
  }
});

it("takes a condition, which it names when it gives up", async () => {
  let calls = 0;
  await untilHolds(() => ++calls === 3, { interval: 1 });
  const isRed = () => calls === 2;
  await expect(untilHolds(isRed, { limit: 1, interval: 1 })).rejects.toThrow("() => calls === 2 is false");
});
