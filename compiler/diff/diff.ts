/**
 * What changed between two versions of a configuration, for the clients of its API: computed from the two models and the
 * forms of their rules.
 */
import { whileReading } from "../diagnostics/internal-error.ts";
import { settingsFile } from "../model/declaring-files.ts";
import type { Collection, Realm } from "../model/model.ts";
import type { AnalysedRealm } from "../pipeline.ts";
import type { CompiledRules } from "../rules/compiled.ts";
import type { Schema } from "../schema/place.ts";
import { type Change, type Note, noting, reporter, sortedChanges } from "../settings/change.ts";
import { realmSettings } from "../settings/realm.ts";
import { checks, type Report } from "./catalogue.ts";
import { collectionPlace, compareCollections } from "./collection.ts";
import { compareFunctions } from "./functions.ts";
import { compareOrganizationRules, compareRules } from "./rules/compare.ts";
import { compareSchemas } from "./schema/compare.ts";

/** Sorted: breaking changes first, then by realm and place. */
export function diffRealms(old: readonly AnalysedRealm[], now: readonly AnalysedRealm[]): Change[] {
  const changes: Change[] = [];
  const names = [...new Set([...old, ...now].map(({ realm }) => realm.name))].sort();
  for (const name of names) {
    const note = noting(name, changes);
    const report = reporter(checks, note);
    const [before, after] = [old, now].map((sides) => sides.find(({ realm }) => realm.name === name));
    if (before === undefined || after === undefined)
      report(after === undefined ? "realm-removed" : "realm-added", "", {});
    else whileReading(`${name}/realm.yaml`, () => diffRealm(before, after, report, note));
  }
  return sortedChanges(changes);
}

function diffRealm(old: AnalysedRealm, now: AnalysedRealm, report: Report, note: Note): void {
  for (const setting of realmSettings) setting.compare(old, now, note);
  if (old.realm.auth && now.realm.auth) compareProfiles(old.realm, now.realm, report);
  // Of organizations that came or went as a whole that is said once.
  if (old.realm.organizations !== undefined && now.realm.organizations !== undefined)
    compareOrganizationRules(old, now, report);
  const [before, after] = [collectionsOf(old.realm), collectionsOf(now.realm)];
  for (const place of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const [first, second] = [before.get(place), after.get(place)];
    if (first === undefined || second === undefined) {
      report(second === undefined ? "collection-removed" : "collection-added", place, {});
      continue;
    }
    const versions = [
      { realm: old.realm, collection: first, compiled: rulesAt(old, place) },
      { realm: now.realm, collection: second, compiled: rulesAt(now, place) },
    ] as const;
    whileReading(settingsFile(second), () => {
      compareCollections(...versions, report, note);
      // Without authentication there are no rules, and what that means is said once.
      if (old.realm.auth && now.realm.auth) compareRules(...versions, report);
    });
  }
  compareFunctions(old, now, report, note);
}

function collectionsOf({ databases }: Realm): ReadonlyMap<string, Collection> {
  return new Map(
    databases.flatMap(({ collections }) => collections.map((each) => [collectionPlace(each), each] as const)),
  );
}

function rulesAt({ rules }: AnalysedRealm, place: string): CompiledRules {
  return rules.collections.get(place) ?? { rules: {}, fieldRules: [] };
}

/** Without a profile schema any object is one. */
export function compareProfiles(old: Realm, now: Realm, report: Report): void {
  if (old.profile === undefined && now.profile === undefined) return;
  const any: Schema = { path: "", pointer: "", document: { type: "object" }, files: [] };
  const [before, after] = [old, now].map(({ profile }) => profile ?? any);
  if (before !== undefined && after !== undefined) compareSchemas(before, after, "profile", report);
}
