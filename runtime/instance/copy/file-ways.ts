/** From where to where the files of realms go, and both ends opened. */
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BlobCopy } from "../../blobs/copy.ts";
import { codeOf } from "../../blobs/failures.ts";
import { openBlobs } from "../../blobs/open.ts";
import { openSpool, type Spool } from "../../blobs/spool.ts";
import type { BlobStore } from "../../blobs/store.ts";
import type { RealmDefinition } from "../../realm/definition.ts";
import type { StoreLocation } from "../../store/location.ts";
import { UsageError } from "../command.ts";
import { type Environment, readSettings } from "../settings.ts";
import { describePlace, type FilePlace, isSamePlace, usualPlace } from "./places.ts";

export interface FileWay {
  readonly from: FilePlace;
  readonly to: FilePlace;
}

/** What the command line says. */
export interface GivenWay {
  /** Stores. */
  readonly from: StoreLocation;
  readonly to: StoreLocation;
  readonly filesFrom: FilePlace | undefined;
  readonly filesTo: FilePlace | undefined;
}

/**
 * From where to where the files of each realm go, by its name; realms without storage have none.
 * @throws UsageError where that is not said
 */
export function fileWays(
  definitions: readonly RealmDefinition[],
  given: GivenWay,
): ReadonlyMap<string, FileWay> {
  const { from, to, filesFrom, filesTo } = given;
  const storing = definitions.filter(({ storage }) => storage !== undefined);
  if (storing.length === 0 && (filesFrom ?? filesTo) !== undefined)
    throw new UsageError(
      `${definitions.map(({ name }) => name).join(", ")}: there is no storage, so no files`,
    );
  if (storing.length > 1 && [filesFrom, filesTo].some((place) => place?.kind === "s3"))
    throw new UsageError("each realm's files need a prefix of their own: say with --realm which are meant");
  return new Map(
    storing.map((definition) => {
      const way = {
        from: filesFrom ?? usualPlace(definition, from) ?? unsaid("--files-from"),
        to: filesTo ?? usualPlace(definition, to) ?? unsaid("--files-to"),
      };
      return [definition.name, way];

      function unsaid(option: string): never {
        throw new UsageError(
          `${option} is missing: which folder do servers of ${definition.name} have for its files (SVC_DATA)?`,
        );
      }
    }),
  );
}

export function isMove({ from, to }: FileWay): boolean {
  return !isSamePlace(from, to);
}

export function describeWay({ from, to }: FileWay, realm: string): string {
  return `from ${describePlace(from, realm)} to ${describePlace(to, realm)}`;
}

/** Whether there is a folder to copy from; of buckets that is told by asking them. */
export function hasSource({ from }: FileWay, realm: string): boolean {
  return from.kind === "s3" || existsSync(describePlace(from, realm));
}

/** What servers must be told to find files where they were copied to; undefined where they look there anyway. */
export function newSettings(
  { to }: FileWay,
  definition: RealmDefinition,
  store: StoreLocation,
): string | undefined {
  const usual = usualPlace(definition, store);
  if (usual !== undefined && isSamePlace(usual, to)) return undefined;
  if (to.kind === "s3") return `storage in realm.yaml has to name ${describePlace(to, definition.name)}`;
  const folder = `SVC_DATA=${to.data}`;
  return definition.storage?.driver.kind === "local"
    ? `servers have to be told of the folder: ${folder}`
    : `storage in realm.yaml has to be { driver: local }, and servers have to be told of the folder: ${folder}`;
}

/**
 * Opens both ends of a way, and asks buckets whether they are there.
 * @throws StorageUnavailable | BadSettings
 */
export async function openWay(
  { from, to }: FileWay,
  realm: string,
  environment: Environment,
): Promise<BlobCopy & { close(): Promise<void> }> {
  const passing = to.kind === "s3" ? await mkdtemp(join(tmpdir(), "realmc-copy-")) : undefined;
  const opened: BlobStore[] = [];
  const close = async () => {
    for (const blobs of opened) await blobs.close();
    if (passing !== undefined) await rm(passing, { recursive: true, force: true });
  };
  try {
    // On the device of the files, where these lie on this machine: they move by their names.
    const spool = await openSpool(passing ?? join(describePlace(to, realm), "spool"));
    for (const place of [from, to]) opened.push(await openPlace(place, realm, { spool, environment }));
    const [source, target] = opened;
    if (source === undefined || target === undefined) throw new Error("both ends were opened");
    return { from: source, to: target, spool, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Opens where the files of a realm lie, and asks buckets whether they are there.
 * @throws StorageUnavailable | BadSettings
 */
export async function openPlace(
  place: FilePlace,
  realm: string,
  { spool, environment }: { readonly spool: Spool; readonly environment: Environment },
): Promise<BlobStore> {
  const credentials = place.kind === "s3" ? readSettings(environment).s3Credentials : undefined;
  const blobs = await openBlobs(place.kind === "s3" ? place : { kind: "local" }, {
    folder: describePlace(place, realm),
    spool,
    credentials,
  }).catch((error: unknown) => {
    throw codeOf(error) === "ERR_MODULE_NOT_FOUND" ? new Error(sdkMissing, { cause: error }) : error;
  });
  try {
    await blobs.health();
    return blobs;
  } catch (error) {
    await blobs.close();
    throw error;
  }
}

const sdkMissing =
  "buckets need packages that this bundle does not: npm install @aws-sdk/client-s3 @aws-sdk/s3-request-presigner in its folder";
