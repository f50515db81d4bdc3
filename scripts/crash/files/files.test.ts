import { expect, test } from "vitest";
import { isEmbedded, processPlace } from "../../../runtime/store/testing/stores.ts";
import { isFull } from "../../../runtime/testing/random.ts";
import { crashFiles } from "./run.ts";

const KILLS = isFull ? 200 : isEmbedded ? 8 : 3;

test("over kills every acknowledged file is readable, no document names missing bytes, and a sweep leaves none that nothing names", {
  timeout: 400_000,
}, async () => {
  const place = processPlace();
  try {
    const { acknowledged, problems } = await crashFiles(place, KILLS);
    expect(problems).toEqual([]);
    expect(acknowledged).toBeGreaterThanOrEqual(KILLS * 5);
  } finally {
    await place.discard();
  }
});
