import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { heldClock } from "../../instance/testing.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import { type Accounts, day, minute, startAccounts } from "../testing.ts";
import { liveSession, SessionUse } from "./use.ts";

let server: Accounts;
beforeEach(async () => {
  server = await startAccounts();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(async () => {
  vi.useRealTimers();
  await server.stop();
});

async function setup(idleTimeout = 7 * day) {
  const store = server.store("shop");
  const sessions = store.collection("_svc.sessions");
  const all = { filter: { op: "true" }, visibility: "live", limit: 100, skip: 0 } as const;
  for (const email of ["ada@example.com", "bea@example.com", "cleo@example.com"]) await server.signup(email);
  const begun = server.clock.now();
  const clock = heldClock(begun);
  const work: Promise<unknown>[] = [];
  const warn = vi.fn();
  const log: RealmInstance["log"] = { info: () => undefined, warn, error: () => undefined };
  const use = new SessionUse({ store, clock, log, background: (started) => work.push(started) }, idleTimeout);
  const live = async () => (await sessions.find(all)).map(liveSession);
  return {
    clock,
    live,
    sessions,
    use,
    warn,
    written: async () => {
      await Promise.all(work);
      return (await live()).map(({ lastUsed }) => lastUsed - begun);
    },
    writes: () => work.length,
  };
}

describe("SessionUse", () => {
  it("writes the first use after a minute at once, and what follows shortly after together", async () => {
    const { clock, live, use, written, writes } = await setup();
    const [ada, bea, cleo] = await live();
    if (!ada || !bea || !cleo) throw new Error("three sessions");
    clock.advance(minute - 1);
    use.note(ada, clock.now());
    expect(writes()).toBe(0);
    clock.advance(1);
    use.note(ada, clock.now());
    expect(await written()).toEqual([minute, 0, 0]);
    clock.advance(1_000);
    use.note(bea, clock.now());
    use.note(cleo, clock.now());
    expect(writes()).toBe(1);
    expect(use.lastUsed(bea)).toBe(clock.now());
    vi.advanceTimersByTime(10_000);
    expect(writes()).toBe(2);
    expect(await written()).toEqual([minute, minute + 1_000, minute + 1_000]);
  });

  it("a use being written is not noted again", async () => {
    const { clock, live, use, written, writes } = await setup();
    const [ada] = await live();
    if (!ada) throw new Error("a session");
    clock.advance(minute);
    use.note(ada, clock.now());
    use.note(ada, clock.now() + 1);
    expect(use.lastUsed(ada)).toBe(clock.now());
    await written();
    vi.advanceTimersByTime(minute);
    expect(writes()).toBe(1);
  });

  it("brings no ended session back", async () => {
    const { clock, live, sessions, use, warn, written } = await setup();
    const [ada] = await live();
    if (!ada) throw new Error("a session");
    await sessions.remove(ada.record.id);
    clock.advance(minute);
    use.note(ada, clock.now());
    expect(await written()).toHaveLength(2);
    expect(warn).not.toHaveBeenCalled();
  });

  it("a short idle timeout is kept by writing oftener", async () => {
    const { clock, live, use, written } = await setup(minute);
    const [ada] = await live();
    if (!ada) throw new Error("a session");
    clock.advance(minute / 4);
    use.note(ada, clock.now());
    expect(await written()).toEqual([minute / 4, 0, 0]);
  });
});
