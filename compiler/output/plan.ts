/** What the output folder is to hold, as data. */
import { createHash } from "node:crypto";
import type { EmittedFile } from "../../templates/print/code.ts";
import type { Realm } from "../model/model.ts";
import { sortedMembers } from "../source/meaning.ts";
import { configurationFile, type Files, retiredSettings } from "./configuration.ts";
import { manifestFile, type RealmManifest } from "./manifest.ts";
import type { Output } from "./read.ts";

export interface Plan extends Output {
  /** Everything that is to be there, sorted by path; the manifest comes last. */
  readonly files: readonly EmittedFile[];
  /** Paths that the manifest before knew and this one does not, sorted. */
  readonly stale: readonly string[];
  /** As {@link PlanOptions.partial}. */
  readonly partial: boolean;
}

export interface EmittedRealm {
  readonly name: string;
  readonly manifest: RealmManifest;
  readonly configuration: Files;
  readonly files: readonly EmittedFile[];
}

/** A realm's files with what the manifest says of it. */
export function emittedRealm(realm: Realm, files: readonly EmittedFile[]): EmittedRealm {
  return {
    name: realm.name,
    manifest: {
      fingerprint: realmFingerprint(realm),
      inputs: Object.fromEntries(realm.inputs.map(({ path, meaning }) => [path, meaning])),
      outputs: Object.fromEntries(files.map(({ path, text }) => [path, hash(text)])),
    },
    // Code is in the history of its own file.
    configuration: Object.fromEntries(
      realm.inputs.flatMap(({ path, value }) => (value === undefined ? [] : [[path, sortedMembers(value)]])),
    ),
    files,
  };
}

export interface PlanOptions {
  /** Version of the compiler. */
  readonly compiler: string;
  /** What the output folder holds now. */
  readonly previous: Output | undefined;
  /** The given realms are not all: others that `previous` knows stay as they are. */
  readonly partial: boolean;
  /** As in the configuration, of the given realms; default: none. */
  readonly unmigrated?: Files | undefined;
  /** `server.ts` for realms of these names. */
  readonly server: (realms: readonly string[]) => EmittedFile;
}

export function planOutput(realms: readonly EmittedRealm[], options: PlanOptions): Plan {
  const { compiler, previous, partial, server } = options;
  const kept = partial ? previous : undefined;
  const entries = byName(kept?.manifest.realms, realms, ({ manifest }) => manifest);
  const names = Object.keys(entries);
  const manifest = { compiler, fingerprint: fingerprintOf(entries), realms: entries };
  const retired = previous === undefined ? {} : retiredSettings(previous.configuration, entries);
  const unmigrated = { ...keptOf(kept?.configuration.unmigrated, realms), ...options.unmigrated };
  const configuration = {
    realms: byName(kept?.configuration.realms, realms, (realm) => realm.configuration),
    ...(Object.keys(retired).length > 0 ? { retired } : {}),
    ...(Object.keys(unmigrated).length > 0 ? { unmigrated: sortedByPath(unmigrated) } : {}),
  };
  const files = [
    ...realms.flatMap((realm) => realm.files),
    server(names),
    configurationFile(configuration),
  ].sort((a, b) => (a.path < b.path ? -1 : 1));
  const present = new Set(Object.values(entries).flatMap(({ outputs }) => Object.keys(outputs)));
  const known = Object.values(previous?.manifest.realms ?? {}).flatMap(({ outputs }) => Object.keys(outputs));
  const stale = known.filter((path) => !present.has(path)).sort();
  return { manifest, configuration, files: [...files, manifestFile(manifest)], stale, partial };
}

/** Of a whole configuration, by those of its realms, sorted by name. */
function fingerprintOf(realms: Readonly<Record<string, Pick<RealmManifest, "fingerprint">>>): string {
  return hash(JSON.stringify(Object.entries(realms).map(([name, { fingerprint }]) => [name, fingerprint])));
}

/** What the manifest of these realms' output would have as its fingerprint. */
export function configurationFingerprint(realms: readonly Realm[]): string {
  const entries = realms.map((realm) => [realm.name, { fingerprint: realmFingerprint(realm) }] as const);
  return fingerprintOf(Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))));
}

function realmFingerprint({ inputs }: Realm): string {
  return hash(JSON.stringify(inputs.map(({ path, meaning }) => [path, meaning])));
}

/** Of files those of other realms than the given. */
function keptOf(files: Files = {}, realms: readonly EmittedRealm[]): Files {
  const names = new Set(realms.map(({ name }) => name));
  return Object.fromEntries(
    Object.entries(files).filter(([path]) => !names.has(path.slice(0, path.indexOf("/")))),
  );
}

function sortedByPath(files: Files): Files {
  return Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What is `kept`, and of each realm what `entry` takes; sorted by name. */
function byName<T>(
  kept: Readonly<Record<string, T>> = {},
  realms: readonly EmittedRealm[],
  entry: (realm: EmittedRealm) => T,
): Readonly<Record<string, T>> {
  const entries = new Map([
    ...Object.entries(kept),
    ...realms.map((each) => [each.name, entry(each)] as const),
  ]);
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
