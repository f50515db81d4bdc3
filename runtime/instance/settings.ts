import { resolve } from "node:path";
import { type AddressOf, trustNobody } from "../http/address.ts";
import type { ExpandLimits, RealtimeSettings } from "../realm/definition.ts";
import type { StoreLocation } from "../store/location.ts";
import { parseSize } from "../units.ts";
import { notASetting } from "./setting-names.ts";
import {
  decimal,
  duration,
  integer,
  keys,
  type LogLevel,
  logLevel,
  type MetricsPlace,
  metrics,
  onOff,
  proxies,
  Refused,
  smtp,
  store,
  within,
} from "./setting-values.ts";
import type { SmtpServer } from "./smtp.ts";

/** What the environment configures (docs: Instance settings). */
export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly store: StoreLocation;
  /** Where the instance keeps what is no document. */
  readonly data: string | undefined;
  readonly maxBodyBytes: number;
  /** Bytes of request bodies that are held at a time. */
  readonly bodyMemory: number;
  /** Bytes of an upload that goes through the server. */
  readonly maxUploadBytes: number;
  /** Connections that are open at a time. */
  readonly maxConnections: number;
  readonly adminApi: boolean;
  /** Milliseconds. */
  readonly queryTime: number;
  /** Milliseconds that a search or an aggregation may take. */
  readonly searchTime: number;
  /** Bytes of changes that an embedded store's feed keeps. */
  readonly feedBytes: number;
  /** Characters of documents in a page of a list. */
  readonly pageCharacters: number;
  /** Bytes of answers under way. */
  readonly answerMemory: number;
  readonly expandLimits: ExpandLimits;
  readonly realtime: RealtimeSettings;
  /** Threads that run functions at a time. */
  readonly functionWorkers: number;
  /** Secrets to sign and encrypt with, newest first; undefined: the instance keeps one in its data folder. */
  readonly keys: readonly Uint8Array[] | undefined;
  readonly addressOf: AddressOf;
  /** What mail is sent by; undefined: it is written into the data folder. */
  readonly smtp: SmtpServer | undefined;
  /** Of buckets; undefined: the SDK's own ways are asked. */
  readonly s3Credentials: { readonly accessKeyId: string; readonly secretAccessKey: string } | undefined;
  readonly logLevel: LogLevel;
  /** A line in the log for every request. */
  readonly accessLog: boolean;
  /** Answers that a rule refuses name its deciding clause. Never in production. */
  readonly explain: boolean;
  readonly metrics: MetricsPlace;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment configures nothing that works; the message has a line per problem, each naming its variable. */
export class BadSettings extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "BadSettings";
    this.problems = problems;
  }
}

interface Variable<T> {
  readonly fallback: T;
  readonly parse: (text: string) => T;
}

const mebibyte = 1024 ** 2;

const variables = {
  HOST: { fallback: "127.0.0.1", parse: (text) => text },
  PORT: { fallback: 8080, parse: integer(0, 65_535) },
  MAX_BODY_BYTES: {
    fallback: mebibyte,
    parse: within(parseSize, 1, 256 * mebibyte, "a size such as 1048576 or 1MiB, at most 256MiB"),
  },
  SVC_BODY_MEMORY: {
    fallback: undefined,
    parse: within(parseSize, 1, 1024 * 1024 * mebibyte, "a size such as 67108864 or 64MiB"),
  },
  SVC_MAX_UPLOAD_BYTES: {
    fallback: 100 * mebibyte,
    parse: within(
      parseSize,
      1,
      5_000 * 1024 * mebibyte,
      "a size such as 104857600 or 100MiB, at most 5000GiB",
    ),
  },
  SVC_MAX_CONNECTIONS: { fallback: 12_000, parse: integer(1, 1_000_000) },
  SVC_STORE: {
    // In the folder of who asks, wherever the process was when this was loaded.
    get fallback() {
      return { engine: "sqlite", folder: resolve("data") } as const;
    },
    parse: store,
  },
  SVC_DATA: { fallback: undefined, parse: (text) => resolve(text) },
  SVC_ADMIN_API: { fallback: true, parse: onOff },
  SVC_QUERY_TIME: { fallback: 5_000, parse: duration },
  SVC_AGGREGATE_TIME: { fallback: 5_000, parse: duration },
  SVC_FEED_BYTES: {
    fallback: 256 * mebibyte,
    parse: within(parseSize, 65_536, 2 ** 40, "a size such as 256MiB, from 64KiB to 1024GiB"),
  },
  SVC_PAGE_BYTES: {
    fallback: 4 * mebibyte,
    parse: within(parseSize, 1, 64 * mebibyte, "a size such as 1048576 or 1MiB, at most 64MiB"),
  },
  SVC_ANSWER_MEMORY: {
    fallback: 256 * mebibyte,
    parse: within(parseSize, 1, 1024 * 1024 * mebibyte, "a size such as 67108864 or 64MiB"),
  },
  SVC_EXPAND_MAX_DEPTH: { fallback: 2, parse: integer(1, 2) },
  SVC_EXPAND_MAX_PATHS: { fallback: 5, parse: integer(1, 50) },
  SVC_EXPAND_MAX_ARRAY: { fallback: 100, parse: integer(1, 1_000) },
  SVC_EXPAND_MAX_DOCS: { fallback: 2_000, parse: integer(1, 100_000) },
  SVC_REALTIME: { fallback: true, parse: onOff },
  SVC_REALTIME_MAX_SUBSCRIPTIONS: { fallback: 20, parse: integer(1, 50) },
  SVC_REALTIME_MAX_STREAMS_PER_CALLER: { fallback: 5, parse: integer(1, 10_000) },
  SVC_REALTIME_MAX_STREAMS: { fallback: 10_000, parse: integer(1, 1_000_000) },
  SVC_REALTIME_STREAMS_PER_SECOND: { fallback: 1, parse: decimal(0.01, 1_000) },
  SVC_REALTIME_BUFFER_BYTES: {
    fallback: 256 * 1024,
    parse: within(parseSize, 4096, 64 * mebibyte, "a size such as 256KiB, from 4KiB to 64MiB"),
  },
  SVC_REALTIME_BUFFER_EVENTS: { fallback: 1_000, parse: integer(1, 1_000_000) },
  SVC_REALTIME_MEMORY: {
    fallback: 256 * mebibyte,
    parse: within(parseSize, 4096, 1024 * 1024 * mebibyte, "a size such as 256MiB, from 4KiB"),
  },
  SVC_FUNCTION_WORKERS: { fallback: 16, parse: integer(1, 256) },
  SVC_KEYS: { fallback: undefined, parse: keys },
  SVC_TRUST_PROXY: { fallback: trustNobody, parse: proxies },
  SVC_SMTP_URL: { fallback: undefined, parse: smtp },
  SVC_S3_ACCESS_KEY_ID: { fallback: undefined, parse: (text) => text },
  SVC_S3_SECRET_ACCESS_KEY: { fallback: undefined, parse: (text) => text },
  SVC_LOG: { fallback: "info", parse: logLevel },
  SVC_ACCESS_LOG: { fallback: false, parse: onOff },
  SVC_METRICS: { fallback: "off", parse: metrics },
  SVC_EXPLAIN: { fallback: false, parse: onOff },
} satisfies {
  HOST: Variable<string>;
  PORT: Variable<number>;
  MAX_BODY_BYTES: Variable<number>;
  SVC_BODY_MEMORY: Variable<number | undefined>;
  SVC_MAX_UPLOAD_BYTES: Variable<number>;
  SVC_MAX_CONNECTIONS: Variable<number>;
  SVC_STORE: Variable<StoreLocation>;
  SVC_DATA: Variable<string | undefined>;
  SVC_ADMIN_API: Variable<boolean>;
  SVC_QUERY_TIME: Variable<number>;
  SVC_AGGREGATE_TIME: Variable<number>;
  SVC_FEED_BYTES: Variable<number>;
  SVC_PAGE_BYTES: Variable<number>;
  SVC_ANSWER_MEMORY: Variable<number>;
  SVC_EXPAND_MAX_DEPTH: Variable<number>;
  SVC_EXPAND_MAX_PATHS: Variable<number>;
  SVC_EXPAND_MAX_ARRAY: Variable<number>;
  SVC_EXPAND_MAX_DOCS: Variable<number>;
  SVC_REALTIME: Variable<boolean>;
  SVC_REALTIME_MAX_SUBSCRIPTIONS: Variable<number>;
  SVC_REALTIME_MAX_STREAMS_PER_CALLER: Variable<number>;
  SVC_REALTIME_MAX_STREAMS: Variable<number>;
  SVC_REALTIME_STREAMS_PER_SECOND: Variable<number>;
  SVC_REALTIME_BUFFER_BYTES: Variable<number>;
  SVC_REALTIME_BUFFER_EVENTS: Variable<number>;
  SVC_REALTIME_MEMORY: Variable<number>;
  SVC_FUNCTION_WORKERS: Variable<number>;
  SVC_KEYS: Variable<readonly Uint8Array[] | undefined>;
  SVC_TRUST_PROXY: Variable<AddressOf>;
  SVC_SMTP_URL: Variable<SmtpServer | undefined>;
  SVC_S3_ACCESS_KEY_ID: Variable<string | undefined>;
  SVC_S3_SECRET_ACCESS_KEY: Variable<string | undefined>;
  SVC_LOG: Variable<LogLevel>;
  SVC_ACCESS_LOG: Variable<boolean>;
  SVC_METRICS: Variable<MetricsPlace>;
  SVC_EXPLAIN: Variable<boolean>;
};

/**
 * Reads the instance's settings.
 * @throws BadSettings naming every unknown `SVC_` variable and every malformed value
 */
export function readSettings(environment: Environment): Settings {
  const problems: string[] = [];
  for (const name of Object.keys(environment)) {
    if (!name.startsWith("SVC_") || Object.hasOwn(variables, name)) continue;
    problems.push(notASetting(name, Object.keys(variables)));
  }
  const maxBodyBytes = read("MAX_BODY_BYTES", variables.MAX_BODY_BYTES);
  const settings: Settings = {
    host: read("HOST", variables.HOST),
    port: read("PORT", variables.PORT),
    store: read<StoreLocation>("SVC_STORE", variables.SVC_STORE),
    data: read<string | undefined>("SVC_DATA", variables.SVC_DATA),
    maxBodyBytes,
    bodyMemory:
      read<number | undefined>("SVC_BODY_MEMORY", variables.SVC_BODY_MEMORY) ??
      Math.max(64 * mebibyte, 4 * maxBodyBytes),
    maxUploadBytes: read("SVC_MAX_UPLOAD_BYTES", variables.SVC_MAX_UPLOAD_BYTES),
    maxConnections: read("SVC_MAX_CONNECTIONS", variables.SVC_MAX_CONNECTIONS),
    adminApi: read("SVC_ADMIN_API", variables.SVC_ADMIN_API),
    queryTime: read("SVC_QUERY_TIME", variables.SVC_QUERY_TIME),
    searchTime: read("SVC_AGGREGATE_TIME", variables.SVC_AGGREGATE_TIME),
    feedBytes: read("SVC_FEED_BYTES", variables.SVC_FEED_BYTES),
    pageCharacters: read("SVC_PAGE_BYTES", variables.SVC_PAGE_BYTES),
    answerMemory: read("SVC_ANSWER_MEMORY", variables.SVC_ANSWER_MEMORY),
    expandLimits: {
      maxDepth: read("SVC_EXPAND_MAX_DEPTH", variables.SVC_EXPAND_MAX_DEPTH),
      maxPaths: read("SVC_EXPAND_MAX_PATHS", variables.SVC_EXPAND_MAX_PATHS),
      maxArray: read("SVC_EXPAND_MAX_ARRAY", variables.SVC_EXPAND_MAX_ARRAY),
      maxDocs: read("SVC_EXPAND_MAX_DOCS", variables.SVC_EXPAND_MAX_DOCS),
    },
    realtime: {
      enabled: read("SVC_REALTIME", variables.SVC_REALTIME),
      limits: {
        maxSubscriptions: read("SVC_REALTIME_MAX_SUBSCRIPTIONS", variables.SVC_REALTIME_MAX_SUBSCRIPTIONS),
        maxStreamsPerCaller: read(
          "SVC_REALTIME_MAX_STREAMS_PER_CALLER",
          variables.SVC_REALTIME_MAX_STREAMS_PER_CALLER,
        ),
        maxStreams: read("SVC_REALTIME_MAX_STREAMS", variables.SVC_REALTIME_MAX_STREAMS),
        streamsPerSecond: read("SVC_REALTIME_STREAMS_PER_SECOND", variables.SVC_REALTIME_STREAMS_PER_SECOND),
        bufferBytes: read("SVC_REALTIME_BUFFER_BYTES", variables.SVC_REALTIME_BUFFER_BYTES),
        bufferEvents: read("SVC_REALTIME_BUFFER_EVENTS", variables.SVC_REALTIME_BUFFER_EVENTS),
      },
      memory: read("SVC_REALTIME_MEMORY", variables.SVC_REALTIME_MEMORY),
    },
    functionWorkers: read("SVC_FUNCTION_WORKERS", variables.SVC_FUNCTION_WORKERS),
    keys: read<readonly Uint8Array[] | undefined>("SVC_KEYS", variables.SVC_KEYS),
    addressOf: read("SVC_TRUST_PROXY", variables.SVC_TRUST_PROXY),
    s3Credentials: credentials(
      read<string | undefined>("SVC_S3_ACCESS_KEY_ID", variables.SVC_S3_ACCESS_KEY_ID),
      read<string | undefined>("SVC_S3_SECRET_ACCESS_KEY", variables.SVC_S3_SECRET_ACCESS_KEY),
    ),
    smtp: read<SmtpServer | undefined>("SVC_SMTP_URL", variables.SVC_SMTP_URL),
    logLevel: read<LogLevel>("SVC_LOG", variables.SVC_LOG),
    accessLog: read("SVC_ACCESS_LOG", variables.SVC_ACCESS_LOG),
    metrics: read<MetricsPlace>("SVC_METRICS", variables.SVC_METRICS),
    explain: read("SVC_EXPLAIN", variables.SVC_EXPLAIN),
  };
  if (settings.explain && environment["NODE_ENV"] === "production") {
    problems.push(
      "SVC_EXPLAIN must be off where NODE_ENV is production: it tells clients of rules, and of documents that these hide",
    );
  }
  if (settings.bodyMemory < maxBodyBytes) {
    problems.push(`SVC_BODY_MEMORY must hold a body of MAX_BODY_BYTES, which is ${maxBodyBytes}`);
  }
  const { limits, memory } = settings.realtime;
  if (memory < limits.bufferBytes) {
    problems.push(
      `SVC_REALTIME_MEMORY must hold a buffer of SVC_REALTIME_BUFFER_BYTES, which is ${limits.bufferBytes}`,
    );
  }
  if (problems.length > 0) throw new BadSettings(problems.sort());
  return settings;

  function credentials(
    accessKeyId: string | undefined,
    secretAccessKey: string | undefined,
  ): Settings["s3Credentials"] {
    if (accessKeyId !== undefined && secretAccessKey !== undefined) return { accessKeyId, secretAccessKey };
    if (accessKeyId !== secretAccessKey)
      problems.push("SVC_S3_ACCESS_KEY_ID and SVC_S3_SECRET_ACCESS_KEY go together: one is not set");
    return undefined;
  }

  function read<T>(name: keyof typeof variables, variable: Variable<T>): T {
    const text = environment[name];
    if (text === undefined) return variable.fallback;
    try {
      if (text.trim() === "") throw new Refused("must not be empty");
      return variable.parse(text.trim());
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      problems.push(`${name} ${error.message}`);
      return variable.fallback;
    }
  }
}
