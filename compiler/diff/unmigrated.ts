/** Collections whose schema refuses what an earlier one took, without a migration in between. */
import type { JsonObject } from "../../runtime/json.ts";
import { kept as keptValue } from "../../runtime/kept.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.ts";
import { whileReading } from "../diagnostics/internal-error.ts";
import type { Collection } from "../model/model.ts";
import type { Files, RecordedConfiguration } from "../output/configuration.ts";
import type { AnalysedRealm } from "../pipeline.ts";
import type { Schema } from "../schema/place.ts";
import { selfContained } from "../schema/self-contained.ts";
import { canonicalJson } from "../source/meaning.ts";
import { type Narrowing, narrowings } from "./narrowed.ts";

export interface Unmigrated {
  readonly diagnostics: readonly Diagnostic[];
  /** The schemas that their documents had, by the paths of theirs. */
  readonly schemas: Files;
}

/** Of realms, by what was built before. */
export function unmigrated(
  previous: RecordedConfiguration | undefined,
  realms: readonly AnalysedRealm[],
): Unmigrated {
  if (previous === undefined) return { diagnostics: [], schemas: {} };
  const isUnchanged = unchangedSince(previous);
  const found = realms
    .flatMap(({ realm }) => realm.databases.flatMap(({ collections }) => collections))
    .flatMap((collection) =>
      whileReading(collection.schema.path, () => {
        const isMigrated = newestOf(collection) > newestIn(previous, collection);
        if (isMigrated || collection.schema.faults !== undefined || isUnchanged(collection)) return [];
        const before = schemaBefore(previous, collection);
        const reasons = before === undefined ? [] : narrowings(alone(before, collection), collection.schema);
        return before === undefined || reasons.length === 0 ? [] : [{ collection, before, reasons }];
      }),
    );
  return {
    diagnostics: found.map(({ collection, reasons }) => missing(collection, reasons)),
    schemas: Object.fromEntries(
      found.map(({ collection, before }) => [schemaPath(collection), before] as const),
    ),
  };
}

/**
 * The schema that documents of a collection had when all of them were last known to fit, without the files around it;
 * undefined where it is new.
 */
export function schemaBefore(
  { realms, unmigrated: kept = {} }: RecordedConfiguration,
  collection: Pick<Collection, "realm" | "database" | "name">,
): JsonObject | undefined {
  const path = schemaPath(collection);
  const own = realms[collection.realm] ?? {};
  const document = own[path];
  if (kept[path] !== undefined || document === undefined) return kept[path];
  const files = Object.entries(own).map(([path, document]) => ({ path, document }));
  return selfContained({ path, pointer: "", document, files });
}

/** Tells whether nothing changed in the files that a collection's schema is made of. Each file is looked at once. */
function unchangedSince({
  realms,
  unmigrated: kept = {},
}: RecordedConfiguration): (collection: Collection) => boolean {
  const known = new Map<string, boolean>();
  return ({ realm, schema }) =>
    kept[schema.path] === undefined &&
    schema.files.every(({ path, document }) =>
      keptValue(known, path, () => canonicalJson(realms[realm]?.[path]) === canonicalJson(document)),
    );
}

function alone(document: JsonObject, collection: Collection): Schema {
  const path = schemaPath(collection);
  return { path, pointer: "", document, files: [{ path, document }] };
}

function schemaPath({ realm, database, name }: Pick<Collection, "realm" | "database" | "name">): string {
  return `${realm}/${database}/${name}/schema.json`;
}

function newestOf({ migrations = [] }: Collection): string {
  return migrations.at(-1)?.number ?? "0000";
}

/** Of migrations in TypeScript what documents were before is recorded, which each has. */
function newestIn({ realms }: RecordedConfiguration, collection: Collection): string {
  return newestAmong(Object.keys(realms[collection.realm] ?? {}), collection);
}

/** The number of a collection's newest migration by the paths of a configuration's files; `0000` where there is none. */
export function newestAmong(
  paths: readonly string[],
  { realm, database, name }: Pick<Collection, "realm" | "database" | "name">,
): string {
  const folder = `${realm}/${database}/${name}/_migrations/`;
  const numbers = paths.flatMap((path) =>
    path.startsWith(folder) ? [path.slice(folder.length, folder.length + "0000".length)] : [],
  );
  return numbers.sort().at(-1) ?? "0000";
}

/** How many reasons a message names. */
const MOST = 3;

function missing(collection: Collection, reasons: readonly Narrowing[]): Diagnostic {
  const { realm, database, name } = collection;
  const named = reasons
    .slice(0, MOST)
    .map(({ field, message }) => (field === "" ? message : `${field}: ${message}`));
  const others = reasons.length - named.length;
  const words = [...named, ...(others > 0 ? [`${others} more`] : [])].join("; ");
  return diagnose(
    "migration-missing",
    placeOf(collection, reasons),
    { collection: `${database}/${name}`, reasons: words },
    { hint: `realmc migration new ${realm}/${database}/${name} <name>` },
  );
}

/** Of the first field that is declared. */
function placeOf({ fields, span }: Collection, reasons: readonly Narrowing[]): Span {
  const paths = reasons.map(({ field }) => field.replaceAll("[]", ""));
  return fields.find(({ path }) => paths.includes(path))?.span ?? span;
}
