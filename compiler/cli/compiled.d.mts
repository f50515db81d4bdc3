import type { BuildOptions, BuildResult } from "esbuild";

export interface CompileOptions {
  /** The folder that `entry` and the sources of the record are relative to; absolute. */
  readonly root: string;
  /** The module to start from. */
  readonly entry: string;
  /** Where the outcome is kept; absolute. */
  readonly folder: string;
}

/**
 * The URL of the module that `entry` is compiled to; undefined where nothing can be kept in `folder`.
 * @throws Error where a source does not compile
 */
export declare function compiled(options: CompileOptions): Promise<string | undefined>;

export interface BundleOptions extends CompileOptions {
  /** Of the outcome of `entry`, for example `[name]-[hash]`; those of what commands share always have a hash. */
  readonly names: string;
}

/**
 * What esbuild makes of `entry` and the sources that it imports, for `folder`, written nowhere; packages stay as they are.
 * @throws Error where a source does not compile
 */
export declare function bundled(
  options: BundleOptions,
): Promise<BuildResult<BuildOptions & { write: false; metafile: true }>>;
