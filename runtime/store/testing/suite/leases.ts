import { describe, expect, test } from "vitest";
import { TRUE } from "../../../filter/algebra.ts";
import { LeaseLost } from "../../contract/errors.ts";
import type { Lease } from "../../contract/lease.ts";
import { type Suite, written } from "./fixtures.ts";

/** What one holds at a time. */
export function describeLeases(suite: Suite): void {
  describe("lease", () => {
    test("is held by one at a time, until it is released", async () => {
      const lease = await suite.store.lease("job", 60_000);
      expect(lease).toBeDefined();
      expect(await suite.store.lease("job", 60_000)).toBeUndefined();
      expect(await suite.store.lease("other", 60_000)).toBeDefined();
      await lease?.release();
      expect(await suite.store.lease("job", 60_000)).toBeDefined();
      await lease?.release();
      expect(await suite.store.lease("job", 60_000)).toBeUndefined();
    });

    test("is held for as long as it is renewed", async () => {
      const lease = await suite.store.lease("job", 60_000);
      expect(await lease?.renew()).toBe(true);
      expect(await lease?.renew()).toBe(true);
      expect(await suite.store.lease("job", 60_000)).toBeUndefined();
      await lease?.release();
      expect(await lease?.renew()).toBe(false);
    });

    test("goes by no clock of whoever asks", async () => {
      const lease = await suite.store.lease("job", 60_000);
      suite.clock.time += 90_000;
      expect(await suite.store.lease("job", 60_000)).toBeUndefined();
      expect(await lease?.renew()).toBe(true);
    });

    test("fences off whoever has it no longer: nothing of a transaction that presents it is written", async () => {
      const people = await suite.people();
      const write = (id: string, lease: Lease | undefined) =>
        suite.store.transaction(
          (transaction) => transaction.collection("app.people").insert(written(id, {})),
          { lease },
        );
      const first = await suite.store.lease("job", 60_000);
      await write("first", first);
      await write("again", first);
      await first?.release();
      await expect(write("released", first)).rejects.toBeInstanceOf(LeaseLost);
      const second = await suite.store.lease("job", 60_000);
      await expect(write("stale", first)).rejects.toBeInstanceOf(LeaseLost);
      await write("second", second);
      // It ends while the transaction is under way.
      const released = suite.store.transaction(
        async (transaction) => {
          await transaction.collection("app.people").insert(written("late", {}));
          await second?.release();
        },
        { lease: second },
      );
      await expect(released).rejects.toBeInstanceOf(LeaseLost);
      const all = await people.find({ filter: TRUE, visibility: "all", limit: 10, skip: 0 });
      expect(all.map(({ id }) => id).sort()).toEqual(["again", "first", "second"]);
    });

    test("the store's time is the clock's where both agree", async () => {
      expect(await suite.store.now()).toBe(suite.clock.now());
      suite.clock.time += 90_000;
      expect(await suite.store.now()).toBe(suite.clock.now());
    });

    test("of many who ask at once one has it", async () => {
      const asked = Array.from({ length: 20 }, () => suite.store.lease("job", 60_000));
      expect((await Promise.all(asked)).filter((lease) => lease !== undefined)).toHaveLength(1);
    });
  });
}
