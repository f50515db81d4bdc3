/** What may be done in a collection, each with all that must hold for it to be done: not one rule alone, but what happens. */
import type { Collection, Realm, RuleName } from "../model/model.ts";
import type { CompiledRule, CompiledRules, RulePlace } from "../rules/compiled.ts";
import type { Condition, Membership, Root, Value } from "../rules/form/form.ts";
import { constant } from "../rules/form/simplify.ts";
import { instantType, textType } from "../rules/form/types.ts";

/** One thing that may be done: a column of the matrix. */
export interface Access {
  /** `read`, `fields.salary.write`. */
  readonly column: string;
  /** How it may be done, one or the other: a field is set in creates and in updates. */
  readonly ways: readonly Way[];
}

export interface Way {
  /** What is done to the document. */
  readonly act: Act;
  /** All that must hold. */
  readonly condition: Condition;
  /** The rules that it is made of. */
  readonly rules: readonly PlacedRule[];
}

/** `create`: there is no document yet. `live`: to one that is not deleted. `trash`: to one that is, or may be. */
export type Act = "create" | "update" | "live" | "trash";

export interface PlacedRule {
  readonly place: RulePlace;
  readonly rule: CompiledRule | undefined;
}

export interface Ruled {
  readonly realm: Realm;
  readonly collection: Collection;
  readonly compiled: CompiledRules;
}

/** Of a realm without authentication all of it is unconditional. */
export function accessesOf(ruled: Ruled): readonly Access[] {
  const { realm, collection, compiled } = ruled;
  const ofOperations: readonly Access[] = operationsOf(collection).map((name) => ({
    column: name,
    ways: [wayOf(ruled, name)],
  }));
  if (!realm.auth) return ofOperations;
  const ofFields = compiled.fieldRules.flatMap(({ path, read, write }): readonly Access[] => [
    ...(read === undefined ? [] : [{ column: `fields.${path}.read`, ways: [fieldRead(ruled, path)] }]),
    ...(write === undefined ? [] : [{ column: `fields.${path}.write`, ways: fieldWrites(ruled, path) }]),
  ]);
  return [...ofOperations, ...ofFields];
}

/** Documents are restored, and removed from the trash, where there is one. */
export function operationsOf({ softDelete }: Collection): readonly RuleName[] {
  const always: readonly RuleName[] = ["create", "read", "update", "delete"];
  return softDelete === undefined ? always : [...always, "restore", "purge"];
}

const here = { start: 0, end: 0 };

function wayOf(ruled: Ruled, name: RuleName): Way {
  const act = name === "create" || name === "update" ? name : inTrash.includes(name) ? "trash" : "live";
  switch (name) {
    case "create":
      return way(ruled, act, ["create"], placesOfCreates(ruled.collection));
    case "read":
      return way(ruled, act, ["read"]);
    case "purge":
      return purging(ruled);
    default:
      // What may not be read is answered as if it were not there.
      return way(ruled, act, ["read", name]);
  }
}

const inTrash: readonly RuleName[] = ["restore", "purge"];

/** Of live documents, too; of deleted ones those that may be seen in the trash. */
function purging(ruled: Ruled): Way {
  const restore = ruleAt(ruled.compiled, "restore");
  const isLive: Condition = { kind: "absent", of: deletedAt, at: here };
  const found = way(ruled, "trash", ["read", "purge"], [or(isLive, conditionOf("restore", restore))]);
  return { ...found, rules: [...found.rules, { place: "restore", rule: restore }] };
}

export function fieldRead(ruled: Ruled, path: string): Way {
  return way(ruled, "live", ["read", ...around(ruled, path, "read")]);
}

export function fieldWrites(ruled: Ruled, path: string): readonly Way[] {
  const own = around(ruled, path, "write");
  return [
    way(ruled, "create", ["create", ...own], placesOfCreates(ruled.collection)),
    way(ruled, "update", ["read", "update", ...own]),
  ];
}

/** The rules of a field, and of the objects around it, which go for all that is in them. */
function around({ compiled }: Ruled, path: string, of: "read" | "write"): readonly RulePlace[] {
  return compiled.fieldRules.flatMap((each): readonly RulePlace[] =>
    each[of] !== undefined && (each.path === path || path.startsWith(`${each.path}.`))
      ? [{ field: each.path, of }]
      : [],
  );
}

function way(
  { realm, compiled }: Ruled,
  act: Act,
  places: readonly RulePlace[],
  further: readonly Condition[] = [],
): Way {
  if (!realm.auth) return { act, condition: constant(true, here), rules: [] };
  const rules = places.map((place) => ({ place, rule: ruleAt(compiled, place) }));
  const of = [...rules.map(({ place, rule }) => conditionOf(place, rule)), ...further];
  return { act, condition: { kind: "and", of, at: here }, rules };
}

export function ruleAt({ rules, fieldRules }: CompiledRules, place: RulePlace): CompiledRule | undefined {
  if (typeof place === "string") return rules[place];
  return fieldRules.find(({ path }) => path === place.field)?.[place.of];
}

/** An operation without a rule is refused, a field without one is free. */
function conditionOf(place: RulePlace, rule: CompiledRule | undefined): Condition {
  return rule?.form.condition ?? constant(typeof place !== "string", here);
}

/** What the server asks of creates beside the rule: an organization and a team of the caller's, an id that is theirs. */
function placesOfCreates({ organization, customId }: Collection): readonly Condition[] {
  const own: readonly Condition[] =
    customId?.is === "user"
      ? [{ kind: "equal", left: readOf("data", "id"), right: readOf("user", "id"), at: here }]
      : [];
  if (organization === undefined) return own;
  const [org, team] = [orgOf("data"), teamOf("data")];
  const [noOrg, noTeam] = [absent(org), absent(team)];
  const [inOrg, inTeam] = [memberOf("inOrg", org), memberOf("inTeam", team)];
  const ofOrgs = organization.required ? inOrg : or(noOrg, inOrg);
  if (organization.teams === undefined) return [...own, ofOrgs];
  const withoutTeam = organization.teams === "required" ? and(noOrg, noTeam) : noTeam;
  return [...own, ofOrgs, or(withoutTeam, and(inOrg, inTeam))];
}

export function orgOf(root: Root): Value {
  return readOf(root, "_meta", "org");
}

export function teamOf(root: Root): Value {
  return readOf(root, "_meta", "team");
}

/** A text that rules may read. */
export function readOf(root: Root, ...path: readonly string[]): Value {
  return { kind: "read", root, path, type: textType, at: here };
}

const deletedAt: Value = {
  kind: "read",
  root: "document",
  path: ["_meta", "deleted_at"],
  type: instantType,
  at: here,
};

export function absent(of: Value): Condition {
  return { kind: "absent", of, at: here };
}

export function memberOf(helper: Membership["helper"], id: Value): Condition {
  return { kind: "membership", helper, id, roles: [], at: here };
}

export function and(...of: readonly Condition[]): Condition {
  return { kind: "and", of, at: here };
}

export function or(...of: readonly Condition[]): Condition {
  return { kind: "or", of, at: here };
}

export function not(of: Condition): Condition {
  return { kind: "not", of, at: here };
}
