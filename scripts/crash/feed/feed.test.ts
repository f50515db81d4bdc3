import { expect, test } from "vitest";
import { isEmbedded, processPlace } from "../../../runtime/store/testing/stores.ts";
import { isFull } from "../../../runtime/testing/random.ts";
import { crashFeed } from "./run.ts";

/** A server of a shared store holds what a killed process had under way for up to a minute. */
const KILLS = isFull ? 30 : isEmbedded ? 6 : 2;

test("over kills a durable consumer has each change once, in order per document, and batches whole", {
  timeout: 300_000,
}, async () => {
  const place = processPlace();
  try {
    const { acknowledged, seen, problems } = await crashFeed(place.setting, place.realm, KILLS);
    expect(problems).toEqual([]);
    expect(acknowledged).toBeGreaterThanOrEqual(KILLS * 20);
    expect(seen).toBeGreaterThanOrEqual(acknowledged);
  } finally {
    await place.discard();
  }
});
