/** What first tests of a collection have to show: of every clause of its rules somebody for whom it makes the difference. */
import { type Act, accessesOf, and, not, type Ruled } from "../../matrix/accesses.ts";
import { leftForAll } from "../../matrix/known.ts";
import { type RuleSource, ruleNames } from "../../model/model.ts";
import { type Room, roomOf, storedAndWritten } from "../../proofs/room.ts";
import { findWitness, type Witness } from "../../proofs/search.ts";
import type { CompiledRule, CompiledRules, RulePlace } from "../../rules/compiled.ts";
import { type Condition, type Leaf, mapLeaves } from "../../rules/form/form.ts";
import { constant } from "../../rules/form/simplify.ts";
import { clausesIn } from "../../rules/form/trace.ts";

/** A rule of a collection, and a way to do what it decides about. */
export interface DecidingRule {
  readonly place: RulePlace;
  readonly source: RuleSource;
  readonly rule: CompiledRule;
  readonly act: Act;
  /** Whether it is done, all other rules that are asked counted: where a condition stands in place of the rule. */
  readonly happens: (condition: Condition) => Condition;
}

/** An outcome of a clause, and what becomes of the request. */
export interface Side {
  readonly clause: Condition;
  readonly holds: boolean;
  readonly allowed: boolean;
}

/** Each rule once for each way; fields are set in updates first, then in creates. */
export function decidingRules(ruled: Ruled): readonly DecidingRule[] {
  const { collection, compiled } = ruled;
  return accessesOf(ruled).flatMap(({ column, ways }): readonly DecidingRule[] => {
    const place = placeOf(column);
    const found = ruleOf(ruled, place);
    if (found === undefined) return [];
    return ways
      .map(({ act }, at): DecidingRule => {
        const happens = (condition: Condition): Condition => {
          const changed = { ...ruled, compiled: replaced(compiled, place, condition) };
          const way = accessesOf(changed).find((each) => each.column === column)?.ways[at];
          return way?.condition ?? constant(false, condition.at);
        };
        return { place, ...found, act, happens };
      })
      .toReversed();
  });

  function ruleOf({ compiled: all }: Ruled, place: RulePlace) {
    const isOperation = typeof place === "string";
    const own = isOperation ? undefined : collection.fieldRules.find(({ path }) => path === place.field);
    const source = isOperation ? collection.rules[place] : own?.[place.of];
    const rule = isOperation
      ? all.rules[place]
      : all.fieldRules.find(({ path }) => path === place.field)?.[place.of];
    return source === undefined || rule === undefined ? undefined : { source, rule };
  }
}

/** The place of a column of the matrix: `read`, `fields.salary.write`. */
function placeOf(column: string): RulePlace {
  const [, field, of] = /^fields\.(.*)\.(read|write)$/.exec(column) ?? [];
  if (field !== undefined && (of === "read" || of === "write")) return { field, of };
  const operation = ruleNames.find((name) => name === column);
  if (operation === undefined) throw new Error(`no rule is about ${column}`);
  return operation;
}

function replaced(compiled: CompiledRules, place: RulePlace, condition: Condition): CompiledRules {
  const changed = (rule: CompiledRule): CompiledRule => ({ ...rule, form: { ...rule.form, condition } });
  if (typeof place === "string") {
    const rule = compiled.rules[place];
    return rule === undefined
      ? compiled
      : { ...compiled, rules: { ...compiled.rules, [place]: changed(rule) } };
  }
  const fieldRules = compiled.fieldRules.map((each) => {
    const rule = each[place.of];
    return each.path === place.field && rule !== undefined ? { ...each, [place.of]: changed(rule) } : each;
  });
  return { ...compiled, fieldRules };
}

/** The clauses that may be true and false, in the order of the text. */
export function clausesOf({ rule }: DecidingRule): readonly Condition[] {
  return clausesIn(rule.written).filter(({ kind }) => kind !== "constant");
}

/** An outcome of a clause as it is to be shown. */
export interface Attempt extends Side {
  /**
   * `pivot`: all depends on the clause. `asked`: the rule is asked, and decides. `any`: it may be that another rule refuses before,
   * as with a document that may not be read.
   */
  readonly by: "pivot" | "asked" | "any";
}

/** How to show an outcome of a clause: the more it says, the earlier. */
export function attemptsAt(clause: Condition, holds: boolean): readonly Attempt[] {
  const each = (by: Attempt["by"], ...outcomes: readonly boolean[]) =>
    outcomes.map((allowed) => ({ clause, holds, allowed, by }));
  return [...each("pivot", holds, !holds), ...each("asked", holds, !holds), ...each("any", false)];
}

/** The search of somebody by whom an outcome of a clause is seen. */
export class WitnessSearch {
  readonly #room: Room;
  readonly #ruled: Ruled;

  constructor(ruled: Ruled) {
    const room = roomOf(ruled.collection);
    this.#room = storedAndWritten(room, room);
    this.#ruled = ruled;
  }

  find(deciding: DecidingRule, { clause, holds, allowed, by }: Attempt): Witness | undefined {
    const { rule, happens, act } = deciding;
    const whole = happens(rule.written);
    const otherwise = happens(withClause(rule.written, clause, !holds));
    const nothing = constant(false, clause.at);
    const here = holds ? clause : not(clause);
    const asked =
      by === "any" ? not(nothing) : by === "pivot" ? otherwise : happens(constant(true, clause.at));
    const [wanted, unwanted] = allowed
      ? [and(here, whole), by === "pivot" ? otherwise : nothing]
      : [and(here, asked), whole];
    return this.#witness(leftForAll(wanted, act), leftForAll(unwanted, act));
  }

  #witness(wanted: Condition, unwanted: Condition): Witness | undefined {
    const { appConfig } = this.#ruled.realm;
    return findWitness(wanted, unwanted, { appConfig: [appConfig], room: this.#room });
  }
}

/** The rule with a constant in place of one clause. */
export function withClause(written: Condition, clause: Condition, holds: boolean): Condition {
  const isIt = (leaf: Leaf): boolean => leaf.at === clause.at && leaf.kind === clause.kind;
  return mapLeaves(written, (leaf) => (isIt(leaf) ? constant(holds, leaf.at) : leaf));
}
