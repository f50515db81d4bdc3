/** Two versions of the rules of a collection. */
import { isJsonObject } from "../../../runtime/json.ts";
import { type Place, placeOf } from "../../emit/openapi/schemas/place.ts";
import type { Realm, RuleName } from "../../model/model.ts";
import type { CompiledRule, CompiledRules, RulesStage } from "../../rules/compiled.ts";
import { constant } from "../../rules/simplify.ts";
import type { Report } from "../catalogue.ts";
import { collectionPlace, type Version } from "../collection.ts";
import { facetsOf } from "../schema/facets.ts";
import type { Circumstances } from "./candidates.ts";
import { changeInWords, type Ruled, ruledBy } from "./clauses.ts";
import { relationOf } from "./relation.ts";
import { findWitness } from "./search.ts";
import { type Act, witnessInWords } from "./witness.ts";

type Known = Omit<Circumstances, "replaced">;

/** A collection with its rules as they are compiled. */
export interface RuledVersion extends Version {
  readonly compiled: CompiledRules;
}

export function compareRules(old: RuledVersion, now: RuledVersion, report: Report): void {
  const place = collectionPlace(now.collection);
  const circumstances: Known = {
    appConfig: [old.realm.appConfig, now.realm.appConfig],
    required: common(requiredPaths(old), requiredPaths(now)),
  };
  for (const [name, act] of acts) {
    const [before, after] = [old.compiled.rules[name], now.compiled.rules[name]];
    compareRule(before, after, denied, act, `${place} rules.${name}`, circumstances, report);
  }
  const paths = [old, now].flatMap(({ compiled }) => compiled.fieldRules.map(({ path }) => path));
  for (const path of [...new Set(paths)].sort()) {
    const [before, after] = [old, now].map(({ compiled }) =>
      compiled.fieldRules.find((rule) => rule.path === path),
    );
    for (const [key, verb] of [
      ["read", `see the field ${path} of`],
      ["write", `set the field ${path} of`],
    ] as const) {
      const act: Act = { verb, writes: key === "write", stored: true };
      const where = `${place} fields.${path}.${key}`;
      const here: Known = key === "write" ? { ...circumstances, creating: true } : circumstances;
      compareRule(before?.[key], after?.[key], allowed, act, where, here, report);
    }
  }
}

const acts: readonly (readonly [RuleName, Act])[] = [
  ["read", { verb: "read", writes: false, stored: true }],
  ["create", { verb: "create", writes: true, stored: false }],
  ["update", { verb: "update", writes: true, stored: true }],
  ["delete", { verb: "delete", writes: false, stored: true }],
  ["restore", { verb: "see and restore", writes: false, stored: true }],
  ["purge", { verb: "purge", writes: false, stored: true }],
];

/** Who creates organizations. */
export function compareOrganizationRules(
  old: { readonly realm: Realm; readonly rules: RulesStage },
  now: { readonly realm: Realm; readonly rules: RulesStage },
  report: Report,
): void {
  const [before, after] = [old.rules.createOrganization, now.rules.createOrganization];
  const circumstances = {
    appConfig: [old.realm.appConfig, now.realm.appConfig],
    required: new Set<string>(),
  };
  const act: Act = { verb: "create an organization", writes: false, stored: false };
  compareRule(before, after, denied, act, "organizations.create", circumstances, report);
}

const nowhere = { start: 0, end: 0 };
/** What stands for an operation's rule that is not given, and for a field's. */
const denied: Ruled = { text: "false", condition: constant(false, nowhere) };
const allowed: Ruled = { text: "true", condition: constant(true, nowhere) };

function compareRule(
  before: CompiledRule | undefined,
  after: CompiledRule | undefined,
  fallback: Ruled,
  act: Act,
  where: string,
  circumstances: Known,
  report: Report,
): void {
  const [old, now] = [before, after].map((rule) => (rule === undefined ? fallback : ruledBy(rule)));
  if (old === undefined || now === undefined || old === now) return;
  const { forward, backward } = relationOf(old.condition, now.condition);
  if (forward && backward) {
    if (oneLine(old.text) !== oneLine(now.text)) report("rule-rewritten", where, {});
    return;
  }
  const words = changeInWords(old, now);
  const readsClock = [before, after].some((rule) => rule?.facts.readsClock === true);
  const lost = forward ? undefined : findWitness(old.condition, now.condition, circumstances);
  const gained = backward ? undefined : findWitness(now.condition, old.condition, circumstances);
  const losing = lost && witnessInWords(lost, "may no longer", act, readsClock);
  const gaining = gained && witnessInWords(gained, "may now", act, readsClock);
  if (losing && gaining) report("rule-moved", where, { words, lost: losing, gained: gaining });
  else if (losing) report("rule-narrowed", where, { words, witness: losing });
  else if (gaining) report(forward ? "rule-widened" : "rule-unproven", where, { words, witness: gaining });
  else report(forward ? "rule-implied" : "rule-undecided", where, { words });
}

function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, " ");
}

/** Levels of objects in which required members are looked for. */
const MAX_DEPTH = 4;

/** Dotted paths of the fields that every valid document has. */
function requiredPaths({ collection }: Version): ReadonlySet<string> {
  const paths = new Set<string>();
  collect([placeOf(collection.schema)], "", 0);
  return paths;

  function collect(places: readonly Place[], prefix: string, depth: number): void {
    const { members, required } = facetsOf(places);
    for (const name of required) {
      const path = `${prefix}${name}`;
      const inner = members.get(name) ?? [];
      const { types } = facetsOf(inner);
      if (types.has("null")) continue;
      paths.add(path);
      if (depth < MAX_DEPTH && types.size === 1 && inner.some(({ value }) => isJsonObject(value)))
        collect(inner, `${path}.`, depth + 1);
    }
  }
}

function common(one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  return new Set([...one].filter((path) => other.has(path)));
}
