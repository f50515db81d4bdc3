import { expect, test } from "vitest";
import { isEmbedded, processPlace } from "../../../runtime/store/testing/stores.ts";
import { isFull } from "../../../runtime/testing/random.ts";
import { differing } from "./judge.ts";
import { crashFiles } from "./run.ts";

const KILLS = isFull ? 200 : isEmbedded ? 8 : 3;

test("over kills every acknowledged file is readable, no document names missing bytes, and a sweep leaves none that nothing names", {
  timeout: isFull ? 1_800_000 : 400_000,
}, async () => {
  const place = processPlace();
  try {
    const { total, swept, problems, acknowledged } = await crashFiles(place, KILLS);
    if (isFull)
      console.log(`${KILLS} kills: ${JSON.stringify(acknowledged)} acknowledged, ${swept} contents swept`);
    expect(problems).toEqual([]);
    expect(total).toBeGreaterThanOrEqual(KILLS * 3);
    expect(swept).toBeGreaterThan(0);
  } finally {
    await place.discard();
  }
});

test("the judge finds what nothing names, and what is named and not there", () => {
  expect(differing("bytes", ["a", "b"], ["b", "c", "c"])).toEqual([
    "bytes, and nothing names it: a",
    "named, and not there as bytes: c",
  ]);
});
