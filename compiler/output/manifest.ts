import type { JsonObject } from "../../runtime/json.ts";
import type { EmittedFile } from "../../templates/print/code.ts";
import { jsonText } from "../../templates/print/format.ts";

/** `manifest.json`: what the output was made from and consists of. Hashes are SHA-256, hex. */
export interface Manifest {
  /** Version of the compiler. */
  readonly compiler: string;
  /** Of the meaning of all inputs. */
  readonly fingerprint: string;
  readonly realms: Readonly<Record<string, RealmManifest>>;
  /**
   * Read rules that hid fields of collections which are there no longer, as settings by the path of their collection.yaml: they
   * count when the collection comes back. Absent where there are none.
   */
  readonly retired?: Readonly<Record<string, JsonObject>>;
}

export interface RealmManifest {
  readonly fingerprint: string;
  /** Path in the configuration folder to the hash of the file's meaning. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Path in the output folder to the hash of the file's text. */
  readonly outputs: Readonly<Record<string, string>>;
  /**
   * The inputs themselves, by their paths, as values with their members sorted: what `realmc diff` compares. Absent in
   * output of compilers that had no `diff`.
   */
  readonly configuration?: Readonly<Record<string, JsonObject>>;
}

export const manifestPath = "manifest.json";

export function manifestFile(manifest: Manifest): EmittedFile {
  return { path: manifestPath, text: jsonText(manifest) };
}
