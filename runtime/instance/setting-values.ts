/** How values of instance settings are written. Each reads one, or throws `Refused`. */
import { type AddressOf, parseNetwork, trustHops, trustNetworks, trustNobody } from "../http/address.ts";
import { locationForms, parseLocation, type StoreLocation } from "../store/location.ts";
import { parseDuration } from "../units.ts";
import { KEY_BYTES, parseKeys } from "./keys.ts";
import { parseSmtpUrl, type SmtpServer, smtpForms } from "./smtp.ts";

/** A value that its variable does not take; the message says what it takes. */
export class Refused extends Error {}

const logLevels = ["fatal", "error", "warn", "info", "debug", "trace", "silent"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/** Where figures are served: nowhere, beside everything else, or at an address of their own. */
export type MetricsPlace = "off" | "on" | ListenAddress;

export function duration(text: string): number {
  return within(parseDuration, 1, 3_600_000, "a duration such as 5s, from 1ms to 1h")(text);
}

export function keys(text: string): readonly Uint8Array[] {
  const read = parseKeys(text);
  // Secrets are never repeated.
  if (read === undefined)
    throw new Refused(`must be secrets of at least ${KEY_BYTES} bytes in base64, separated by commas`);
  return read;
}

export function integer(least: number, most: number): (text: string) => number {
  return within(
    (text) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined),
    least,
    most,
    `an integer from ${least} to ${most}`,
  );
}

export function decimal(least: number, most: number): (text: string) => number {
  return within(
    (text) => (/^\d{1,15}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined),
    least,
    most,
    `a number from ${least} to ${most}`,
  );
}

export function within(
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

export function onOff(text: string): boolean {
  if (text !== "on" && text !== "off") throw new Refused(`must be on or off; it is ${JSON.stringify(text)}`);
  return text === "on";
}

export function metrics(text: string): MetricsPlace {
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

export function logLevel(text: string): LogLevel {
  const level = logLevels.find((known) => known === text);
  if (level === undefined) {
    throw new Refused(`must be one of ${logLevels.join(", ")}; it is ${JSON.stringify(text)}`);
  }
  return level;
}

export function store(text: string): StoreLocation {
  const location = parseLocation(text);
  // A URI may hold a password: it is never repeated.
  if (location === undefined) throw new Refused(`must be ${locationForms}`);
  return location;
}

export function smtp(text: string): SmtpServer {
  const server = parseSmtpUrl(text);
  // It may hold a password: it is never repeated.
  if (server === undefined) throw new Refused(`must be ${smtpForms}`);
  return server;
}

export function proxies(text: string): AddressOf {
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
