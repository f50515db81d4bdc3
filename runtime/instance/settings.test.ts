import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { BadSettings, type Environment, readSettings } from "./settings.ts";

function problemsOf(environment: Environment): readonly string[] {
  try {
    readSettings(environment);
  } catch (error) {
    if (error instanceof BadSettings) return error.problems;
    throw error;
  }
  return [];
}

describe("Instance settings", () => {
  it("have defaults", () => {
    expect(readSettings({ PATH: "/bin", HOME: "/" })).toMatchObject({
      host: "127.0.0.1",
      port: 8080,
      store: { engine: "sqlite", folder: resolve("data") },
      data: undefined,
      maxBodyBytes: 1_048_576,
      bodyMemory: 64 * 1_048_576,
      maxConnections: 12_000,
      adminApi: true,
      queryTime: 5_000,
      searchTime: 5_000,
      feedBytes: 268_435_456,
      pageCharacters: 4_194_304,
      answerMemory: 268_435_456,
      expandLimits: { maxDepth: 2, maxPaths: 5, maxArray: 100, maxDocs: 2_000 },
      realtime: {
        enabled: true,
        limits: {
          maxSubscriptions: 20,
          maxStreamsPerCaller: 5,
          maxStreams: 10_000,
          streamsPerSecond: 1,
          bufferBytes: 262_144,
          bufferEvents: 1_000,
        },
        memory: 268_435_456,
      },
      functionWorkers: 16,
      keys: undefined,
      smtp: undefined,
      logLevel: "info",
      accessLog: false,
      explain: false,
      metrics: "off",
    });
  });

  it("are read from the environment", () => {
    const settings = readSettings({
      HOST: "0.0.0.0",
      PORT: "0",
      MAX_BODY_BYTES: "2MiB",
      SVC_BODY_MEMORY: "8MiB",
      SVC_MAX_CONNECTIONS: "500",
      SVC_STORE: "sqlite:/var/lib/x",
      SVC_DATA: "/var/lib/y",
      SVC_ADMIN_API: "off",
      SVC_QUERY_TIME: "250ms",
      SVC_AGGREGATE_TIME: "2s",
      SVC_FEED_BYTES: "1GiB",
      SVC_PAGE_BYTES: "64KiB",
      SVC_ANSWER_MEMORY: "1000000",
      SVC_EXPAND_MAX_DEPTH: "1",
      SVC_EXPAND_MAX_PATHS: "3",
      SVC_EXPAND_MAX_ARRAY: "20",
      SVC_EXPAND_MAX_DOCS: "500",
      SVC_REALTIME: "off",
      SVC_REALTIME_MAX_SUBSCRIPTIONS: "10",
      SVC_REALTIME_MAX_STREAMS_PER_CALLER: "50",
      SVC_REALTIME_MAX_STREAMS: "20000",
      SVC_REALTIME_STREAMS_PER_SECOND: "0.5",
      SVC_REALTIME_BUFFER_BYTES: "64KiB",
      SVC_REALTIME_BUFFER_EVENTS: "100",
      SVC_REALTIME_MEMORY: "1MiB",
      SVC_KEYS: Buffer.alloc(32, 7).toString("base64"),
      SVC_LOG: "debug",
      SVC_ACCESS_LOG: "on",
      SVC_METRICS: "[::1]:9090",
      SVC_TRUST_PROXY: "1",
      SVC_SMTP_URL: "smtps://me:secret@mail.example.com",
    });
    expect(settings).toMatchObject({
      host: "0.0.0.0",
      port: 0,
      store: { engine: "sqlite", folder: "/var/lib/x" },
      data: "/var/lib/y",
      maxBodyBytes: 2_097_152,
      bodyMemory: 8 * 1_048_576,
      maxConnections: 500,
      adminApi: false,
      queryTime: 250,
      searchTime: 2_000,
      feedBytes: 1_073_741_824,
      pageCharacters: 65_536,
      answerMemory: 1_000_000,
      expandLimits: { maxDepth: 1, maxPaths: 3, maxArray: 20, maxDocs: 500 },
      realtime: {
        enabled: false,
        limits: {
          maxSubscriptions: 10,
          maxStreamsPerCaller: 50,
          maxStreams: 20_000,
          streamsPerSecond: 0.5,
          bufferBytes: 65_536,
          bufferEvents: 100,
        },
        memory: 1_048_576,
      },
      keys: [Buffer.alloc(32, 7)],
      smtp: {
        host: "mail.example.com",
        port: 465,
        secure: true,
        credentials: { user: "me", pass: "secret" },
      },
      logLevel: "debug",
      accessLog: true,
      metrics: { host: "::1", port: 9090 },
    });
    expect(settings.addressOf("10.0.0.1", "1.2.3.4, 10.0.0.2")).toBe("10.0.0.2");
  });

  it("SVC_STORE: a folder, memory or MongoDB", () => {
    expect(readSettings({ SVC_STORE: "sqlite::memory:" }).store).toMatchObject({ folder: ":memory:" });
    expect(readSettings({ SVC_STORE: "mongodb://a,b/?replicaSet=rs" }).store).toMatchObject({
      engine: "mongodb",
      uri: "mongodb://a,b/?replicaSet=rs",
    });
    const [problem = ""] = problemsOf({ SVC_STORE: "mongodb://me:secret@" });
    expect(problem).toMatch(/^SVC_STORE must be sqlite:<folder>.*mongodb:\/\//);
    expect(problem).not.toContain("secret");
  });

  it("SVC_BODY_MEMORY holds a few bodies of MAX_BODY_BYTES, never less than one", () => {
    expect(readSettings({ MAX_BODY_BYTES: "32MiB" }).bodyMemory).toBe(128 * 1_048_576);
    expect(problemsOf({ MAX_BODY_BYTES: "2MiB", SVC_BODY_MEMORY: "1MiB" })).toEqual([
      "SVC_BODY_MEMORY must hold a body of MAX_BODY_BYTES, which is 2097152",
    ]);
  });

  it("SVC_REALTIME_MEMORY holds a buffer of one stream at least", () => {
    expect(problemsOf({ SVC_REALTIME_BUFFER_BYTES: "1MiB", SVC_REALTIME_MEMORY: "64KiB" })).toEqual([
      "SVC_REALTIME_MEMORY must hold a buffer of SVC_REALTIME_BUFFER_BYTES, which is 1048576",
    ]);
  });

  it("SVC_SMTP_URL is not repeated: it may hold a password", () => {
    const [problem = ""] = problemsOf({ SVC_SMTP_URL: "smtps://me:hunter2@mail/path" });
    expect(problem).toMatch(/^SVC_SMTP_URL must be smtp:\/\/host:port/);
    expect(problem).not.toContain("hunter2");
  });

  it("SVC_TRUST_PROXY: off, hops, or networks", () => {
    const address = (value: string) =>
      readSettings({ SVC_TRUST_PROXY: value }).addressOf("10.0.0.1", "1.2.3.4");
    expect(address("off")).toBe("10.0.0.1");
    expect(address("1")).toBe("1.2.3.4");
    expect(address("192.168.0.0/16, 10.0.0.0/8")).toBe("1.2.3.4");
    expect(address("192.168.0.0/16")).toBe("10.0.0.1");
  });

  it.each([
    ["PORT", "http"],
    ["PORT", "65536"],
    ["PORT", "-1"],
    ["PORT", "80.5"],
    ["PORT", ""],
    ["HOST", " "],
    ["SVC_FEED_BYTES", "1KiB"],
    ["MAX_BODY_BYTES", "0"],
    ["MAX_BODY_BYTES", "1MB"],
    ["MAX_BODY_BYTES", "1e6"],
    ["MAX_BODY_BYTES", "300MiB"],
    ["SVC_STORE", "postgres://x"],
    ["SVC_STORE", "./data"],
    ["SVC_STORE", "sqlite:"],
    ["SVC_ADMIN_API", "true"],
    ["SVC_QUERY_TIME", "5"],
    ["SVC_QUERY_TIME", "0s"],
    ["SVC_QUERY_TIME", "five"],
    ["SVC_PAGE_BYTES", "0"],
    ["SVC_PAGE_BYTES", "65MiB"],
    ["SVC_ANSWER_MEMORY", "half"],
    ["SVC_LOG", "verbose"],
    ["SVC_ACCESS_LOG", "access"],
    ["SVC_METRICS", "9090"],
    ["SVC_METRICS", "localhost:70000"],
    ["SVC_METRICS", "ON"],
    ["SVC_TRUST_PROXY", "0"],
    ["SVC_TRUST_PROXY", "on"],
    ["SVC_TRUST_PROXY", "10.0.0.0/99"],
    ["SVC_DATA", ""],
    ["SVC_AGGREGATE_TIME", "5"],
    ["SVC_EXPAND_MAX_DEPTH", "3"],
    ["SVC_EXPAND_MAX_PATHS", "0"],
    ["SVC_EXPAND_MAX_ARRAY", "many"],
    ["SVC_EXPAND_MAX_DOCS", "0"],
    ["SVC_REALTIME", "true"],
    ["SVC_REALTIME_MAX_SUBSCRIPTIONS", "51"],
    ["SVC_REALTIME_MAX_STREAMS_PER_CALLER", "0"],
    ["SVC_REALTIME_MAX_STREAMS", "1.5"],
    ["SVC_REALTIME_STREAMS_PER_SECOND", "0"],
    ["SVC_REALTIME_STREAMS_PER_SECOND", "1/s"],
    ["SVC_REALTIME_BUFFER_BYTES", "1KiB"],
    ["SVC_REALTIME_BUFFER_EVENTS", "-1"],
    ["SVC_REALTIME_MEMORY", "half"],
    ["SVC_KEYS", "c2hvcnQ="],
  ])("a malformed value stops the start, naming the variable: %s=%j", (name, value) => {
    const [problem, ...more] = problemsOf({ [name]: value });
    expect(problem).toMatch(new RegExp(`^${name} `));
    expect(more).toEqual([]);
  });

  it("a refused value is told the range in the units that it is written in", () => {
    expect(problemsOf({ SVC_QUERY_TIME: "2h", MAX_BODY_BYTES: "1GiB", SVC_EXPAND_MAX_DEPTH: "3" })).toEqual([
      'MAX_BODY_BYTES must be a size such as 1048576 or 1MiB, at most 256MiB; it is "1GiB"',
      'SVC_EXPAND_MAX_DEPTH must be an integer from 1 to 2; it is "3"',
      'SVC_QUERY_TIME must be a duration such as 5s, from 1ms to 1h; it is "2h"',
    ]);
  });

  it("an unknown SVC_ variable stops the start, with what was meant", () => {
    expect(problemsOf({ SVC_STOER: "sqlite:./data" })).toEqual([
      "SVC_STOER is not a setting; did you mean SVC_STORE?",
    ]);
    expect(problemsOf({ SVC_PORT: "8080" })).toEqual(["SVC_PORT is not a setting; did you mean PORT?"]);
    expect(problemsOf({ SVC_S3_SECRET_KEY: "b" })).toEqual([
      "SVC_S3_SECRET_KEY is not a setting; did you mean SVC_S3_SECRET_ACCESS_KEY?",
    ]);
    expect(problemsOf({ SVC_QWERTYUIOP: "1" })).toEqual(["SVC_QWERTYUIOP is not a setting"]);
    expect(problemsOf({ SVC_constructor: "1", svc_store: "x" })).toEqual([
      "SVC_constructor is not a setting",
    ]);
  });

  it("half of a key to buckets stops the start", () => {
    const half = "SVC_S3_ACCESS_KEY_ID and SVC_S3_SECRET_ACCESS_KEY go together: one is not set";
    expect(problemsOf({ SVC_S3_ACCESS_KEY_ID: "a" })).toEqual([half]);
    expect(problemsOf({ SVC_S3_SECRET_ACCESS_KEY: "b" })).toEqual([half]);
    expect(problemsOf({ SVC_S3_ACCESS_KEY_ID: "a", SVC_S3_SECRET_ACCESS_KEY: "b" })).toEqual([]);
  });

  it("all problems are named at once", () => {
    expect(problemsOf({ SVC_X: "1", PORT: "x", SVC_LOG: "x" })).toHaveLength(3);
  });
});
