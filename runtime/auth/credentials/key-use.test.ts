import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eq } from "../../filter/algebra.ts";
import { heldClock } from "../../instance/testing/servers.ts";
import { optimistic, shortBackoff } from "../../retry.ts";
import type { Store } from "../../store/contract/store.ts";
import { isEmbedded, testStore } from "../../store/testing/stores.ts";
import { collections, keyFields, systemCollections } from "../collections.ts";
import { allKeys, createKey } from "../command-keys.ts";
import { ending } from "../key-changes.ts";
import { readKey } from "../key-records.ts";
import { accountsModule, minute } from "../testing/accounts.ts";
import { KeyUse } from "./key-use.ts";
import { findKey } from "./keys.ts";
import { type LiveKey, liveKey } from "./live-keys.ts";
import { tokenHash } from "./tokens.ts";

const second = 1_000;
const { definition } = accountsModule("shop");

let store: Store;
beforeEach(async () => {
  store = await testStore({ collections: systemCollections(definition) });
});
afterEach(async () => {
  vi.useRealTimers();
  await store.close();
});

async function setup(names: readonly string[], capacity?: number) {
  const clock = heldClock();
  const begun = clock.now();
  const keys: LiveKey[] = [];
  for (const name of names) {
    const hash = tokenHash(await createKey(store, clock, { name, admin: false }));
    const document = await store.collection(collections.keys).get(hash, "live");
    if (document === undefined) throw new Error("a key");
    keys.push(liveKey(readKey(document).record, definition));
  }
  const work: Promise<unknown>[] = [];
  const warn = vi.fn();
  const log = { info: () => undefined, warn, error: () => undefined };
  const use = new KeyUse({ store, clock, log, background: (started) => work.push(started) }, capacity);
  return {
    keys,
    clock,
    warn,
    note: (key: LiveKey | undefined, address = "192.0.2.1") => {
      if (key !== undefined) use.note(key, address, clock.now());
    },
    /** Time passes for the clock and for timers. */
    pass(milliseconds: number): void {
      clock.advance(milliseconds);
      vi.advanceTimersByTime(milliseconds);
    },
    /** Of each key that there is: seconds until its use that is stored, and from where. */
    async written(): Promise<Record<string, readonly [number, unknown] | null>> {
      await Promise.all(work);
      const found: Record<string, readonly [number, unknown] | null> = {};
      for await (const { name, last_used_at: at, last_used_address: from } of allKeys(store))
        found[String(name)] = typeof at === "string" ? [(Date.parse(at) - begun) / second, from] : null;
      return found;
    },
    writes: () => work.length,
    idle: () => Promise.all(work),
  };
}

/** As whoever revokes it does. */
async function end({ caller }: LiveKey): Promise<void> {
  await optimistic(shortBackoff, async () => {
    const ended = await ending(store, eq(keyFields.key, caller.keyId));
    await store.transaction((transaction) => ended.write(transaction));
    return true;
  });
}

/** Not those of a driver. */
const held = () => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

/** Those that the store does not forget by itself. */
async function uses(): Promise<number> {
  const found = await store.collection(collections.keyUses).scan(undefined, 100);
  return found.filter(({ purgeAt }) => purgeAt === undefined).length;
}

describe.runIf(isEmbedded)("the last use of keys", () => {
  beforeEach(() => void held());

  it("is written soon where none is known, then once a minute a key, those of several together", async () => {
    const { keys, note, pass, written, writes } = await setup(["one", "two", "three"]);
    const [one, two] = keys;
    note(one);
    pass(second);
    note(two, "192.0.2.2");
    note(one, "192.0.2.9");
    expect(await written()).toEqual({ one: null, two: null, three: null });
    pass(20 * second);
    expect(await written()).toEqual({ one: [1, "192.0.2.9"], two: [1, "192.0.2.2"], three: null });
    const before = writes();
    for (let n = 0; n < 300; n += 1) {
      pass(second);
      note(one);
    }
    pass(2 * minute);
    expect(writes() - before).toBeLessThanOrEqual(6);
    expect(await written()).toMatchObject({ one: [321, "192.0.2.1"], two: [1, "192.0.2.2"] });
  });

  it("brings no ended key back, and leaves nothing behind", async () => {
    const { keys, note, pass, idle, warn } = await setup(["one", "two"]);
    const [one, two] = keys;
    if (one === undefined || two === undefined) throw new Error("two keys");
    note(one);
    pass(20 * second);
    await idle();
    expect(await uses()).toBe(1);
    note(two);
    note(one);
    await end(one);
    await end(two);
    pass(2 * minute);
    await idle();
    expect(await uses()).toBe(0);
    expect(warn).not.toHaveBeenCalled();
  });

  it("of a bounded number is remembered; goes on where the store failed", async () => {
    const { keys, note, pass, written, warn } = await setup(["one", "two", "three"], 2);
    const failing = vi.spyOn(store, "transaction").mockRejectedValueOnce(new Error("no disk"));
    note(keys[0]);
    pass(20 * second);
    expect(await written()).toMatchObject({ one: null });
    expect(warn).toHaveBeenCalledOnce();
    failing.mockRestore();
    pass(second);
    for (const key of keys) note(key);
    pass(20 * second);
    // The one that was known first is forgotten for the others.
    expect(await written()).toEqual({ one: null, two: [21, "192.0.2.1"], three: [21, "192.0.2.1"] });
    pass(minute);
    note(keys[0]);
    pass(20 * second);
    expect(await written()).toMatchObject({ one: [101, "192.0.2.1"] });
  });
});

it("the last use of keys leaves nothing behind of those that end while it is written", async () => {
  const names = Array.from({ length: 12 }, (_, n) => `key-${n}`);
  const { keys, clock, idle } = await setup(names);
  for (const key of keys) {
    const work: Promise<unknown>[] = [];
    const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
    const use = new KeyUse({ store, clock, log, background: (started) => work.push(started) });
    use.note(key, "192.0.2.1", clock.now());
    clock.advance(minute);
    use.note(key, "192.0.2.1", clock.now());
    expect(work).toHaveLength(1);
    await Promise.all([end(key), ...work]);
  }
  await idle();
  expect(await uses()).toBe(0);
  expect(await findKey({ store }, keys[0]?.caller.keyId ?? "")).toBeUndefined();
});
