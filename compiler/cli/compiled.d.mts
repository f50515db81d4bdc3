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
