import { describe, expect, test } from "vitest";
import { Ring, type RingBounds } from "./ring.ts";

interface Item {
  readonly position: string;
  readonly bytes: number;
}
const LARGE: RingBounds = { items: 10_000, bytes: 1_000_000 };
const ring = (bounds = LARGE) => new Ring<Item>(bounds, ({ bytes }) => bytes);
const item = (position: string, bytes = 10): Item => ({ position, bytes });
const numbers = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `p${from + n}`);
const read = (of: Ring<Item>, position: string, limit = 1_000) =>
  of.after(position, limit, 1_000_000)?.items.map((found) => found.position);

describe("the ring", () => {
  test("answers what came after a position, and nothing of positions that it does not know", () => {
    const newest = ring();
    expect(newest.last).toBeUndefined();
    expect(read(newest, "p0")).toBeUndefined();
    newest.begin("p0");
    expect(newest.last).toBe("p0");
    expect(read(newest, "p0")).toEqual([]);
    newest.add(["p1", "p2", "p3"].map((position) => item(position)));
    expect(newest.last).toBe("p3");
    expect(read(newest, "p0")).toEqual(["p1", "p2", "p3"]);
    expect(read(newest, "p0", 2)).toEqual(["p1", "p2"]);
    expect(read(newest, "p2")).toEqual(["p3"]);
    expect(read(newest, "p3")).toEqual([]);
    expect(read(newest, "p4")).toBeUndefined();
  });

  test("marks are positions without an item", () => {
    const newest = ring();
    newest.begin("p0");
    newest.mark("m1");
    newest.mark("m1");
    newest.add([item("p2")]);
    newest.mark("m3");
    expect(read(newest, "p0")).toEqual(["p2"]);
    expect(read(newest, "m1")).toEqual(["p2"]);
    expect(read(newest, "p2", 1)).toEqual([]);
    expect(newest.last).toBe("m3");
  });

  test("an item with which it begins is not after the beginning", () => {
    const newest = ring();
    newest.begin("p1");
    newest.add([item("p1"), item("p2")]);
    expect(read(newest, "p1")).toEqual(["p2"]);
  });

  test("says where to go on, and whether there is more", () => {
    const newest = ring();
    newest.begin("p0");
    newest.add([item("p1", 60), item("p2", 60), item("p3", 60)]);
    newest.mark("m4");
    expect(newest.after("p0", 9, 100)).toMatchObject({ position: "p2", isEnd: false });
    expect(newest.after("p2", 9, 100)).toMatchObject({
      items: [{ position: "p3" }],
      position: "m4",
      isEnd: true,
    });
    expect(newest.after("m4", 9, 100)).toEqual({ items: [], position: "m4", isEnd: true });
    expect([newest.first, newest.last, newest.bytes]).toEqual(["p0", "m4", 180]);
  });

  test("beginning anew forgets", () => {
    const newest = ring();
    newest.begin("p0");
    newest.add([item("p1"), item("p2")]);
    newest.begin("q0");
    expect(read(newest, "p1")).toBeUndefined();
    newest.add([item("q1")]);
    expect(read(newest, "q0")).toEqual(["q1"]);
  });

  test.each([
    ["items", { items: 100, bytes: 1_000_000 }],
    ["bytes", { items: 1_000_000, bytes: 1_000 }],
  ])("keeps the newest within its bound of %s, without a gap", (_, bounds) => {
    const newest = ring(bounds);
    newest.begin("p0");
    for (let n = 1; n < 1_000; n += 7) newest.add(numbers(n, n + 7).map((position) => item(position)));
    const all = numbers(1, 1_002);
    let known = 0;
    for (const [n, position] of all.entries()) {
      const after = read(newest, position, 10_000);
      if (after === undefined) expect(known).toBe(0);
      else expect(after).toEqual(all.slice(n + 1));
      if (after !== undefined) known += 1;
    }
    expect(known).toBeGreaterThan(70);
    expect(known).toBeLessThanOrEqual(101);
  });

  test("one item that is larger than the bound is still answered", () => {
    const newest = ring({ items: 10, bytes: 100 });
    newest.begin("p0");
    newest.add([item("p1"), item("p2", 1_000)]);
    expect(read(newest, "p1")).toEqual(["p2"]);
    newest.add([item("p3")]);
    expect(read(newest, "p2")).toEqual(["p3"]);
    expect(read(newest, "p1")).toBeUndefined();
  });
});
