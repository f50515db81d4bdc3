import { testSettings } from "../../runtime/instance/testing/servers.ts";

const { realtime } = testSettings;

/** Settings with which streams are opened as often as a test asks, though its clock stands still. */
export const manyStreams = {
  realtime: {
    ...realtime,
    limits: { ...realtime.limits, maxStreamsPerCaller: 1_000, streamsPerSecond: 1_000 },
  },
};
