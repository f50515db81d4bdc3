/** The committed lock files: what `npm ci` takes, and `npm install` leaves as it is, on every platform. */
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { root } from "../workspace.ts";

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

interface LockFile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** Returns the names of the packages that npm writes into the lock file for `locked`; optional ones are locked, optional peers are not. */
function required(locked: LockedPackage): readonly string[] {
  const peers = Object.keys(locked.peerDependencies ?? {});
  return [
    ...Object.keys(locked.dependencies ?? {}),
    ...Object.keys(locked.devDependencies ?? {}),
    ...Object.keys(locked.optionalDependencies ?? {}),
    ...peers.filter((peer) => locked.peerDependenciesMeta?.[peer]?.optional !== true),
  ];
}

/** Returns whether Node would find `name` from the folder `from`, looking in each `node_modules` upwards. */
function isLocked({ packages }: LockFile, from: string, name: string): boolean {
  const folders = from === "" ? [] : from.split("/node_modules/");
  return [from, ...folders.map((_, kept) => folders.slice(0, kept).join("/node_modules/"))].some(
    (folder) => `${folder}${folder === "" ? "" : "/"}node_modules/${name}` in packages,
  );
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "realmc-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.each([".", "scripts/openapi/tools", "scripts/client/platforms"])("the lock file in %s", (place) => {
  const path = join(root, place, "package-lock.json");

  it("has every package that one of its packages requires, those of other platforms too", () => {
    const lock: LockFile = JSON.parse(readFileSync(path, "utf8"));
    const missing = Object.entries(lock.packages).flatMap(([from, locked]) =>
      required(locked)
        .filter((name) => !isLocked(lock, from, name))
        .map((name) => `${name}, which ${from || "package.json"} requires`),
    );
    expect(missing).toEqual([]);
  });

  it("is left as it is by npm install", () => {
    for (const name of ["package.json", "package-lock.json", ".npmrc"]) {
      copyFileSync(join(root, place, name), join(folder, name));
    }
    // Without a network and with an empty cache: a complete lock file leaves nothing to ask a registry for.
    const settings = [
      "--offline",
      `--cache=${join(folder, "cache")}`,
      `--userconfig=${devNull}`,
      "--no-update-notifier",
    ];
    execFileSync("npm", ["install", "--package-lock-only", "--ignore-scripts", ...settings], { cwd: folder });
    expect(readFileSync(join(folder, "package-lock.json"), "utf8")).toBe(readFileSync(path, "utf8"));
  });
});
