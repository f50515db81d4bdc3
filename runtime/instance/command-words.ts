/** How commands read their command line. */
import { existsSync } from "node:fs";
import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { locationForms, parseLocation, type StoreLocation } from "../store/location.ts";
import { UsageError } from "./command.ts";
import type { Environment } from "./settings.ts";

/**
 * The options among the words; there is nothing else.
 * @throws UsageError
 */
export function optionsAmong<const Options extends ParseArgsOptionsConfig>(
  words: readonly string[],
  known: Options,
) {
  try {
    return parseArgs({ args: [...words], options: known }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/**
 * An option that must be there.
 * @throws UsageError
 */
export function required(option: string, value: string | undefined): string {
  if (value === undefined) throw new UsageError(`${option} is missing`);
  return value;
}

/**
 * One of several words; the first where none is given.
 * @throws UsageError
 */
export function oneOf<const Word extends string>(
  option: string,
  given: string | undefined,
  words: readonly [Word, ...Word[]],
): Word {
  if (given === undefined) return words[0];
  const found = words.find((word) => word === given);
  if (found === undefined) throw new UsageError(`${option} takes ${words.join(", ")}, not ${given}`);
  return found;
}

/**
 * What an option says, or the variable that it names as `env:<variable>`: a URI with a password is better named so, since
 * everybody on the machine can see command lines.
 * @throws UsageError
 */
export function textOf(option: string, given: string, environment: Environment): string {
  const [, variable] = /^env:(\w+)$/.exec(given) ?? [];
  const text = variable === undefined ? given : environment[variable];
  if (text === undefined) throw new UsageError(`${option}: ${variable} is not set`);
  return text.trim();
}

/**
 * The store that an option names, which outlasts the command.
 * @throws UsageError
 */
export function locationOf(option: string, given: string, environment: Environment): StoreLocation {
  const location = parseLocation(textOf(option, given, environment));
  if (location === undefined) throw new UsageError(`${option} must be ${locationForms}, or env:<variable>`);
  if (location.engine === "sqlite" && location.folder === ":memory:") {
    throw new UsageError(`${option} is sqlite::memory:, which ends with the command`);
  }
  return location;
}

/**
 * What is read from is there: it would be made otherwise.
 * @throws UsageError
 */
export function requireFolder(option: string, from: StoreLocation): void {
  if (from.engine === "sqlite" && !existsSync(from.folder)) {
    throw new UsageError(`${option}: there is no folder ${from.folder}`);
  }
}
