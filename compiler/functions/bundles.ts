/** The bundles of a realm's code, of which only those are made anew that something changed in. */
import { statSync } from "node:fs";
import { type BundledHandler, type Bundling, bundleCode } from "./bundle.ts";

interface Known {
  /** Equal for equal files of the realm. */
  readonly key: string;
  /** What tells each file of packages from a later one there, by path. */
  readonly packages: ReadonlyMap<string, string>;
  readonly bundle: BundledHandler;
}

export class HandlerBundles {
  readonly #root: string;
  /** By where the modules go. */
  #known: ReadonlyMap<string, Known> = new Map();

  /** @param root the configuration folder, from which packages are found */
  constructor(root: string) {
    this.#root = root;
  }

  async of(all: readonly Bundling[]): Promise<readonly BundledHandler[]> {
    const known = new Map<string, Known>();
    const bundles = await Promise.all(
      all.map(async (each) => {
        const key = JSON.stringify(each.code);
        const old = this.#known.get(each.outfile);
        const isSame = old?.key === key && [...old.packages].every(([path, look]) => lookOf(path) === look);
        const bundle = isSame ? old.bundle : await bundleCode(each, this.#root);
        // What could not be made may depend on what is installed.
        if (bundle.diagnostics.length === 0)
          known.set(each.outfile, {
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
