/** What requests can do with the functions of a realm. */
import { posix } from "node:path";
import type { Realm, RealmFunction } from "../../compiler/model/model.ts";
import type { RulesStage } from "../../compiler/rules/compiled.ts";
import { leadingTo, type Place, placeOf, type Schema } from "../../compiler/schema/place.ts";
import { functionCalls } from "../../runtime/contract/function-calls.ts";
import { functionJobs } from "../../runtime/contract/function-jobs.ts";
import { capitalized } from "../print/names.ts";
import { functionPath, functionStem } from "../server/names.ts";
import type { Build, Paths } from "./build.ts";
import { contractPaths } from "./contracts.ts";
import type { MadeSchemas } from "./schemas/contracted.ts";
import type { SchemaPool } from "./schemas/pool.ts";

/** The paths of the functions in a database, and of their jobs; none where it has no functions. */
export function functionPaths(build: Build, database: string, rules: RulesStage): Paths {
  const { realm } = build;
  const functions = realm.functions.filter((each) => each.database === database);
  if (functions.length === 0) return {};
  const called = functions.map((fn) => calls(build, fn, rules));
  const about = { traits: realm, names: { database, stem: capitalized(database) }, made: {} };
  const jobs = { ...about, schemas: build.schemasOf(about), collections: [] };
  return Object.assign({}, ...called, contractPaths(build, functionJobs, jobs));
}

/** By its mode: none of one that only events have run. */
function calls(build: Build, fn: RealmFunction, rules: RulesStage): Paths {
  const { database, name } = fn;
  if (fn.mode === "event") return {};
  const known = {
    traits: { ...build.realm, fn },
    names: { database, fn: name, stem: functionStem(fn) },
    made: schemasOf(build.schemas, fn),
  };
  const { invoke } = rules.functions.get(`${database}/${name}`) ?? {};
  return contractPaths(build, functionCalls, {
    ...known,
    schemas: build.schemasOf(known),
    collections: [],
    invoke,
  });
}

function schemasOf(pool: SchemaPool, fn: RealmFunction): MadeSchemas {
  const { mode, input, output } = fn;
  if (mode !== "call") return {};
  const stem = functionStem(fn);
  const Result = output
    ? pool.addPlace(`${stem}Result`, placeIn(fn, output))
    : pool.share(anything, () => ({}));
  return {
    Result,
    ...(input && { Arguments: pool.addPlace(`${stem}Arguments`, placeIn(fn, input.schema)) }),
  };
}

/** What calls return that do not say it. */
const anything = "AnyResult";

/** The schema itself, where nothing but a reference to another file of the function stands in function.yaml. */
function placeIn(fn: RealmFunction, schema: Schema): Place {
  const there = leadingTo(schema);
  return placeOf(there.path.startsWith(`${functionPath(fn)}/`) ? there : schema);
}

/** Names that functions give to files, for what else stands in these: `SupportCloseInput` for `input.json`. */
export function functionFileStems({ functions }: Realm): readonly (readonly [path: string, stem: string])[] {
  return functions.flatMap((fn) => {
    const files = [fn.input?.schema, fn.output].flatMap((schema) => schema?.files ?? []);
    const own = files.filter(({ path }) => path.startsWith(`${functionPath(fn)}/`));
    return own.map(({ path }) => [path, functionStem(fn) + stemOfFile(path)] as const);
  });
}

function stemOfFile(path: string): string {
  const [name = ""] = posix.basename(path).split(".");
  return name === "function" ? "" : capitalized(name);
}

/** Keeps the names of functions' schemas free of whatever else the configuration defines. */
export function reserveFunctionSchemas(pool: SchemaPool, { functions }: Realm): void {
  if (functions.some(({ mode }) => mode === "call")) pool.reserve(anything);
  for (const fn of functions) {
    if (fn.mode !== "call") continue;
    const stem = functionStem(fn);
    if (fn.input) pool.reserve(`${stem}Arguments`, placeIn(fn, fn.input.schema));
    if (fn.output) pool.reserve(`${stem}Result`, placeIn(fn, fn.output));
  }
}
