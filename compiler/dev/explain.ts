/** What a change led to, in words. */
import type { Realm, RealmFunction } from "../model/model.ts";
import type { BuiltRealm } from "./compile.ts";
import type { Change } from "./inputs.ts";

export interface Explanation {
  /** `support/tickets: collection.yaml → rules.ts`, one for each collection, function and realm with other output. */
  readonly effects: readonly string[];
  /** Names of realms whose output is another one, sorted. */
  readonly changed: readonly string[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Files that the compiler read and that changed without another output, sorted. */
  readonly without: readonly string[];
}

export function explain(
  before: ReadonlyMap<string, BuiltRealm>,
  after: ReadonlyMap<string, BuiltRealm>,
  changes: readonly Change[],
): Explanation {
  const effects: string[] = [];
  const changed: string[] = [];
  const without: string[] = [];
  for (const [name, realm] of after) {
    const old = before.get(name);
    if (old === undefined || old === realm) continue;
    const found = realmEffects(old, realm, pathsOf(name, changes));
    if (found.length > 0) changed.push(name);
    else without.push(...pathsOf(name, changes).filter((path) => inputsOf(old, realm).has(path)));
    effects.push(...found);
  }
  return {
    effects,
    changed,
    added: [...after.keys()].filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    without,
  };
}

/** Changed files of a realm. */
function pathsOf(realm: string, changes: readonly Change[]): string[] {
  return changes
    .map(({ path }) => path)
    .filter((path) => path.startsWith(`${realm}/`) && !path.endsWith("/"));
}

function inputsOf(...realms: readonly BuiltRealm[]): ReadonlySet<string> {
  return new Set(realms.flatMap(({ model }) => model.inputs.map(({ path }) => path)));
}

function realmEffects(before: BuiltRealm, after: BuiltRealm, paths: readonly string[]): string[] {
  const { name } = after.model;
  const outputs = differing(outputsOf(before), outputsOf(after));
  const [old, now] = [sourcesOf(before.model), sourcesOf(after.model)];
  const parts = [...new Set([...old.keys(), ...now.keys()])].sort();
  const lines = parts.flatMap((part) => {
    const folder = `${name}/${part}/`;
    if (!old.has(part)) return [`${part} added`];
    if (!now.has(part)) return [`${part} removed`];
    const files = outputs.filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length));
    if (files.length === 0) return [];
    const sources = new Set([...(old.get(part) ?? []), ...(now.get(part) ?? [])]);
    const own = paths.filter((path) => sources.has(path) || path.startsWith(folder));
    const causes = (own.length > 0 ? own : paths).map((path) =>
      path.startsWith(folder) ? path.slice(folder.length) : path.slice(name.length + 1),
    );
    return [`${part}: ${listed(causes)} → ${listed(files)}`];
  });
  const common = outputs
    .filter((path) => !parts.some((part) => path.startsWith(`${name}/${part}/`)))
    .map((path) => path.slice(name.length + 1));
  if (common.length === 0) return lines;
  const causes = paths.includes(`${name}/realm.yaml`) ? "realm.yaml → " : "";
  return [...lines, `${name}: ${causes}${listed(common)}`];
}

/** Files that each collection and each function is made from, by its folder below the realm's. */
function sourcesOf({ databases, functions }: Realm): ReadonlyMap<string, readonly string[]> {
  const collections = databases.flatMap((database) => database.collections);
  return new Map([
    ...collections.map(({ database, name, sources }) => [`${database}/${name}`, sources] as const),
    ...functions.map((fn) => {
      const files = fn.handler?.files ?? [];
      return [folderOf(fn), [...fn.sources, ...files.map(({ path }) => path)]] as const;
    }),
  ]);
}

/** What tells each file of the output from another there, and each handler's module, as if it lay with them. */
function outputsOf({ model, emitted }: BuiltRealm): Readonly<Record<string, string>> {
  const modules = model.functions.map((fn) => {
    const text = JSON.stringify(fn.handler) ?? "";
    return [`${model.name}/${folderOf(fn)}/${fn.name}.cjs`, text] as const;
  });
  return { ...emitted.manifest.outputs, ...Object.fromEntries(modules) };
}

function folderOf({ database, name }: RealmFunction): string {
  return `${database}/_func/${name}`;
}

function differing(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] {
  const paths = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...paths].filter((path) => before[path] !== after[path]).sort();
}

/** So many names as one takes in at a glance. */
function listed(names: readonly string[]): string {
  const shown = 6;
  const more = names.length - shown;
  return more > 1 ? `${names.slice(0, shown).join(", ")} and ${more} more` : names.join(", ");
}
