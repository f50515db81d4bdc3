import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { timestamp } from "../../clock.ts";
import { heldClock } from "../../instance/testing/servers.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import { readSession, writeSession } from "../records.ts";
import { type Accounts, minute, startAccounts } from "../testing/accounts.ts";
import { liveSession } from "./live.ts";
import { SessionUse } from "./session-use.ts";

const second = 1_000;

let server: Accounts;
beforeEach(async () => {
  server = await startAccounts();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(async () => {
  vi.useRealTimers();
  await server.stop();
});

async function setup(capacity?: number) {
  const store = server.store("shop");
  const sessions = store.collection("_svc.sessions");
  const all = { filter: { op: "true" }, visibility: "live", limit: 100, skip: 0 } as const;
  for (const email of ["ada@example.com", "bea@example.com", "cleo@example.com"]) await server.signup(email);
  const begun = server.clock.now();
  const clock = heldClock(begun);
  const work: Promise<unknown>[] = [];
  const warn = vi.fn();
  const log: RealmInstance["log"] = { info: () => undefined, warn, error: () => undefined };
  const use = new SessionUse({ store, clock, log, background: (started) => work.push(started) }, capacity);
  const live = async () => (await sessions.find(all)).map(liveSession);
  const [ada, bea, cleo] = await live();
  if (!ada || !bea || !cleo) throw new Error("three sessions");
  return {
    ada,
    bea,
    cleo,
    begun,
    clock,
    sessions,
    use,
    warn,
    /** Time passes for the clock and for timers. */
    pass(milliseconds: number): void {
      clock.advance(milliseconds);
      vi.advanceTimersByTime(milliseconds);
    },
    /** Milliseconds from their beginning to the uses that are stored. */
    async written(): Promise<number[]> {
      await Promise.all(work);
      return (await live()).map(({ lastUsed }) => lastUsed - begun);
    },
    writes: () => work.length,
  };
}

describe("SessionUse", () => {
  it("writes a use a minute after the last at once, and what follows shortly after together", async () => {
    const { ada, bea, cleo, clock, pass, use, written, writes } = await setup();
    pass(minute);
    use.note(ada, clock.now());
    expect(await written()).toEqual([minute, 0, 0]);
    pass(second);
    use.note(bea, clock.now());
    use.note(cleo, clock.now());
    expect(writes()).toBe(1);
    pass(10 * second);
    expect(writes()).toBe(2);
    expect(await written()).toEqual([minute, minute + second, minute + second]);
  });

  it("a session in use all the time is written once a minute, and its last use too", async () => {
    const { ada, clock, pass, use, written, writes } = await setup();
    for (let n = 0; n < 300; n += 1) {
      pass(second);
      use.note(ada, clock.now());
      expect(use.lastUsed(ada)).toBe(clock.now());
    }
    expect(writes()).toBe(4);
    const last = clock.now();
    pass(70 * second);
    expect(writes()).toBe(5);
    expect(await written()).toEqual([300 * second, 0, 0]);
    expect(use.lastUsed(ada)).toBe(last);
    pass(10 * minute);
    expect(writes()).toBe(5);
  });

  it("a use less than a minute after its beginning is known at once and written when that minute is over", async () => {
    const { ada, begun, clock, pass, use, written, writes } = await setup();
    pass(5 * second);
    use.note(ada, clock.now());
    expect(use.lastUsed(ada) - begun).toBe(5 * second);
    pass(54 * second);
    expect(writes()).toBe(0);
    pass(16 * second);
    expect(writes()).toBe(1);
    expect(await written()).toEqual([5 * second, 0, 0]);
  });

  it("keeps the last administration with it", async () => {
    const { ada, begun, clock, pass, sessions, use, written } = await setup();
    pass(second);
    use.note(ada, clock.now());
    use.noteAdministration(ada.id, clock.now());
    pass(second);
    use.note(ada, clock.now());
    expect(use.lastAdministered(ada) - begun).toBe(second);
    expect(use.lastUsed(ada) - begun).toBe(2 * second);
    pass(70 * second);
    expect(await written()).toEqual([2 * second, 0, 0]);
    const stored = await sessions.get(ada.hash, "live");
    expect(stored && readSession(stored).record.administered_at).toBe(timestamp(begun + second));
  });

  it("overwrites nothing that was written meanwhile, and takes no time back", async () => {
    const { ada, begun, clock, pass, sessions, use, written } = await setup();
    pass(second);
    use.note(ada, clock.now());
    const stored = await sessions.get(ada.hash, "live");
    if (stored === undefined) throw new Error("a session");
    const { record, version } = readSession(stored);
    const elsewhere = {
      ...record,
      last_used_at: timestamp(begun + 7 * second),
      proved_at: timestamp(begun + 6 * second),
      administered_at: timestamp(begun + 6 * second),
    };
    await sessions.replace(version, writeSession(elsewhere, version + 1));
    pass(70 * second);
    expect(await written()).toEqual([7 * second, 0, 0]);
    expect((await sessions.get(ada.hash, "live"))?.version).toBe(version + 1);
    use.note(ada, clock.now());
    pass(70 * second);
    expect(await written()).toEqual([71 * second, 0, 0]);
    const after = await sessions.get(ada.hash, "live");
    expect(after && readSession(after).record).toEqual({
      ...elsewhere,
      last_used_at: timestamp(begun + 71 * second),
    });
  });

  it("brings no ended session back", async () => {
    const { ada, clock, pass, sessions, use, warn, written } = await setup();
    await sessions.remove(ada.hash);
    pass(minute);
    use.note(ada, clock.now());
    expect(await written()).toHaveLength(2);
    expect(warn).not.toHaveBeenCalled();
  });

  it("remembers a bounded number, and forgets first what it knew first", async () => {
    const { ada, bea, cleo, begun, clock, pass, use } = await setup(2);
    pass(second);
    for (const session of [ada, bea, cleo]) use.note(session, clock.now());
    expect([ada, bea, cleo].map((session) => use.lastUsed(session) - begun)).toEqual([0, second, second]);
  });

  it("goes on where the store failed", async () => {
    const { ada, clock, pass, use, warn, written } = await setup();
    const failing = vi.spyOn(server.store("shop"), "transaction").mockRejectedValueOnce(new Error("no disk"));
    pass(minute);
    use.note(ada, clock.now());
    expect(await written()).toEqual([0, 0, 0]);
    expect(warn).toHaveBeenCalledOnce();
    failing.mockRestore();
    pass(minute);
    use.note(ada, clock.now());
    pass(10 * second);
    expect(await written()).toEqual([2 * minute, 0, 0]);
  });
});
