/** What the output folder is to hold, as data. */
import { createHash } from "node:crypto";
import type { EmittedFile } from "../../templates/print/code.ts";
import { sortedMembers } from "../model/meaning.ts";
import type { Realm } from "../model/model.ts";
import { type Manifest, manifestFile, type RealmManifest } from "./manifest.ts";
import { retiredSettings } from "./retired.ts";

export interface Plan {
  readonly manifest: Manifest;
  /** Everything that is to be there, sorted by path; the manifest comes last. */
  readonly files: readonly EmittedFile[];
  /** Paths that the manifest before knew and this one does not, sorted. */
  readonly stale: readonly string[];
}

export interface EmittedRealm {
  readonly name: string;
  readonly manifest: RealmManifest;
  readonly files: readonly EmittedFile[];
}

/** A realm's files with what the manifest says of it. */
export function emittedRealm(realm: Realm, files: readonly EmittedFile[]): EmittedRealm {
  return {
    name: realm.name,
    manifest: {
      fingerprint: hash(JSON.stringify(realm.inputs.map(({ path, meaning }) => [path, meaning]))),
      inputs: Object.fromEntries(realm.inputs.map(({ path, meaning }) => [path, meaning])),
      outputs: Object.fromEntries(files.map(({ path, text }) => [path, hash(text)])),
      configuration: Object.fromEntries(realm.inputs.map(({ path, value }) => [path, sortedMembers(value)])),
    },
    files,
  };
}

export interface PlanOptions {
  /** Version of the compiler. */
  readonly compiler: string;
  /** Of the output folder as it is. */
  readonly previous: Manifest | undefined;
  /** The given realms are not all: others that `previous` knows stay as they are. */
  readonly partial: boolean;
  /** `server.ts` for realms of these names. */
  readonly server: (realms: readonly string[]) => Promise<EmittedFile>;
}

export async function planOutput(realms: readonly EmittedRealm[], options: PlanOptions): Promise<Plan> {
  const { compiler, previous, partial, server } = options;
  const kept = partial ? Object.entries(previous?.realms ?? {}) : [];
  const entries = new Map([...kept, ...realms.map(({ name, manifest }) => [name, manifest] as const)]);
  const names = [...entries.keys()].sort();
  const sorted = Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
  const fingerprint = hash(
    JSON.stringify(Object.entries(sorted).map(([name, entry]) => [name, entry.fingerprint])),
  );
  const retired = retiredSettings(previous, sorted);
  const hasRetired = Object.keys(retired).length > 0;
  const manifest = { compiler, fingerprint, realms: sorted, ...(hasRetired ? { retired } : {}) };
  const files = [...realms.flatMap((realm) => realm.files), await server(names)].sort((a, b) =>
    a.path < b.path ? -1 : 1,
  );
  const present = new Set(Object.values(sorted).flatMap(({ outputs }) => Object.keys(outputs)));
  const known = Object.values(previous?.realms ?? {}).flatMap(({ outputs }) => Object.keys(outputs));
  const stale = known.filter((path) => !present.has(path)).sort();
  return { manifest, files: [...files, manifestFile(manifest)], stale };
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
