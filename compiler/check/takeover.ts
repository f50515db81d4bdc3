/** Fields of a user's id that rules go by, and that others may set to their own. */
import { isWithin } from "../../runtime/filter/fields.ts";
import { diagnose } from "../diagnostics/catalogue.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Collection, RuleName } from "../model/model.ts";
import { relationOf } from "../proofs/relation.ts";
import type { CompiledRule, CompiledRules } from "../rules/compiled.ts";
import {
  asksMemberships,
  type Condition,
  type Leaf,
  leavesIn,
  mapLeaves,
  operands,
  type Value,
  valuesIn,
} from "../rules/form/form.ts";
import { constant, simplify } from "../rules/form/simplify.ts";
import { ruleSpan } from "../rules/language/report.ts";

/** In the order in which the rule that goes by a field is named. */
const acts: readonly RuleName[] = ["update", "delete", "read", "restore", "purge"];

export interface Takeover {
  readonly field: string;
  readonly diagnostic: Diagnostic;
}

/** One warning for each field. */
export function takeovers(collection: Collection, compiled: CompiledRules): Takeover[] {
  const { update } = compiled.rules;
  const source = collection.rules.update;
  if (update === undefined || source === undefined) return [];
  const named = acts.flatMap((rule) => {
    const own = compiled.rules[rule];
    return own === undefined ? [] : ownFields(own.form.condition).map((field) => ({ rule, own, field }));
  });
  const told = new Set<string>();
  return named.flatMap(({ rule, own, field }) => {
    if (told.has(field) || isGuarded(field, update, compiled) || !mayTake(update, own, field)) return [];
    told.add(field);
    const place = collection.rules[rule];
    const leaf = [...leavesIn(own.form.condition)].find((each) => ownField(each) === field);
    const related =
      place === undefined || leaf === undefined
        ? []
        : [{ message: `'${field}' says here whose the document is`, span: ruleSpan(place, leaf.at) }];
    return [{ field, diagnostic: diagnose("owner-takeover", source.span, { field, rule }, { related }) }];
  });
}

function ownFields(condition: Condition): readonly string[] {
  return [...new Set([...leavesIn(condition)].flatMap((leaf) => ownField(leaf) ?? []))].filter(
    (path) => path !== "id" && !path.startsWith("_meta."),
  );
}

/** The path in `document.<path> == user.id`. */
function ownField(leaf: Leaf): string | undefined {
  if (leaf.kind !== "equal") return undefined;
  const { left, right } = leaf;
  return isUserId(right) ? pathOf(left) : isUserId(left) ? pathOf(right) : undefined;
}

function isUserId(value: Value): boolean {
  return value.kind === "read" && value.root === "user" && value.path.join(".") === "id";
}

function pathOf(value: Value): string | undefined {
  return value.kind === "read" && value.root === "document" ? value.path.join(".") : undefined;
}

/** Whether the update rule looks at what is written there, or the field has a write rule. */
function isGuarded(field: string, update: CompiledRule, { fieldRules }: CompiledRules): boolean {
  const ruled = fieldRules.some(({ path, write }) => write !== undefined && isWithin(field, path));
  const reads = [...valuesIn(update.written)].some(
    (value) =>
      value.kind === "read" &&
      value.root === "data" &&
      value.path.every((segment, at) => field.split(".")[at] === segment),
  );
  return ruled || reads;
}

/** Whether somebody may update whom the field does not name, who holds nothing special, and whom it would help. */
function mayTake(update: CompiledRule, own: CompiledRule, field: string): boolean {
  const others = withoutOwner(withoutStanding(update.form.condition), field);
  if (others.kind === "constant" && !others.holds) return false;
  const isServers = (leaf: Leaf): boolean =>
    ownField(leaf) === "id" || ownField(leaf)?.startsWith("_meta.") === true;
  // They are named by the document as well: those who made it, or in the update rule also by other fields.
  const entitled = [...leavesIn(others)].filter(
    (leaf) => isServers(leaf) || (own === update && ownField(leaf) !== undefined),
  );
  const [first] = entitled;
  if (first !== undefined && follows(others, { kind: "or", of: entitled, at: first.at })) return false;
  return own === update || !follows(others, withoutOwner(own.form.condition, field));
}

function follows(given: Condition, wanted: Condition): boolean {
  return relationOf(given, wanted).forward;
}

/** For somebody without roles, organizations and teams. */
function withoutStanding(condition: Condition): Condition {
  const isStanding = (leaf: Leaf): boolean =>
    leaf.kind === "hasRole" || asksMemberships(leaf) || operands(leaf).some(readsRoles);
  return simplify(mapLeaves(condition, (leaf) => (isStanding(leaf) ? constant(false, leaf.at) : leaf)));
}

function readsRoles(value: Value): boolean {
  return value.kind === "read" && value.root === "user" && value.path[0] === "roles";
}

/** For somebody whom the field does not name. */
function withoutOwner(condition: Condition, field: string): Condition {
  return simplify(
    mapLeaves(condition, (leaf) => (ownField(leaf) === field ? constant(false, leaf.at) : leaf)),
  );
}
