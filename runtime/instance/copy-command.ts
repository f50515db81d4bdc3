import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { isDeepStrictEqual, parseArgs } from "node:util";
import type { Clock } from "../clock.ts";
import type { RealmDefinition } from "../realm/definition.ts";
import type { RealmModule } from "../realm/exchange.ts";
import { openStores, type Stores } from "../store/engines.ts";
import { describeLocation, locationForms, parseLocation, type StoreLocation } from "../store/location.ts";
import { type Program, realmsCalled, type Surroundings, UsageError } from "./command.ts";
import { type CopyOptions, copyRealm } from "./copy.ts";
import type { Environment } from "./settings.ts";

export const copyUsage = "copy --from <store> --to <store> [--realm <realm>] [--into-non-empty]";

/** Milliseconds that one read or write of a batch may take. */
const PATIENCE = 120_000;
/** Milliseconds between two lines of progress. */
const LINE_EVERY = 2_000;

/**
 * `copy`: moves what realms store to another store, compares both, and prints a line for each collection; answers the
 * exit code. No server may be serving either store: of embedded ones that is made sure.
 * @throws UsageError | FolderLocked | TargetRefused
 */
export async function copyCommand(
  { realms }: Program,
  words: readonly string[],
  { environment, out, err }: Surroundings,
  clock: Clock,
): Promise<number> {
  const { from, to, realm, intoNonEmpty } = parseWords(words, environment);
  const chosen = realmsCalled(realm, realms);
  requireFolder(from);
  // Documents that expire meanwhile are there, or not, in both.
  const now = clock.now();
  const shared = {
    clock: { now: () => now },
    queryTime: PATIENCE,
    holder: `process ${process.pid} on ${hostname()}, copying`,
  };
  const source = await openStores({ ...shared, location: from, setting: "--from" });
  try {
    const target = await openStores({ ...shared, location: to, setting: "--to" });
    try {
      const held = await realmsHeld(chosen);
      let code = held.length === 0 ? 1 : 0;
      for (const { definition } of held) {
        const isSame = await copyOne(definition, source, target);
        if (!isSame) code = 1;
      }
      return code;
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }

  async function realmsHeld(modules: readonly RealmModule[]): Promise<readonly RealmModule[]> {
    const held: RealmModule[] = [];
    for (const module of modules) {
      const { name } = module.definition;
      if (await source.holds(name)) held.push(module);
      else err(`${name}: there is nothing of it in ${describeLocation(from)}`);
    }
    return held;
  }

  async function copyOne(definition: RealmDefinition, source: Stores, target: Stores): Promise<boolean> {
    const { name } = definition;
    err(`${name}: from ${describeLocation(from)} to ${describeLocation(to)}`);
    const compared = await copyRealm({
      definition,
      source: await source.open(name),
      target: await target.open(name),
      from: describeLocation(from),
      intoNonEmpty,
      clock,
      progress: progressLines((line) => err(`${name} ${line}`)),
    });
    for (const { collection, documents, sha256, different } of compared) {
      out(`${name} ${collection}: ${documents} documents, sha256 ${sha256}`);
      if (different.length > 0) err(`${name} ${collection}: not the same in both: ${different.join(", ")}`);
    }
    const isSame = compared.every(({ different }) => different.length === 0);
    err(
      isSame
        ? `${name}: both are the same`
        : `${name}: copy it again with --into-non-empty; is a server running?`,
    );
    return isSame;
  }
}

/** A line for the first batch, and then not too often. */
function progressLines(line: (text: string) => void): CopyOptions["progress"] {
  const begun = performance.now();
  let next = 0;
  return ({ step, collection, documents }) => {
    const elapsed = performance.now() - begun;
    if (elapsed < next) return;
    next = elapsed + LINE_EVERY;
    line(`${collection}: ${step}, ${documents} documents, ${Math.round((documents / elapsed) * 1000)}/s`);
  };
}

function parseWords(words: readonly string[], environment: Environment) {
  const { from, to, realm, "into-non-empty": intoNonEmpty = false } = options(words);
  const [source, target] = [locationOf("--from", from, environment), locationOf("--to", to, environment)];
  if (isDeepStrictEqual(source, target)) throw new UsageError("--from and --to are the same store");
  return { from: source, to: target, realm, intoNonEmpty };
}

function options(words: readonly string[]) {
  try {
    return parseArgs({
      args: [...words],
      options: {
        from: { type: "string" },
        to: { type: "string" },
        realm: { type: "string" },
        "into-non-empty": { type: "boolean" },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** A URI with a password is better named by a variable: everybody on the machine can see command lines. */
function locationOf(option: string, given: string | undefined, environment: Environment): StoreLocation {
  if (given === undefined) throw new UsageError(`${option} is missing`);
  const [, variable] = /^env:(\w+)$/.exec(given) ?? [];
  const text = variable === undefined ? given : environment[variable];
  if (text === undefined) throw new UsageError(`${option}: ${variable} is not set`);
  const location = parseLocation(text.trim());
  if (location === undefined) throw new UsageError(`${option} must be ${locationForms}, or env:<variable>`);
  if (location.engine === "sqlite" && location.folder === ":memory:") {
    throw new UsageError(`${option} is sqlite::memory:, which ends with the command`);
  }
  return location;
}

/** What is copied from is there: it would be made otherwise. */
function requireFolder(from: StoreLocation): void {
  if (from.engine === "sqlite" && !existsSync(from.folder)) {
    throw new UsageError(`--from: there is no folder ${from.folder}`);
  }
}
