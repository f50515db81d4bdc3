import { describe, expect, it } from "vitest";
import { ApiError } from "../../errors.ts";
import { LoginThrottle } from "./throttle.ts";

const minute = 60_000;

function setup(capacity?: number) {
  const clock = { time: 1_700_000_000_000, now: () => clock.time };
  const throttle = new LoginThrottle(clock, capacity);
  const fail = (
    times: number,
    account: string | ((n: number) => string),
    address: string | ((n: number) => string),
  ) => {
    for (let n = 0; n < times; n += 1) {
      throttle.fail(
        typeof account === "string" ? account : account(n),
        typeof address === "string" ? address : address(n),
      );
    }
  };
  return { clock, throttle, fail };
}

function refusal(work: () => void): ApiError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

describe("Failed logins in 15 minutes", () => {
  it("10 per account and address together, then 429 with Retry-After", () => {
    const { throttle, fail } = setup();
    fail(9, "ada@example.com", "192.0.2.1");
    throttle.check("ada@example.com", "192.0.2.1");
    fail(1, "ada@example.com", "192.0.2.1");
    const error = refusal(() => throttle.check("ada@example.com", "192.0.2.1"));
    expect(error).toMatchObject({
      status: 429,
      code: "too_many_requests",
      headers: { "retry-after": "900" },
    });
    throttle.check("ada@example.com", "192.0.2.2");
    throttle.check("bob@example.com", "192.0.2.1");
  });

  it("100 per account, from whatever addresses", () => {
    const { throttle, fail } = setup();
    fail(99, "ada@example.com", (n) => `192.0.2.${n}`);
    throttle.check("ada@example.com", "198.51.100.1");
    fail(1, "ada@example.com", "192.0.2.200");
    expect(refusal(() => throttle.check("ada@example.com", "198.51.100.1"))?.status).toBe(429);
    throttle.check("bob@example.com", "198.51.100.1");
  });

  it("100 per address, at whatever accounts", () => {
    const { throttle, fail } = setup();
    fail(99, (n) => `user${n}@example.com`, "192.0.2.1");
    throttle.check("ada@example.com", "192.0.2.1");
    fail(1, "last@example.com", "192.0.2.1");
    expect(refusal(() => throttle.check("ada@example.com", "192.0.2.1"))?.status).toBe(429);
    throttle.check("ada@example.com", "192.0.2.2");
  });

  it("failures age: each counts for 15 minutes", () => {
    const { clock, throttle, fail } = setup();
    fail(5, "ada@example.com", "192.0.2.1");
    clock.time += 10 * minute;
    fail(5, "ada@example.com", "192.0.2.1");
    const error = refusal(() => throttle.check("ada@example.com", "192.0.2.1"));
    expect(error?.headers).toEqual({ "retry-after": String(5 * 60) });
    clock.time += 5 * minute;
    throttle.check("ada@example.com", "192.0.2.1");
    fail(5, "ada@example.com", "192.0.2.1");
    expect(refusal(() => throttle.check("ada@example.com", "192.0.2.1"))?.status).toBe(429);
  });

  it("an account's name is no address's", () => {
    const { throttle, fail } = setup();
    fail(100, "192.0.2.9", (n) => `192.0.2.${n}`);
    throttle.check("ada@example.com", "192.0.2.9");
  });

  it("one IPv6 customer is one address, and a mapped IPv4 address is the IPv4 address", () => {
    const { throttle, fail } = setup();
    fail(10, "ada@example.com", (n) => `2001:db8:1:2::${n}`);
    expect(refusal(() => throttle.check("ada@example.com", "2001:db8:1:2:ffff::1"))?.status).toBe(429);
    throttle.check("ada@example.com", "2001:db8:1:3::1");
    fail(10, "bob@example.com", "::ffff:192.0.2.1");
    expect(refusal(() => throttle.check("bob@example.com", "192.0.2.1"))?.status).toBe(429);
  });

  it("memory is bounded: those that failed longest ago are forgotten first", () => {
    const { throttle, fail } = setup(30);
    fail(10, "old@example.com", "192.0.2.1");
    fail(10, "ada@example.com", "192.0.2.2");
    fail(9, (n) => `user${n}@example.com`, "192.0.2.3");
    expect(refusal(() => throttle.check("ada@example.com", "192.0.2.2"))?.status).toBe(429);
    fail(20, (n) => `more${n}@example.com`, "192.0.2.3");
    throttle.check("old@example.com", "192.0.2.1");
    throttle.check("ada@example.com", "192.0.2.2");
  });
});
