/** The package as it is published. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "@photostructure/sqlite";
import { root } from "../workspace.ts";

export interface Tarball {
  readonly path: string;
  /** What it holds: sorted paths in the package. */
  readonly files: readonly string[];
}

/** What the package is made of, and by; `package-lock.json` names the versions of the packages that make it. */
const sources = [
  "compiler",
  "docs/schemas",
  "LICENSE",
  "package-lock.json",
  "package.json",
  "README.md",
  "runtime",
  "scripts/package",
  "scripts/workspace.ts",
  "templates",
  "tsconfig.json",
];

/** What was packed last, for the next test that asks. */
const kept = join(root, "node_modules/.realmc/packed");

/** As `npm pack --json` tells of it. */
const listing = "packed.json";

/**
 * Puts what `npm pack` makes of the checkout into `folder`. It is made once for all tests that ask for it, and again when
 * anything has changed that it is made of.
 */
export function pack(folder: string): Tarball {
  mkdirSync(kept, { recursive: true });
  const packed = oneAtATime(() => {
    const current = join(kept, digest());
    if (!existsSync(current) || !existsSync(join(root, "lib"))) make(current);
    cpSync(current, folder, { recursive: true });
    return listed(current);
  });
  return { path: join(folder, packed.filename), files: packed.files.map(({ path }) => path).sort() };
}

/** Waits for other processes that pack. The lock of SQLite ends with the process that holds it, however that ends. */
function oneAtATime<T>(work: () => T): T {
  const lock = new DatabaseSync(join(kept, "lock"));
  try {
    lock.exec("PRAGMA busy_timeout = 120000; BEGIN EXCLUSIVE");
    return work();
  } finally {
    lock.close();
  }
}

/** What was made before goes. */
function make(current: string): void {
  for (const name of readdirSync(kept))
    if (!name.startsWith("lock")) rmSync(join(kept, name), { recursive: true });
  const draft = mkdtempSync(join(kept, "draft-"));
  const words = ["pack", "--json", "--pack-destination", draft];
  const said = execFileSync("npm", words, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  writeFileSync(join(draft, listing), said);
  renameSync(draft, current);
}

function listed(folder: string): { filename: string; files: readonly { path: string }[] } {
  const [packed] = JSON.parse(readFileSync(join(folder, listing), "utf8"));
  if (packed === undefined) throw new Error("npm pack made nothing");
  return packed;
}

/** Of the contents of all {@link sources}, and of Node's version. */
function digest(): string {
  const hash = createHash("sha256").update(process.version);
  const add = (path: string): void => {
    const bytes = readFileSync(join(root, path));
    hash.update(`\n${path} ${bytes.length}\n`).update(bytes);
  };
  for (const source of sources) {
    if (statSync(join(root, source)).isFile()) add(source);
    else for (const path of filesIn(source)) add(path);
  }
  return hash.digest("hex").slice(0, 32);
}

/** But for what is not published, which tests may be writing just now. */
function filesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.test\.ts$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .filter((path) => !/\/(?:\.|testdata\/)/.test(path))
    .sort();
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
