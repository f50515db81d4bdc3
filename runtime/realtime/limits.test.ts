import { describe, expect, test } from "vitest";
import { ApiError } from "../errors.ts";
import { heldClock } from "../instance/testing/servers.ts";
import { StreamLimits } from "./limits.ts";

function limits(more: { maxStreams?: number; maxStreamsPerCaller?: number; streamsPerSecond?: number } = {}) {
  const clock = heldClock();
  const shared = { most: 4, open: 0 };
  const of = () =>
    new StreamLimits({ maxStreams: 3, maxStreamsPerCaller: 2, streamsPerSecond: 2, ...more }, clock, shared);
  return { clock, shared, one: of(), other: of() };
}

function openAndClose(of: StreamLimits, caller: string): void {
  of.take(caller);
  of.release(caller);
}

/** Seconds until another attempt; undefined where it succeeds. */
function refusal(attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== "too_many_requests") throw error;
    return error.headers["retry-after"];
  }
}

describe("Limits: streams", () => {
  test("a caller has so many open, and another one as many", () => {
    const { one, clock } = limits();
    one.take("a");
    clock.advance(1_000);
    one.take("a");
    clock.advance(1_000);
    expect(refusal(() => one.take("a"))).toBe("5");
    expect(refusal(() => one.take("b"))).toBeUndefined();
    one.release("a");
    expect(refusal(() => one.take("a"))).toBeUndefined();
  });

  test("a caller opens so many in a second, whether they are closed or not", () => {
    const { one, clock } = limits();
    openAndClose(one, "a");
    clock.advance(400);
    openAndClose(one, "a");
    expect(refusal(() => one.take("a"))).toBe("1");
    clock.advance(600);
    expect(refusal(() => one.take("a"))).toBeUndefined();
  });

  test("less than one in a second is one in several", () => {
    const { one, clock } = limits({ streamsPerSecond: 0.25 });
    openAndClose(one, "a");
    clock.advance(1_000);
    expect(refusal(() => one.take("a"))).toBe("3");
    clock.advance(3_000);
    expect(refusal(() => one.take("a"))).toBeUndefined();
  });

  test("a realm has so many, and all realms of an instance together", () => {
    const { one, other, shared } = limits();
    const callers = ["a", "b", "c"];
    for (const caller of callers) one.take(caller);
    expect(refusal(() => one.take("d"))).toBe("5");
    other.take("a");
    expect(shared.open).toBe(4);
    expect(refusal(() => other.take("b"))).toBe("5");
    for (const caller of callers) one.release(caller);
    expect(shared.open).toBe(1);
    expect(refusal(() => other.take("b"))).toBeUndefined();
  });

  test("who was refused is not counted", () => {
    const { one, clock, shared } = limits({ streamsPerSecond: 1 });
    openAndClose(one, "a");
    for (let at = 0; at < 10; at += 1) expect(refusal(() => one.take("a"))).toBe("1");
    expect(shared.open).toBe(0);
    clock.advance(1_000);
    expect(refusal(() => one.take("a"))).toBeUndefined();
  });
});
