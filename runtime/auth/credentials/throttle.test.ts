import { afterEach, describe, expect, it } from "vitest";
import { ApiError } from "../../errors.ts";
import { heldClock } from "../../instance/testing/servers.ts";
import type { Store } from "../../store/contract/store.ts";
import { testStore } from "../../store/testing/stores.ts";
import { collections, systemCollections } from "../collections.ts";
import { accountsModule } from "../testing/accounts.ts";
import { guessLimits, mailLimits, Throttle, wrong } from "./throttle.ts";

const minute = 60_000;
const ada = "ada@example.com";

const shapes = systemCollections(accountsModule("shop").definition).filter(
  ({ name }) => name === collections.throttle,
);

const stores: Store[] = [];
afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
});

async function setup() {
  const clock = heldClock();
  const store = await testStore({ clock, collections: shapes });
  stores.push(store);
  const throttle = new Throttle({ store, clock });
  const fail = async (times: number, account: (n: number) => string, address: (n: number) => string) => {
    for (let n = 0; n < times; n += 1) await throttle.fail(guessLimits(account(n), address(n)));
  };
  const refused = (account: string, address: string) =>
    refusal(() => throttle.check(guessLimits(account, address)));
  return { clock, store, throttle, fail, refused };
}

async function refusal(work: () => Promise<unknown>): Promise<ApiError | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

const always = (text: string) => () => text;

describe("Wrong guesses in 15 minutes", () => {
  it("10 per account and address together, then 429 with Retry-After", async () => {
    const { fail, refused } = await setup();
    await fail(9, always(ada), always("192.0.2.1"));
    expect(await refused(ada, "192.0.2.1")).toBeUndefined();
    await fail(1, always(ada), always("192.0.2.1"));
    expect(await refused(ada, "192.0.2.1")).toMatchObject({
      status: 429,
      code: "too_many_requests",
      headers: { "retry-after": "900" },
    });
    expect(await refused(ada, "192.0.2.2")).toBeUndefined();
    expect(await refused("bob@example.com", "192.0.2.1")).toBeUndefined();
  });

  it("100 per account, from whatever addresses", async () => {
    const { fail, refused } = await setup();
    await fail(99, always(ada), (n) => `192.0.2.${n}`);
    expect(await refused(ada, "198.51.100.1")).toBeUndefined();
    await fail(1, always(ada), always("192.0.2.200"));
    expect((await refused(ada, "198.51.100.1"))?.status).toBe(429);
    expect(await refused("bob@example.com", "198.51.100.1")).toBeUndefined();
  });

  it("100 per address, at whatever accounts", async () => {
    const { fail, refused } = await setup();
    await fail(99, (n) => `user${n}@example.com`, always("192.0.2.1"));
    expect(await refused(ada, "192.0.2.1")).toBeUndefined();
    await fail(1, always("last@example.com"), always("192.0.2.1"));
    expect((await refused(ada, "192.0.2.1"))?.status).toBe(429);
    expect(await refused(ada, "192.0.2.2")).toBeUndefined();
  });

  it("each counts for 15 minutes", async () => {
    const { clock, fail, refused } = await setup();
    await fail(5, always(ada), always("192.0.2.1"));
    clock.advance(10 * minute);
    await fail(5, always(ada), always("192.0.2.1"));
    expect((await refused(ada, "192.0.2.1"))?.headers).toEqual({ "retry-after": String(5 * 60) });
    clock.advance(5 * minute - 1);
    expect((await refused(ada, "192.0.2.1"))?.headers).toEqual({ "retry-after": "1" });
    clock.advance(1);
    expect(await refused(ada, "192.0.2.1")).toBeUndefined();
    await fail(5, always(ada), always("192.0.2.1"));
    expect((await refused(ada, "192.0.2.1"))?.status).toBe(429);
  });

  it("those of a clock that was far ahead and is set right do not count, those of a moment ahead do", async () => {
    const { clock, fail, refused } = await setup();
    await fail(10, always(ada), always("192.0.2.1"));
    clock.advance(-minute);
    expect((await refused(ada, "192.0.2.1"))?.status).toBe(429);
    clock.advance(-14 * minute);
    expect(await refused(ada, "192.0.2.1")).toBeUndefined();
    await fail(10, always(ada), always("192.0.2.1"));
    expect((await refused(ada, "192.0.2.1"))?.headers).toEqual({ "retry-after": String(15 * 60) });
  });

  it("one that is refused is not counted: the time does not begin anew", async () => {
    const { clock, throttle, fail, refused } = await setup();
    await fail(10, always(ada), always("192.0.2.1"));
    clock.advance(14 * minute);
    expect((await refusal(() => throttle.fail(guessLimits(ada, "192.0.2.1"))))?.status).toBe(429);
    clock.advance(minute);
    expect(await refused(ada, "192.0.2.1")).toBeUndefined();
  });

  it("an account's name is no address's, and nothing runs together", async () => {
    const { fail, refused } = await setup();
    await fail(100, always("192.0.2.9"), (n) => `192.0.2.${n}`);
    expect(await refused(ada, "192.0.2.9")).toBeUndefined();
    await fail(10, always('ada","192.0.2.1'), always("192.0.2.2"));
    expect(await refused("ada", "192.0.2.1")).toBeUndefined();
  });

  it("one IPv6 customer is one address, and a mapped IPv4 address is the IPv4 address", async () => {
    const { fail, refused } = await setup();
    await fail(10, always(ada), (n) => `2001:db8:1:2::${n}`);
    expect((await refused(ada, "2001:db8:1:2:ffff::1"))?.status).toBe(429);
    expect(await refused(ada, "2001:db8:1:3::1")).toBeUndefined();
    await fail(10, always("bob@example.com"), always("::ffff:192.0.2.1"));
    expect((await refused("bob@example.com", "192.0.2.1"))?.status).toBe(429);
  });
});

describe("However many guess at a time", () => {
  it("10 wrong guesses are told, and then no right one either", async () => {
    const { throttle } = await setup();
    const limits = guessLimits(ada, "192.0.2.1");
    const guesses = Array.from({ length: 30 }, (_, n) =>
      throttle.guess(limits, async () => (n === 29 ? "right" : wrong)),
    );
    const told = await Promise.allSettled(guesses);
    const answers = told.map((result) => (result.status === "fulfilled" ? result.value : result.reason.code));
    expect(answers.filter((answer) => answer === wrong)).toHaveLength(10);
    for (const answer of answers) expect([wrong, "right", "too_many_requests"]).toContain(answer);
    expect(await refusal(() => throttle.guess(limits, async () => "right"))).toMatchObject({ status: 429 });
  });

  it("right ones are not counted, nor kept from each other", async () => {
    const { throttle, refused } = await setup();
    const limits = guessLimits(ada, "192.0.2.1");
    const rights = Array.from({ length: 20 }, () => throttle.guess(limits, async () => "right"));
    expect(await Promise.all(rights)).toEqual(Array(20).fill("right"));
    expect(await refused(ada, "192.0.2.1")).toBeUndefined();
  });

  it("what throws is neither", async () => {
    const { throttle, store } = await setup();
    const limits = guessLimits(ada, "192.0.2.1");
    const broken = new Error("broken");
    await expect(
      throttle.guess(limits, async () => {
        throw broken;
      }),
    ).rejects.toBe(broken);
    expect(await store.collection(collections.throttle).scan(undefined, 10)).toEqual([]);
  });
});

it("Three mails an hour to a recipient, those that were not sent not counted", async () => {
  const { clock, throttle } = await setup();
  const take = () => throttle.take(mailLimits(ada, undefined));
  const taken = await Promise.all([take(), take(), take(), take(), take()]);
  expect(taken.filter(Boolean)).toHaveLength(3);
  expect(await throttle.take(mailLimits("bob@example.com", undefined))).toBe(true);
  clock.advance(60 * minute - 1);
  expect(await take()).toBe(false);
  clock.advance(1);
  expect(await take()).toBe(true);
});

describe("What is stored", () => {
  it("names nobody: neither an e-mail address nor a network", async () => {
    const { store, fail, throttle } = await setup();
    await fail(1, always(ada), always("192.0.2.1"));
    await throttle.take(mailLimits(ada, undefined));
    const records = await store.collection(collections.throttle).scan(undefined, 10);
    expect(records).toHaveLength(4);
    for (const { id, text } of records) {
      expect(id).toMatch(/^[0-9a-f]{64}$/);
      expect(text).not.toMatch(/ada|192\.0/);
    }
  });

  it("is at most a limit's worth of times, and goes when the last of them no longer counts", async () => {
    const { clock, store, fail } = await setup();
    const throttle = store.collection(collections.throttle);
    await fail(10, always(ada), always("192.0.2.1"));
    clock.advance(15 * minute);
    await fail(10, always(ada), always("192.0.2.1"));
    const records = await throttle.scan(undefined, 10);
    expect(records.map(({ text }) => JSON.parse(text).times.length)).toEqual([10, 10, 10]);
    clock.advance(15 * minute - 1);
    expect(await throttle.removeExpired(10)).toBe(0);
    clock.advance(1);
    expect(await throttle.removeExpired(10)).toBe(3);
  });
});
