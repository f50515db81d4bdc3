/** Where the files of a realm lie, as `copy` is told: a data folder, or a bucket. */
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { RealmDefinition } from "../../realm/definition.ts";
import type { S3Storage } from "../../realm/files.ts";
import type { StoreLocation } from "../../store/location.ts";
import { UsageError } from "../command.ts";

export type FilePlace = DataPlace | S3Storage;

/** Below `files` in a data folder each realm has a folder of its own. */
export interface DataPlace {
  readonly kind: "local";
  /** As `SVC_DATA` names it. */
  readonly data: string;
}

export const placeForms =
  "a data folder, or s3://<bucket>/<prefix>?region=<region>&endpoint=<address>&path_style=true";

/**
 * Reads what an option says.
 * @throws UsageError
 */
export function parsePlace(option: string, text: string): FilePlace {
  if (text.startsWith("s3://")) return parseBucket(option, text);
  if (text === "" || text.includes("://")) throw new UsageError(`${option} must be ${placeForms}`);
  return { kind: "local", data: resolve(text) };
}

const parameters = ["region", "endpoint", "path_style"];

function parseBucket(option: string, text: string): S3Storage {
  const { hostname: bucket, username, password, pathname, searchParams } = urlOf(option, text);
  if (username !== "" || password !== "")
    throw new UsageError(
      `${option} holds a credential: SVC_S3_ACCESS_KEY_ID and SVC_S3_SECRET_ACCESS_KEY are for that`,
    );
  for (const name of new Set(searchParams.keys())) {
    if (!parameters.includes(name) || searchParams.getAll(name).length > 1)
      throw new UsageError(`${option}: ${name} is not one of ${parameters.join(", ")}, each once`);
  }
  const [region, endpoint, pathStyle] = parameters.map((name) => searchParams.get(name) ?? undefined);
  if (pathStyle !== undefined && pathStyle !== "true" && pathStyle !== "false")
    throw new UsageError(`${option}: path_style is true or false`);
  if (endpoint !== undefined && !/^https?:\/\/[^/?#@]+\/?$/.test(endpoint))
    throw new UsageError(`${option}: endpoint is an address such as https://s3.example.com`);
  const prefix = decodeURIComponent(pathname.slice(1));
  return {
    kind: "s3",
    bucket,
    ...(region !== undefined && { region }),
    ...(endpoint !== undefined && { endpoint }),
    pathStyle: pathStyle === "true",
    ...(prefix !== "" && { prefix }),
  };
}

function urlOf(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isWhole = url !== undefined && url.hostname !== "" && url.port === "" && url.hash === "";
  if (!isWhole || /%(?![0-9a-f]{2})/i.test(url.pathname))
    throw new UsageError(`${option} must be ${placeForms}`);
  return url;
}

/** Where servers look for a realm's files that work on a store; undefined where only `SVC_DATA` says that. */
export function usualPlace(
  { storage }: Pick<RealmDefinition, "storage">,
  store: StoreLocation,
): FilePlace | undefined {
  if (storage?.driver.kind === "s3") return storage.driver;
  return store.engine === "sqlite" ? { kind: "local", data: store.folder } : undefined;
}

/** Whether the same bytes are meant, however they are reached. */
export function isSamePlace(one: FilePlace, other: FilePlace): boolean {
  return isDeepStrictEqual(whereOf(one), whereOf(other));
}

function whereOf(place: FilePlace): readonly string[] {
  if (place.kind === "local") return [place.data];
  const { bucket, prefix = "", endpoint = "" } = place;
  return [bucket, prefix, endpoint.replace(/\/$/, "")];
}

/** As people read it. */
export function describePlace(place: FilePlace, realm: string): string {
  if (place.kind === "local") return resolve(place.data, "files", realm);
  const { bucket, prefix = "", endpoint } = place;
  return `s3://${bucket}/${prefix}${endpoint === undefined ? "" : ` of ${endpoint}`}`;
}
