import { expect, test } from "vitest";
import { isEmbedded, processPlace } from "../../../runtime/store/testing/stores.ts";
import { isFull } from "../../../runtime/testing/random.ts";
import { crashRealtime } from "./run.ts";

/** A server of a shared store holds what a killed process had under way for up to a minute. */
const KILLS = isFull ? 30 : isEmbedded ? 4 : 2;

test("over kills of the server each subscriber comes to what their list shows, and is told each change once", {
  timeout: 300_000,
}, async () => {
  const place = processPlace();
  try {
    const { acknowledged, events, held, problems } = await crashRealtime(place.setting, place.realm, KILLS);
    expect(problems).toEqual([]);
    expect(acknowledged).toBeGreaterThanOrEqual(KILLS * 20);
    expect(events).toBeGreaterThan(acknowledged);
    expect(held).toBeGreaterThan(0);
  } finally {
    await place.discard();
  }
});
