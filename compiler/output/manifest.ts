import type { EmittedFile } from "../../templates/print/code.ts";
import { jsonText } from "../../templates/print/format.ts";

/** `manifest.json`: of what the output was made and of what it consists. Hashes are SHA-256, hex. */
export interface Manifest {
  /** Version of the compiler. */
  readonly compiler: string;
  /** Of the meaning of all inputs. */
  readonly fingerprint: string;
  readonly realms: Readonly<Record<string, RealmManifest>>;
}

export interface RealmManifest {
  readonly fingerprint: string;
  /** Path in the configuration folder to the hash of the file's meaning. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Path in the output folder to the hash of the file's text. */
  readonly outputs: Readonly<Record<string, string>>;
}

export const manifestPath = "manifest.json";

export function manifestFile(manifest: Manifest): EmittedFile {
  return { path: manifestPath, text: jsonText(manifest) };
}
