/** Two versions of a realm's functions. */
import { posix } from "node:path";
import type { InputFile, Realm, RealmFunction } from "../model/model.ts";
import type { AnalysedRealm } from "../pipeline.ts";
import type { Note } from "../settings/change.ts";
import { functionSettings } from "../settings/function.ts";
import type { Report } from "./catalogue.ts";
import { compareInvoke, compareWhens, type RuledFunction } from "./rules/functions.ts";
import { compareExchanged } from "./schema/exchanged.ts";

export function compareFunctions(old: AnalysedRealm, now: AnalysedRealm, report: Report, note: Note): void {
  const [before, after] = [functionsOf(old), functionsOf(now)];
  for (const place of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    const [first, second] = [before.get(place), after.get(place)];
    if (first === undefined || second === undefined)
      report(second === undefined ? "function-removed" : "function-added", place, {});
    else compareFunction(first, second, place, report, note);
  }
  compareCode(old.realm, now.realm, new Set([...before.keys(), ...after.keys()]), report);
}

/** By the folder of each below that of its realm. */
function functionsOf({ realm, rules }: AnalysedRealm): ReadonlyMap<string, RuledFunction> {
  return new Map(
    realm.functions.map((fn) => {
      const compiled = rules.functions.get(`${fn.database}/${fn.name}`) ?? { whens: [] };
      return [functionPlace(fn), { realm, fn, compiled }];
    }),
  );
}

function functionPlace({ database, name }: RealmFunction): string {
  return `${database}/_func/${name}`;
}

function compareFunction(
  old: RuledFunction,
  now: RuledFunction,
  place: string,
  report: Report,
  note: Note,
): void {
  for (const { compare } of functionSettings) compare(old.fn, now.fn, place, note);
  // One that is called otherwise is another function to who calls it.
  if (old.fn.mode !== now.fn.mode) return;
  if (now.fn.mode === "call") {
    compareExchanged("input", [old.fn.input?.schema, now.fn.input?.schema], place, report);
    compareExchanged("output", [old.fn.output, now.fn.output], place, report);
  }
  if (now.fn.mode === "event") compareWhens(old, now, place, report);
  // Without authentication there are no rules, and what that means is said once.
  else if (old.realm.auth && now.realm.auth) compareInvoke(old, now, place, report);
}

/** Code as text: of what came or went with its function that is said already. */
function compareCode(old: Realm, now: Realm, places: ReadonlySet<string>, report: Report): void {
  const [before, after] = [codeOf(old), codeOf(now)];
  const changed = new Map<string, string[]>();
  for (const path of [...new Set([...before.keys(), ...after.keys()])].sort()) {
    if (before.get(path) === after.get(path)) continue;
    const [database = "", room = "", name = ""] = path.split("/");
    const place = `${database}/${room}/${name}`;
    const owner = places.has(place) ? place : "code";
    changed.set(owner, [...(changed.get(owner) ?? []), path]);
  }
  const isIn = (realm: Realm, place: string) => realm.functions.some((fn) => functionPlace(fn) === place);
  for (const [owner, paths] of changed) {
    if (owner === "code") report("shared-code-changed", owner, { files: paths.join(", ") });
    else if (isIn(old, owner) && isIn(now, owner)) {
      const files = paths.map((path) => posix.relative(owner, path)).join(", ");
      report("handler-changed", owner, { files });
    }
  }
}

/** By paths in the realm's folder. */
function codeOf({ name, inputs }: Realm): ReadonlyMap<string, string> {
  return new Map(inputs.filter(isCode).map(({ path, meaning }) => [posix.relative(name, path), meaning]));
}

function isCode({ value }: InputFile): boolean {
  return value === undefined;
}
