/** Which folders a command can work with, found out before anything is done. */
import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { isJsonObject } from "../../runtime/json.ts";
import { didYouMean } from "../../runtime/suggest.ts";
import { bundleName } from "../package/package.ts";
import { isInside } from "../source/folders.ts";
import { reasonOf } from "../source/reader.ts";
import { UsageError } from "./exit.ts";

/** @throws UsageError */
export function requireFolder(config: string): void {
  if (!existsSync(config)) throw new UsageError(`there is no folder ${config || "''"}`);
  if (!statSync(config).isDirectory()) throw new UsageError(`${config} is not a folder of realms`);
}

/** @throws UsageError */
export function requireRealm(config: string, name: string): void {
  if (existsSync(join(config, name, "realm.yaml"))) return;
  const others = readdirSync(config).filter((entry) => existsSync(join(config, entry, "realm.yaml")));
  const hint = didYouMean(name, others) ?? `there are: ${others.join(", ")}`;
  throw new UsageError(`there is no realm '${name}' in ${config} (${hint})`);
}

/**
 * Output in the configuration would be read as configuration by the next run.
 * @throws UsageError
 */
export function requireOutput(option: string, folder: string, config: string): void {
  const [output, input] = [realPath(resolve(folder)), realPath(resolve(config))];
  if (isInside(output, input)) {
    throw new UsageError(`${option} ${folder} lies in the configuration (give a folder beside ${config})`);
  }
  if (isInside(input, output)) {
    throw new UsageError(`${option} ${folder} holds the configuration (give a folder beside ${config})`);
  }
  const present = nearestPresent(output);
  if (!statSync(present).isDirectory()) {
    throw new UsageError(`${option} ${folder} cannot be made: ${relative("", present)} is no folder`);
  }
  try {
    accessSync(present, constants.W_OK);
  } catch (error) {
    throw new UsageError(`${option} ${folder} cannot be written to: ${reasonOf(error)}`);
  }
}

/**
 * What is kept in one folder is no business of what writes another.
 * @throws UsageError
 */
export function requireApart(option: string, folder: string, other: string, otherFolder: string): void {
  if (realPath(resolve(folder)) === realPath(resolve(otherFolder))) {
    throw new UsageError(`${option} and ${other} need folders of their own`);
  }
}

/**
 * A bundle has a `package.json`, which must not replace that of another package.
 * @throws UsageError
 */
export function requireBundle(folder: string, out: string, config: string): void {
  requireOutput("--bundle", folder, config);
  requireApart("--out", out, "--bundle", folder);
  const settings = join(folder, "package.json");
  if (existsSync(settings) && packageName(settings) !== bundleName) {
    throw new UsageError(`--bundle ${folder} holds another package.json; give a folder of its own`);
  }
}

function packageName(path: string): unknown {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return isJsonObject(value) ? value["name"] : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Does what reads and writes output in `folder`.
 * @throws UsageError for what the file system refuses
 */
export async function onDisk<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !("syscall" in error)) throw error;
    const place = "path" in error ? relative("", String(error.path)) : folder;
    throw new UsageError(`cannot write ${place}: ${reasonOf(error)}`);
  }
}

/** A path free of symbolic links, as far as it is there. */
function realPath(path: string): string {
  const present = nearestPresent(path);
  return join(realpathSync(present), relative(present, path));
}

function nearestPresent(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : nearestPresent(dirname(path));
}
