/** What lies in an output folder, as far as that tells. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, type JsonObject } from "../../runtime/json.ts";
import { configurationPath, type RecordedConfiguration, recordedConfiguration } from "./configuration.ts";
import { type Manifest, manifestPath, type RealmManifest } from "./manifest.ts";

export interface Output {
  readonly manifest: Manifest;
  readonly configuration: RecordedConfiguration;
}

/** Undefined where there is no manifest that can be read. */
export async function readOutput(folder: string): Promise<Output | undefined> {
  const manifest = await readJson(join(folder, manifestPath));
  if (!isManifest(manifest)) return undefined;
  const recorded = await readJson(join(folder, configurationPath));
  return {
    manifest: { ...manifest, realms: mapped(manifest.realms, hashesOf) },
    configuration: recordedConfiguration(recorded ?? inManifest(manifest)),
  };
}

function isManifest(value: unknown): value is Manifest & JsonObject {
  return (
    isJsonObject(value) &&
    isJsonObject(value["realms"]) &&
    Object.values(value["realms"]).every(isRealmManifest)
  );
}

function isRealmManifest(value: unknown): value is RealmManifest {
  return (
    isJsonObject(value) &&
    typeof value["fingerprint"] === "string" &&
    isJsonObject(value["inputs"]) &&
    isJsonObject(value["outputs"])
  );
}

/** Compilers before `configuration.json` had it in the manifest. */
function inManifest({ realms, retired }: Manifest & JsonObject): unknown {
  return {
    realms: mapped(realms, (realm) => (isJsonObject(realm) ? realm["configuration"] : undefined)),
    retired,
  };
}

function hashesOf({ fingerprint, inputs, outputs }: RealmManifest): RealmManifest {
  return { fingerprint, inputs, outputs };
}

function mapped<T, U>(members: Readonly<Record<string, T>>, change: (member: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, change(member)]));
}

async function readJson(path: string): Promise<unknown> {
  const text = await readText(path);
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Undefined where there is no such file. */
export async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
