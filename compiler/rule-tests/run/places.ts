/** The rules of a realm by the names that runs tell them by, each with its form and where it stands. */

import type { RuleSource } from "../../model/model.ts";
import type { AnalysedRealm } from "../../pipeline.ts";
import type { CompiledRule } from "../../rules/compiled.ts";
import { nameOf } from "../reading.ts";

/** `support/tickets rules.read`, `support/tickets fields.salary.write`, `support/close invoke`, `organizations.create`. */
export type RuleKey = string;

export interface PlacedRule {
  readonly key: RuleKey;
  /** `rules.read`: where it stands in its file. */
  readonly place: string;
  readonly source: RuleSource;
  readonly compiled: CompiledRule;
}

export const organizationsCreate: RuleKey = "organizations.create";

/** In the order of collections and functions. */
export function placedRules({ realm, rules }: AnalysedRealm): ReadonlyMap<RuleKey, PlacedRule> {
  const found = new Map<RuleKey, PlacedRule>();
  const add = (
    owner: string,
    place: string,
    source: RuleSource | undefined,
    compiled: CompiledRule | undefined,
  ) => {
    const key = owner === "" ? place : `${owner} ${place}`;
    if (source !== undefined && compiled !== undefined) found.set(key, { key, place, source, compiled });
  };
  add("", organizationsCreate, realm.organizations?.create, rules.createOrganization);
  for (const collection of realm.databases.flatMap(({ collections }) => collections)) {
    const name = nameOf(collection);
    const compiled = rules.collections.get(name);
    for (const operation of operations)
      add(name, `rules.${operation}`, collection.rules[operation], compiled?.rules[operation]);
    for (const { path, read, write } of collection.fieldRules) {
      const own = compiled?.fieldRules.find((each) => each.path === path);
      add(name, `fields.${path}.read`, read, own?.read);
      add(name, `fields.${path}.write`, write, own?.write);
    }
  }
  for (const fn of realm.functions)
    add(nameOf(fn), "invoke", fn.invoke, rules.functions.get(nameOf(fn))?.invoke);
  return found;
}

const operations = ["read", "create", "update", "delete", "restore", "purge"] as const;
