import { createRequire } from "node:module";

/**
 * The SQLite library: the one built into Node where it can do what we need, else the package with the same interface.
 * Nothing else in the project names either.
 */
type SqliteModule = typeof import("node:sqlite");
export type Database = InstanceType<SqliteModule["DatabaseSync"]>;
export type Statement = ReturnType<Database["prepare"]>;
/** What statements take and give. */
export type Value = string | number | null;

const require = createRequire(import.meta.url);

const builtIn = "node:sqlite";
const packaged = "@photostructure/sqlite";

/** What `require` takes to load the same library in another thread, wherever that thread's code stands. */
export const sqliteLibrary = capable(builtIn) ? builtIn : require.resolve(packaged);

const { DatabaseSync } = load(sqliteLibrary);

export function openDatabase(file: string, options: { readonly readOnly: boolean }): Database {
  return new DatabaseSync(file, options);
}

function load(name: string): SqliteModule {
  return withoutExperimentalWarning(() => require(name));
}

/** Node before 22.16 has no `node:sqlite`, or one without FTS5. */
function capable(name: string): boolean {
  try {
    const sqlite = load(name);
    const database = new sqlite.DatabaseSync(":memory:");
    try {
      database.exec("CREATE VIRTUAL TABLE words USING fts5(text); SELECT jsonb('{}')");
      return (
        typeof database.prepare("SELECT 1").setReturnArrays === "function" && "isTransaction" in database
      );
    } finally {
      database.close();
    }
  } catch {
    return false;
  }
}

/** `node:sqlite` announces itself as experimental when it is first loaded; every other warning passes. */
function withoutExperimentalWarning<T>(work: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = (warning: string | Error, ...rest: unknown[]) => {
    if (!`${warning}`.startsWith("SQLite is an experimental feature"))
      Reflect.apply(emitWarning, process, [warning, ...rest]);
  };
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** SQLite's primary result codes that we treat in particular. */
const BUSY = 5;
/** Extended: https://sqlite.org/rescode.html */
const CONSTRAINT_PRIMARYKEY = 1555;
const CONSTRAINT_UNIQUE = 2067;

/** Somebody else holds the lock that a statement needs. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code !== undefined && (code & 0xff) === BUSY;
}

export function isUniqueViolation(error: unknown): error is Error {
  const code = resultCode(error);
  return code === CONSTRAINT_UNIQUE || code === CONSTRAINT_PRIMARYKEY;
}

function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode : undefined;
}
