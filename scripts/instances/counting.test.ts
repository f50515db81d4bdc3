/** What is changed at one instance counts at the next request to any: nothing that one keeps is believed for a time. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { everyKept } from "./counting.ts";
import { type Shared, startShared } from "./shared.ts";

let shared: Shared;
beforeAll(async () => {
  shared = await startShared();
});
afterAll(() => shared.stop());

describe("What was acknowledged counts at the next request, at every instance, with the clock held", () => {
  it.each(Object.entries(everyKept))("%s", async (_, kept) => {
    const { seen, before, change, after } = await kept(shared);
    const { here, there } = shared;
    // Twice: what is kept is kept by then.
    for (const at of [here, there, here, there]) expect(await seen(at)).toEqual(before);
    await change(here);
    for (const at of [there, here, there]) expect(await seen(at)).toEqual(after);
  });
});
