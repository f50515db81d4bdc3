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
  readonly adminApi: boolean;
  /** Milliseconds. */
  readonly queryTime: number;
  /** Milliseconds that a search or an aggregation may take. */
  readonly searchTime: number;
  readonly expandLimits: ExpandLimits;
  /** Secrets to sign and encrypt with, newest first; undefined: the instance keeps one in its data folder. */
  readonly keys: readonly Uint8Array[] | undefined;
  readonly addressOf: AddressOf;
  /** What mail is sent by; undefined: it is written into the data folder. */
  readonly smtp: SmtpServer | undefined;
  readonly logLevel: LogLevel;
  readonly metrics: boolean;
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
  SVC_STORE: { fallback: { engine: "sqlite", folder: resolve("data") }, parse: store },
  SVC_DATA: { fallback: undefined, parse: (text) => resolve(text) },
  SVC_ADMIN_API: { fallback: true, parse: onOff },
  SVC_QUERY_TIME: { fallback: 5_000, parse: duration },
  SVC_AGGREGATE_TIME: { fallback: 5_000, parse: duration },
  SVC_EXPAND_MAX_DEPTH: { fallback: 2, parse: integer(1, 2) },
  SVC_EXPAND_MAX_PATHS: { fallback: 5, parse: integer(1, 50) },
  SVC_EXPAND_MAX_ARRAY: { fallback: 100, parse: integer(1, 1_000) },
  SVC_EXPAND_MAX_DOCS: { fallback: 2_000, parse: integer(1, 100_000) },
  SVC_KEYS: { fallback: undefined, parse: keys },
  SVC_TRUST_PROXY: { fallback: trustNobody, parse: proxies },
  SVC_SMTP_URL: { fallback: undefined, parse: smtp },
  SVC_LOG: { fallback: "info", parse: logLevel },
  SVC_METRICS: { fallback: false, parse: onOff },
} satisfies {
  HOST: Variable<string>;
  PORT: Variable<number>;
  MAX_BODY_BYTES: Variable<number>;
  SVC_STORE: Variable<StoreLocation>;
  SVC_DATA: Variable<string | undefined>;
  SVC_ADMIN_API: Variable<boolean>;
  SVC_QUERY_TIME: Variable<number>;
  SVC_AGGREGATE_TIME: Variable<number>;
  SVC_EXPAND_MAX_DEPTH: Variable<number>;
  SVC_EXPAND_MAX_PATHS: Variable<number>;
  SVC_EXPAND_MAX_ARRAY: Variable<number>;
  SVC_EXPAND_MAX_DOCS: Variable<number>;
  SVC_KEYS: Variable<readonly Uint8Array[] | undefined>;
  SVC_TRUST_PROXY: Variable<AddressOf>;
  SVC_SMTP_URL: Variable<SmtpServer | undefined>;
  SVC_LOG: Variable<LogLevel>;
  SVC_METRICS: Variable<boolean>;
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
  const settings: Settings = {
    host: read("HOST", variables.HOST),
    port: read("PORT", variables.PORT),
    store: read<StoreLocation>("SVC_STORE", variables.SVC_STORE),
    data: read<string | undefined>("SVC_DATA", variables.SVC_DATA),
    maxBodyBytes: read("MAX_BODY_BYTES", variables.MAX_BODY_BYTES),
    adminApi: read("SVC_ADMIN_API", variables.SVC_ADMIN_API),
    queryTime: read("SVC_QUERY_TIME", variables.SVC_QUERY_TIME),
    searchTime: read("SVC_AGGREGATE_TIME", variables.SVC_AGGREGATE_TIME),
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
    metrics: read("SVC_METRICS", variables.SVC_METRICS),
  };
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
