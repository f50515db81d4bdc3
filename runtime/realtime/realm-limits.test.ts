import { describe, expect, test } from "vitest";
import type { RealtimeLimits } from "../realm/definition.ts";
import { checkRealtimeLimits } from "./realm-limits.ts";

const instance: RealtimeLimits = {
  maxSubscriptions: 20,
  maxStreamsPerCaller: 5,
  maxStreams: 10_000,
  streamsPerSecond: 1,
  bufferBytes: 262_144,
  bufferEvents: 1_000,
};

describe("Limits: a realm may only lower those of the instance", () => {
  test("one above stops the start, naming file and key", () => {
    expect(checkRealtimeLimits({ name: "desk", realtime: { ...instance } }, instance)).toEqual([]);
    expect(checkRealtimeLimits({ name: "desk" }, instance)).toEqual([]);
    const low = {
      maxSubscriptions: 10,
      maxStreamsPerCaller: 4,
      maxStreams: 100,
      streamsPerSecond: 0.5,
      bufferBytes: 65_536,
      bufferEvents: 999,
    };
    expect(checkRealtimeLimits({ name: "desk", realtime: instance }, low)).toEqual([
      "desk/realm.yaml: realtime.max_subscriptions is 20, above the instance's SVC_REALTIME_MAX_SUBSCRIPTIONS of 10",
      "desk/realm.yaml: realtime.max_streams_per_caller is 5, above the instance's SVC_REALTIME_MAX_STREAMS_PER_CALLER of 4",
      "desk/realm.yaml: realtime.max_streams is 10000, above the instance's SVC_REALTIME_MAX_STREAMS of 100",
      "desk/realm.yaml: realtime.streams_per_second is 1, above the instance's SVC_REALTIME_STREAMS_PER_SECOND of 0.5",
      "desk/realm.yaml: realtime.buffer_events is 1000, above the instance's SVC_REALTIME_BUFFER_EVENTS of 999",
      "desk/realm.yaml: realtime.buffer_bytes is 256KiB, above the instance's SVC_REALTIME_BUFFER_BYTES of 64KiB",
    ]);
  });
});
