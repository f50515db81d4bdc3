import type { JsonObject } from "../json.ts";
import type { Along } from "./along.ts";

/** The version of `app_config` at the moment when a caller's records were read. */
export interface AppConfigMark extends Along {
  /** 0: nobody has replaced the configured value; undefined: it was not read. */
  readonly version: number | undefined;
}

/** `app_config` of a realm: as an administrator replaced it, else as it is configured. */
export interface RealmAppConfig {
  /**
   * Reads the version in the same command as a caller's records. Undefined where that tells nothing: the store knows
   * revisions, or no rule of the realm reads `appConfig`.
   * @param others steps to read in that command too
   */
  mark(others?: Along): AppConfigMark | undefined;
  /**
   * The value that rules read as `appConfig`: every replacement that was acknowledged before the call, or before the
   * mark was read, counts. The very same object is returned until its text changes, since filters are kept by it. Where
   * no rule of the realm reads it, this is the configured value.
   */
  forRules(mark?: Pick<AppConfigMark, "version">): JsonObject | Promise<JsonObject>;
  /** The value that administrators read. */
  current(): JsonObject | Promise<JsonObject>;
}
