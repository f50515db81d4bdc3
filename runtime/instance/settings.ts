import { resolve } from "node:path";
import { type AddressOf, parseNetwork, trustHops, trustNetworks, trustNobody } from "../http/address.ts";
import type { ExpandLimits } from "../realm/definition.ts";
import { locationForms, parseLocation, type StoreLocation } from "../store/location.ts";
import { closest } from "../suggest.ts";
import { parseDuration, parseSize } from "../units.ts";
import { KEY_BYTES, parseKeys } from "./keys.ts";
import { parseSmtpUrl, type SmtpServer, smtpForms } from "./smtp.ts";

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
  /** Secrets to sign and encrypt with, newest first; undefined: the instance keeps one in its data folder. */
  readonly keys: readonly Uint8Array[] | undefined;
  readonly addressOf: AddressOf;
  /** What mail is sent by; undefined: it is written into the data folder. */
  readonly smtp: SmtpServer | undefined;
  readonly logLevel: LogLevel;
  /** A line in the log for every request. */
  readonly accessLog: boolean;
  /** Where figures are served: nowhere, beside everything else, or at an address of their own. */
  readonly metrics: "off" | "on" | ListenAddress;
}

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export type Environment = Readonly<Record<string, string | undefined>>;

const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

/** The environment configures nothing that works; the message has a line per problem, each naming its variable. */
export class BadSettings extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "BadSettings";
    this.problems = problems;
  }
}

/** A value that its variable does not take; the message says what it takes. */
class Refused extends Error {}

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
  SVC_KEYS: { fallback: undefined, parse: keys },
  SVC_TRUST_PROXY: { fallback: trustNobody, parse: proxies },
  SVC_SMTP_URL: { fallback: undefined, parse: smtp },
  SVC_LOG: { fallback: "info", parse: logLevel },
  SVC_ACCESS_LOG: { fallback: false, parse: onOff },
  SVC_METRICS: { fallback: "off", parse: metrics },
} satisfies {
  HOST: Variable<string>;
  PORT: Variable<number>;
  MAX_BODY_BYTES: Variable<number>;
  SVC_BODY_MEMORY: Variable<number | undefined>;
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
  SVC_KEYS: Variable<readonly Uint8Array[] | undefined>;
  SVC_TRUST_PROXY: Variable<AddressOf>;
  SVC_SMTP_URL: Variable<SmtpServer | undefined>;
  SVC_LOG: Variable<LogLevel>;
  SVC_ACCESS_LOG: Variable<boolean>;
  SVC_METRICS: Variable<Settings["metrics"]>;
};

/** Of features that this version does not have: a setting without effect would deceive. */
const notBuilt = /^SVC_(REALTIME|REALTIME_\w+|MAX_UPLOAD_BYTES)$/;

/**
 * Reads the instance's settings.
 * @throws BadSettings naming every unknown `SVC_` variable and every malformed value
 */
export function readSettings(environment: Environment): Settings {
  const problems: string[] = [];
  for (const name of Object.keys(environment)) {
    if (!name.startsWith("SVC_") || Object.hasOwn(variables, name)) continue;
    problems.push(notBuilt.test(name) ? `${name} belongs to a feature that is not built yet` : unknown(name));
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
    keys: read<readonly Uint8Array[] | undefined>("SVC_KEYS", variables.SVC_KEYS),
    addressOf: read("SVC_TRUST_PROXY", variables.SVC_TRUST_PROXY),
    smtp: read<SmtpServer | undefined>("SVC_SMTP_URL", variables.SVC_SMTP_URL),
    logLevel: read<LogLevel>("SVC_LOG", variables.SVC_LOG),
    accessLog: read("SVC_ACCESS_LOG", variables.SVC_ACCESS_LOG),
    metrics: read<Settings["metrics"]>("SVC_METRICS", variables.SVC_METRICS),
  };
  if (settings.bodyMemory < maxBodyBytes) {
    problems.push(`SVC_BODY_MEMORY must hold a body of MAX_BODY_BYTES, which is ${maxBodyBytes}`);
  }
  if (problems.length > 0) throw new BadSettings(problems.sort());
  return settings;

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

function unknown(name: string): string {
  const meant = closest(name, Object.keys(variables));
  return `${name} is not a setting${meant === undefined ? "" : `; did you mean ${meant}?`}`;
}

function duration(text: string): number {
  return within(parseDuration, 1, 3_600_000, "a duration such as 5s, from 1ms to 1h")(text);
}

function keys(text: string): readonly Uint8Array[] {
  const read = parseKeys(text);
  // Secrets are never repeated.
  if (read === undefined)
    throw new Refused(`must be secrets of at least ${KEY_BYTES} bytes in base64, separated by commas`);
  return read;
}

function integer(least: number, most: number): (text: string) => number {
  return within(
    (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined),
    least,
    most,
    `an integer from ${least} to ${most}`,
  );
}

function within(
  parse: (text: string) => number | undefined,
  least: number,
  most: number,
  what: string,
): (text: string) => number {
  return (text) => {
    const value = parse(text);
    if (value === undefined || value < least || value > most) {
      throw new Refused(`must be ${what}; it is ${JSON.stringify(text)}`);
    }
    return value;
  };
}

function onOff(text: string): boolean {
  if (text !== "on" && text !== "off") throw new Refused(`must be on or off; it is ${JSON.stringify(text)}`);
  return text === "on";
}

function metrics(text: string): Settings["metrics"] {
  if (text === "on" || text === "off") return text;
  const [, bracketed, plain, digits = ""] = /^(?:\[([^\]\s]+)\]|([^:\s]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host === undefined || port > 65_535) {
    throw new Refused(
      `must be on, off or an address such as 127.0.0.1:9090 or [::1]:9090; it is ${JSON.stringify(text)}`,
    );
  }
  return { host, port };
}

function logLevel(text: string): LogLevel {
  const level = logLevels.find((known) => known === text);
  if (level === undefined) {
    throw new Refused(`must be one of ${logLevels.join(", ")}; it is ${JSON.stringify(text)}`);
  }
  return level;
}

function store(text: string): StoreLocation {
  const location = parseLocation(text);
  // A URI may hold a password: it is never repeated.
  if (location === undefined) throw new Refused(`must be ${locationForms}`);
  return location;
}

function smtp(text: string): SmtpServer {
  const server = parseSmtpUrl(text);
  // It may hold a password: it is never repeated.
  if (server === undefined) throw new Refused(`must be ${smtpForms}`);
  return server;
}

function proxies(text: string): AddressOf {
  if (text === "off") return trustNobody;
  if (/^\d+$/.test(text)) return trustHops(integer(1, 32)(text));
  const networks = text.split(",").map((entry) => {
    const network = parseNetwork(entry.trim());
    if (network === undefined) {
      throw new Refused(
        `must be a number of hops or networks such as 10.0.0.0/8,::1; it holds ${JSON.stringify(entry.trim())}`,
      );
    }
    return network;
  });
  return trustNetworks(networks);
}
