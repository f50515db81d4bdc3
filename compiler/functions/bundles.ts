/** The bundles of a realm's handlers, of which only those are made anew that something changed in. */
import { statSync } from "node:fs";
import type { RealmFunction } from "../model/model.ts";
import { type BundledHandler, bundleHandler } from "./bundle.ts";

interface Known {
  /** Equal for equal files of the realm. */
  readonly key: string;
  /** What tells each file of packages from a later one there, by path. */
  readonly packages: ReadonlyMap<string, string>;
  readonly bundle: BundledHandler;
}

export class HandlerBundles {
  readonly #root: string;
  /** By `<database>/<function>`. */
  #known: ReadonlyMap<string, Known> = new Map();

  /** @param root the configuration folder, from which packages are found */
  constructor(root: string) {
    this.#root = root;
  }

  async of(functions: readonly RealmFunction[]): Promise<readonly BundledHandler[]> {
    const known = new Map<string, Known>();
    const bundles = await Promise.all(
      functions.map(async (fn) => {
        const name = `${fn.database}/${fn.name}`;
        const key = JSON.stringify(fn.handler);
        const old = this.#known.get(name);
        const isSame = old?.key === key && [...old.packages].every(([path, look]) => lookOf(path) === look);
        const bundle = isSame ? old.bundle : await bundleHandler(fn, this.#root);
        // What could not be made may depend on what is installed.
        if (bundle.diagnostics.length === 0)
          known.set(name, {
            key,
            packages: isSame ? old.packages : new Map(bundle.packages.map((path) => [path, lookOf(path)])),
            bundle,
          });
        return bundle;
      }),
    );
    this.#known = known;
    return bundles;
  }
}

function lookOf(path: string): string {
  const status = statSync(path, { throwIfNoEntry: false });
  return status === undefined ? "" : `${status.size} ${status.mtimeMs} ${status.ino}`;
}
