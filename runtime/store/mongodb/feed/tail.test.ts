import { describe, expect, test } from "vitest";
import type { Change } from "../../contract/feed.ts";
import { Tail } from "./tail.ts";

const change = (position: string, characters = 10): Change => ({
  position,
  at: 0,
  collection: "app.people",
  id: position,
  before: "unknown",
  after: { id: position, version: 1, text: "x".repeat(characters) },
});
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `p${from + n}`);
const read = (tail: Tail, position: string, limit = 1_000) =>
  tail.after(position, limit)?.map((found) => found.position);

describe("the tail", () => {
  test("answers what came after a position, and nothing of positions that it does not know", () => {
    const tail = new Tail();
    expect(tail.last).toBeUndefined();
    expect(read(tail, "p0")).toBeUndefined();
    tail.begin("p0");
    expect(tail.last).toBe("p0");
    expect(read(tail, "p0")).toEqual([]);
    tail.add(["p1", "p2", "p3"].map((position) => change(position)));
    expect(tail.last).toBe("p3");
    expect(read(tail, "p0")).toEqual(["p1", "p2", "p3"]);
    expect(read(tail, "p0", 2)).toEqual(["p1", "p2"]);
    expect(read(tail, "p2")).toEqual(["p3"]);
    expect(read(tail, "p3")).toEqual([]);
    expect(read(tail, "p4")).toBeUndefined();
  });

  test("marks are positions without a change", () => {
    const tail = new Tail();
    tail.begin("p0");
    tail.mark("m1");
    tail.mark("m1");
    tail.add([change("p2")]);
    tail.mark("m3");
    expect(read(tail, "p0")).toEqual(["p2"]);
    expect(read(tail, "m1")).toEqual(["p2"]);
    expect(read(tail, "p2", 1)).toEqual([]);
    expect(tail.last).toBe("m3");
  });

  test("a change with which it begins is not after the beginning", () => {
    const tail = new Tail();
    tail.begin("p1");
    tail.add([change("p1"), change("p2")]);
    expect(read(tail, "p1")).toEqual(["p2"]);
  });

  test("beginning anew forgets", () => {
    const tail = new Tail();
    tail.begin("p0");
    tail.add([change("p1"), change("p2")]);
    tail.begin("q0");
    expect(read(tail, "p1")).toBeUndefined();
    tail.add([change("q1")]);
    expect(read(tail, "q0")).toEqual(["q1"]);
  });

  test.each([
    ["changes", { changes: 100, characters: 1_000_000 }],
    ["characters", { changes: 1_000_000, characters: 1_000 }],
  ])("keeps the newest within its bound of %s, without a gap", (_, bounds) => {
    const tail = new Tail(bounds);
    tail.begin("p0");
    for (let n = 1; n < 1_000; n += 7) tail.add(numbers(n, n + 7).map((position) => change(position)));
    const all = numbers(1, 1_002);
    let known = 0;
    for (const [n, position] of all.entries()) {
      const after = read(tail, position, 10_000);
      if (after === undefined) expect(known).toBe(0);
      else expect(after).toEqual(all.slice(n + 1));
      if (after !== undefined) known += 1;
    }
    expect(known).toBeGreaterThan(70);
    expect(known).toBeLessThanOrEqual(101);
  });

  test("one change that is larger than the bound is still answered", () => {
    const tail = new Tail({ changes: 10, characters: 100 });
    tail.begin("p0");
    tail.add([change("p1"), change("p2", 1_000)]);
    expect(read(tail, "p1")).toEqual(["p2"]);
    tail.add([change("p3")]);
    expect(read(tail, "p2")).toEqual(["p3"]);
    expect(read(tail, "p1")).toBeUndefined();
  });
});
