import { describe, expect, test } from "vitest";
import type { Suite } from "./fixtures.ts";

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
      suite.clock.time += 59_999;
      expect(await lease?.renew()).toBe(true);
      suite.clock.time += 59_999;
      expect(await suite.store.lease("job", 60_000)).toBeUndefined();
      await lease?.release();
      expect(await lease?.renew()).toBe(false);
    });

    test("of many who ask at once one has it", async () => {
      const asked = Array.from({ length: 20 }, () => suite.store.lease("job", 60_000));
      expect((await Promise.all(asked)).filter((lease) => lease !== undefined)).toHaveLength(1);
    });
  });
}
