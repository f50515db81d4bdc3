/** Streams of one instance, whose callers' rights are changed at another. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import { followingAll, type Opened, opened } from "../realtime/wire/opened.ts";
import type { Headers } from "../realtime/wire/requests.ts";
import { configure, flag, person } from "./counting.ts";
import { type Shared, startShared } from "./shared.ts";

let shared: Shared;
beforeAll(async () => {
  shared = await startShared();
});
afterAll(() => shared.stop());

/** At the other instance. */
async function follow(headers: Headers): Promise<Opened> {
  const stream = await opened(`${shared.there.url}/_realtime`, { headers, body: followingAll("flags") });
  if ("status" in stream) throw new Error(`a stream was refused: ${stream.status} ${stream.code}`);
  return stream;
}

/** What came of a stream until it told of the last of these flags. */
async function told(
  { blocks, first, cut }: Opened,
  ...flags: readonly string[]
): Promise<readonly unknown[]> {
  await first(({ data }) => idOf(data) === flags.at(-1));
  cut();
  return blocks.flatMap(({ event, data }) => (event === "reset" ? [data["reason"]] : (idOf(data) ?? [])));
}

const idOf = (data: JsonObject): unknown => (isJsonObject(data["doc"]) ? data["doc"]["id"] : undefined);

describe.each([
  ["nobody", async () => ({})],
  ["a user", async () => (await person(shared)).headers],
])("A stream of %s, with the clock held, while app_config is replaced at another instance", (_, caller) => {
  it("tells nothing that was written after a replacement which takes it away", async () => {
    await configure(shared, shared.here, { ring: 3 });
    const stream = await follow(await caller());
    const before = await flag(shared, 2);
    await stream.first(({ data }) => idOf(data) === before);
    await configure(shared, shared.here, { ring: 1 });
    const hidden = await flag(shared, 2);
    // What is written before the reset is told is in the list that the client loads then.
    await stream.first(({ event }) => event === "reset");
    const last = await flag(shared, 1);
    expect(await told(stream, before, hidden, last)).toEqual([before, "access_changed", last]);
  });

  it("is reset by a replacement that gives more, and tells what was written after it", async () => {
    await configure(shared, shared.here, { ring: 1 });
    const stream = await follow(await caller());
    await configure(shared, shared.here, { ring: 3 });
    // What is written before the reset is told is in the list that the client loads then.
    await stream.first(({ event }) => event === "reset");
    const last = await flag(shared, 2);
    expect(await told(stream, last)).toEqual(["access_changed", last]);
  });

  it("goes by the replacement that was acknowledged before it was opened", async () => {
    const headers = await caller();
    for (const ring of [3, 1, 3]) {
      await configure(shared, shared.here, { ring });
      const stream = await follow(headers);
      const outer = await flag(shared, 2);
      const last = await flag(shared, 1);
      expect(await told(stream, outer, last)).toEqual(ring === 3 ? [outer, last] : [last]);
    }
  });
});
