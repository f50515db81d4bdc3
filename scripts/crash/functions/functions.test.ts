import { describe, expect, test } from "vitest";
import { isEmbedded, processPlace } from "../../../runtime/store/testing/stores.ts";
import { isFull } from "../../../runtime/testing/random.ts";
import { unlike } from "./judge.ts";
import { crashFunctions } from "./run.ts";
import { type Counted, told } from "./told.ts";

/** A server of a shared store holds what a killed process had under way for up to a minute. */
const KILLS = isFull ? 30 : isEmbedded ? 6 : 2;

test("over kills every change of a triggering collection reaches its handler, in order per document, and what it counts by idempotent writes is exact", {
  timeout: 400_000,
}, async () => {
  const place = processPlace();
  try {
    const { acknowledged, counted, problems } = await crashFunctions(place.setting, place.realm, KILLS);
    expect(problems).toEqual([]);
    expect(acknowledged).toBeGreaterThanOrEqual(KILLS * 20);
    expect(counted).toBeGreaterThanOrEqual(acknowledged);
  } finally {
    await place.discard();
  }
});

describe("the judge finds", () => {
  const thing = (version: number) => ({ id: "a", _meta: { version } });
  const count = (more: Partial<Counted> = {}) => ({
    id: "a",
    count: 2,
    last: 2,
    gone: false,
    faults: [],
    ...more,
  });
  const stored = { things: [thing(2)], counts: [count()] };

  test("nothing where all is well", () => {
    expect(unlike([thing(1), thing(2)], stored)).toEqual([]);
    expect(
      unlike([thing(2), { id: "a" }], { things: [], counts: [count({ gone: true, count: 3 })] }),
    ).toEqual([]);
  });

  test.each([
    ["a change that was never told", { ...stored, things: [thing(3)] }],
    ["a document that was never told", { ...stored, counts: [] }],
    ["a delete that was never told", { ...stored, things: [] }],
    ["a change that was counted twice", { ...stored, counts: [count({ count: 3 })] }],
    ["what was told out of order", { ...stored, counts: [count({ faults: ["1 after 2"] })] }],
  ])("%s", (_, wrong) => {
    expect(unlike([thing(2)], wrong)).not.toEqual([]);
  });

  test("an acknowledged write that is lost", () => {
    expect(unlike([thing(3)], stored)).not.toEqual([]);
  });

  test("a version that comes too early, too late, or after a delete; again is nothing", () => {
    const before = { count: 2, last: 2, gone: false, faults: [] };
    expect(told(before, { version: 2, gone: false })).toBeUndefined();
    expect(told(before, { version: 3, gone: false })?.faults).toEqual([]);
    expect(told(before, { version: 4, gone: false })?.faults).toHaveLength(1);
    expect(told(before, { version: 1, gone: false })?.faults).toHaveLength(1);
    const gone = told(before, { version: 2, gone: true });
    expect(gone).toMatchObject({ count: 3, gone: true, faults: [] });
    expect(told(gone, { version: 2, gone: true })).toBeUndefined();
    expect(told(gone, { version: 3, gone: false })?.faults).toHaveLength(1);
  });
});
