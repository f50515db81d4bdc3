import * as fc from "fast-check";
import { expect, test } from "vitest";
import { evened, roomOf, type Slot, slotsOf } from "../documents/files/quota-slots.ts";
import { runs } from "../testing/random.ts";

const ids = slotsOf("realm");

/** Slots that have used anything, and lent each other anything: what one borrows its neighbour lends. */
const slots = fc
  .array(
    fc.record({
      bytes: fc.integer({ min: -500, max: 1_500 }),
      borrowed: fc.integer({ min: -900, max: 900 }),
    }),
    {
      minLength: ids.length,
      maxLength: ids.length,
    },
  )
  .map((all) =>
    ids.map((id, at): Slot => {
      const { bytes, borrowed } = all[at] ?? { bytes: 0, borrowed: 0 };
      const lent = all[(at + 1) % all.length]?.borrowed ?? 0;
      return { record: { id, bytes, files: 1, borrowed: borrowed - lent }, version: at };
    }),
  );

const sum = (numbers: readonly number[]) => numbers.reduce((all, each) => all + each, 0);
const used = (all: readonly Slot[]) => sum(all.map(({ record }) => record.bytes));

test("slots lend each other room, to the byte, as long as the quota has any", () => {
  fc.assert(
    fc.property(
      slots,
      fc.integer({ min: 0, max: 30_000 }),
      fc.integer({ min: 1, max: 20_000 }),
      (all, most, bytes) => {
        expect(sum(all.map(({ record }) => roomOf(record, most)))).toBe(most - used(all));
        const found = evened(all, most, bytes);
        expect(found === undefined).toBe(used(all) + bytes > most);
        if (found === undefined) return;
        const changed = [found.slot, ...found.lenders];
        const after = all.map((slot) => changed.find(({ record }) => record.id === slot.record.id) ?? slot);
        expect(new Set(changed.map(({ record }) => record.id)).size).toBe(changed.length);
        // Nothing but what is lent has changed, and that is nobody's gain.
        expect(after.map(({ record, version }) => [record.id, record.bytes, version])).toEqual(
          all.map(({ record, version }) => [record.id, record.bytes, version]),
        );
        expect(sum(after.map(({ record }) => record.borrowed ?? 0))).toBe(0);
        for (const { record } of after) expect(roomOf(record, most)).toBeGreaterThanOrEqual(0);
        expect(roomOf(found.slot.record, most)).toBeGreaterThanOrEqual(bytes);
      },
    ),
    { numRuns: runs(5_000) },
  );
});
