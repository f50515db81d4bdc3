/** The package as it is published. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { root } from "../workspace.ts";

export interface Tarball {
  readonly path: string;
  /** What it holds: sorted paths in the package. */
  readonly files: readonly string[];
}

/** Runs `npm pack` in the checkout; the tarball goes into `folder`. */
export function pack(folder: string): Tarball {
  const words = ["pack", "--json", "--pack-destination", folder];
  const [packed]: readonly { filename: string; files: readonly { path: string }[] }[] = JSON.parse(
    execFileSync("npm", words, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }),
  );
  if (packed === undefined) throw new Error("npm pack made nothing");
  return { path: join(folder, packed.filename), files: packed.files.map(({ path }) => path).sort() };
}

/** In what npm says where the registry cannot be reached, and its cache lacks something. */
export const registryUnreachable = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTCACHED)\b/;

/**
 * Installs packages into `folder`, as `npm install` does in an empty one; what npm has fetched before is not fetched again,
 * and a package that wants another Node is refused.
 * @throws Error with what npm says
 */
export function install(folder: string, ...packages: readonly string[]): void {
  const words = [
    "install",
    "--prefix",
    folder,
    "--prefer-offline",
    // An answer of the registry that does not come is asked for again, before a test gives up.
    "--fetch-timeout=20000",
    "--engine-strict",
    "--no-audit",
    "--no-fund",
    ...packages,
  ];
  execFileSync("npm", words, { cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
}
