/** The lock file of a bundle: exactly the packages that this release was tested with, for every platform. */
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";

/** Entries of a `package-lock.json` by their paths: `node_modules/sharp`. */
export type LockedPackages = Readonly<Record<string, JsonObject>>;

/** What npm does not read of a package. */
const unread: ReadonlySet<string> = new Set(["license", "funding", "dev", "devOptional", "deprecated"]);

/**
 * The packages of these names and all that they require, those of other platforms too, as npm writes them.
 * @throws Error where one is not locked
 */
export function lockedFor(all: LockedPackages, names: readonly string[]): LockedPackages {
  /** By their paths, whether they can be missing. */
  const found = new Map<string, boolean>();
  const due = names.map((name) => ({ name, from: "", isOptional: false }));
  for (let next = due.pop(); next !== undefined; next = due.pop()) {
    const { name, from, isOptional } = next;
    const path = pathOf(all, from, name);
    const locked = path === undefined ? undefined : all[path];
    if (path === undefined || locked === undefined) {
      if (isOptional) continue;
      throw new Error(`the lock file has no ${name}, which ${from || "a bundle"} requires`);
    }
    // Once more where it was optional for those before and is required now.
    if (found.has(path) && (isOptional || found.get(path) === false)) continue;
    found.set(path, isOptional);
    for (const required of requiredBy(locked))
      due.push({ name: required.name, from: path, isOptional: isOptional || required.isOptional });
  }
  const paths = [...found].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(paths.map(([path, isOptional]) => [path, entryOf(all[path] ?? {}, isOptional)]));
}

/** Version and integrity, then values, then objects, each by name: npm's own order. */
function entryOf(locked: JsonObject, isOptional: boolean): JsonObject {
  const rank = ([name, value]: [string, JsonObject[string]]): string =>
    `${name === "version" ? 0 : name === "integrity" ? 1 : isJsonObject(value) ? 3 : 2} ${name}`;
  const members = Object.entries(locked).filter(([name]) => !unread.has(name) && name !== "optional");
  if (isOptional) members.push(["optional", true]);
  return Object.fromEntries(members.sort((a, b) => (rank(a) < rank(b) ? -1 : 1)));
}

/** The version of a package at the top. */
export function lockedVersion(all: LockedPackages, name: string): string {
  const version = all[`node_modules/${name}`]?.["version"];
  if (typeof version === "string") return version;
  throw new Error(`the lock file has no ${name}`);
}

/** Where Node finds `name` from the folder `from`: in the nearest `node_modules` upwards. */
function pathOf(all: LockedPackages, from: string, name: string): string | undefined {
  for (let folder = from; ; ) {
    const path = `${folder}${folder === "" ? "" : "/"}node_modules/${name}`;
    if (path in all) return path;
    if (folder === "") return undefined;
    folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")));
  }
}

function requiredBy(locked: JsonObject): readonly { readonly name: string; readonly isOptional: boolean }[] {
  const peers = membersOf(locked["peerDependenciesMeta"]);
  const isOptionalPeer = (name: string): boolean => {
    const about = peers[name];
    return isJsonObject(about) && about["optional"] === true;
  };
  return [
    ...Object.keys(membersOf(locked["dependencies"])).map((name) => ({ name, isOptional: false })),
    ...Object.keys(membersOf(locked["optionalDependencies"])).map((name) => ({ name, isOptional: true })),
    ...Object.keys(membersOf(locked["peerDependencies"]))
      .filter((name) => !isOptionalPeer(name))
      .map((name) => ({ name, isOptional: false })),
  ];
}

function membersOf(value: JsonObject[string] | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
