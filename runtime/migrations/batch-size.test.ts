import { describe, expect, it } from "vitest";
import { BatchSize } from "./batch-size.ts";

/** What it comes to where each document takes so long, and each end. */
function settled(size: BatchSize, perDocument: number, end: number): number {
  for (let batch = 0; batch < 20; batch += 1)
    size.learn(size.documents, { work: size.documents * perDocument, end });
  return size.documents;
}

function limited(rate: number): BatchSize {
  const size = new BatchSize();
  size.limit(rate);
  return size;
}

describe("A batch of a migration", () => {
  it("keeps others waiting for 8 ms where its end is quick", () => {
    expect(settled(new BatchSize(), 0.02, 1)).toBe(400);
    expect(settled(new BatchSize(), 1, 1)).toBe(8);
  });

  it("takes as long as its end where that is slow, and 200 ms at most", () => {
    expect(settled(new BatchSize(), 0.05, 20)).toBe(400);
    expect(settled(new BatchSize(), 0.1, 500)).toBe(2_000);
    expect(settled(new BatchSize(), 0.01, 500)).toBe(4_000);
  });

  it("is a quarter of a second's documents at most, and one at least", () => {
    expect(settled(limited(100), 0.001, 1)).toBe(25);
    expect(settled(limited(1), 0.001, 1)).toBe(1);
    expect(settled(new BatchSize(), 500, 1)).toBe(1);
  });

  it("grows again once the limit is lifted", () => {
    const size = limited(4);
    expect(size.documents).toBe(1);
    size.limit();
    expect(settled(size, 0.02, 1)).toBe(400);
  });

  it("changes by half or double at a time, and not by one that wrote nothing", () => {
    const size = new BatchSize();
    size.learn(200, { work: 4_000, end: 1 });
    expect(size.documents).toBe(100);
    size.learn(0, { work: 0, end: 1 });
    expect(size.documents).toBe(100);
  });
});
