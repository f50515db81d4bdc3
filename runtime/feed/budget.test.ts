import fc from "fast-check";
import { expect, test } from "vitest";
import { runs } from "../testing/random.ts";
import { Budget, type Holder } from "./budget.ts";

/** Holds so many bytes, and gives them up. */
class Held implements Holder {
  place = -1;
  bytes = 0;
  readonly #budget: Budget;
  readonly #given: Held[];

  constructor(budget: Budget, given: Held[]) {
    this.#budget = budget;
    this.#given = given;
  }

  become(bytes: number): void {
    const by = bytes - this.bytes;
    this.bytes = bytes;
    if (by !== 0) this.#budget.changed(this, by);
  }

  giveUp(): void {
    this.#given.push(this);
    this.become(0);
  }
}

test("where all hold more than they may, the largest give up, and only as many as must", () => {
  const steps = fc.array(fc.tuple(fc.nat(19), fc.nat(100)), { maxLength: 200 });
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 600 }), (written, most) => {
      const budget = new Budget(most);
      const given: Held[] = [];
      const holders = Array.from({ length: 20 }, () => new Held(budget, given));
      for (const [which, bytes] of written) {
        const expected = holders.map((holder, n) => (n === which ? bytes : holder.bytes));
        given.length = 0;
        holders[which]?.become(bytes);
        let held = expected.reduce((sum, each) => sum + each, 0);
        for (const holder of given) {
          expect(held).toBeGreaterThan(most);
          const at = holders.indexOf(holder);
          expect(expected[at]).toBe(Math.max(...expected));
          held -= expected[at] ?? 0;
          expected[at] = 0;
        }
        expect(held).toBeLessThanOrEqual(most);
        expect(budget.held).toBe(held);
        expect(holders.map((holder) => holder.bytes)).toEqual(expected);
      }
    }),
    { numRuns: runs(500) },
  );
});
