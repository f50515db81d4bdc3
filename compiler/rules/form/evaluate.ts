/**
 * The rule form evaluated as it stands, by the same helpers that emitted code calls. What is read may be unknown yet:
 * then the outcome is too, unless it does not depend on it.
 */
import type { JsonObject } from "../../../runtime/json.ts";
import type { RuleContext } from "../../../runtime/realm/rule.ts";
import {
  absent,
  beginnings,
  endings,
  hasRole,
  isStored,
  length,
  member,
  nonEmpty,
  orgClaims,
  same,
} from "../../../runtime/rules/index.ts";
import { membershipHelpers } from "../helpers/memberships.ts";
import { momentHelpers } from "../helpers/moments.ts";
import { comparisonHelper, comparisons, readerHelper, readers } from "../helpers/operators.ts";
import {
  type Claim,
  type Condition,
  type Leaf,
  type Membership,
  operands,
  type Read,
  type Root,
  type Value,
} from "./form.ts";

/** A caller and what they want to do. */
export interface World {
  readonly context: RuleContext;
  /** Undefined on create. */
  readonly document: JsonObject | undefined;
  /** In rules of triggers. */
  readonly previous?: JsonObject;
  /** Undefined where nothing is written. */
  readonly data: JsonObject | undefined;
}

/** Something that a rule asks of a world: a value that it reads, the caller's memberships, or a claim of all of them. */
export interface Asked {
  readonly root: Root | "memberships" | "claims";
  readonly path: readonly string[];
}

export function holds(condition: Condition, world: World): boolean {
  return truth(condition, world, () => true) === true;
}

/**
 * Whether a rule holds, as far as that can be told from what is known of a world; undefined where it cannot.
 * `isKnown` is asked of everything that the rule asks of the world, in the order of evaluation.
 */
export function truth(
  condition: Condition,
  world: World,
  isKnown: (asked: Asked) => boolean,
): boolean | undefined {
  return evaluation(world, isKnown).conditionOf(condition);
}

/** What a value is in a world of which everything is known; undefined where it is absent. */
export function valueIn(value: Value, world: World): unknown {
  return evaluation(world, () => true).evaluated(value);
}

function evaluation(world: World, isKnown: (asked: Asked) => boolean) {
  return { conditionOf, evaluated };

  function conditionOf(part: Condition): boolean | undefined {
    switch (part.kind) {
      case "constant":
        return part.holds;
      case "and":
        return combined(part.of, false);
      case "or":
        return combined(part.of, true);
      case "not":
        return negated(conditionOf(part.of));
      case "choice": {
        const when = conditionOf(part.when);
        if (when !== undefined) return conditionOf(when ? part.yes : part.no);
        const [yes, no] = [conditionOf(part.yes), conditionOf(part.no)];
        return yes === no ? yes : undefined;
      }
      default:
        return leafOf(part);
    }
  }

  /** `decides`: the outcome of one term that is that of all. */
  function combined(terms: readonly Condition[], decides: boolean): boolean | undefined {
    let outcome: boolean | undefined = !decides;
    for (const term of terms) {
      const own = conditionOf(term);
      if (own === decides) return decides;
      if (own === undefined) outcome = undefined;
    }
    return outcome;
  }

  function leafOf(leaf: Leaf): boolean | undefined {
    if (leaf.kind === "hasRole") return rolesOf(leaf.roles);
    if (leaf.kind === "membership") return membershipOf(leaf);
    const values = operands(leaf).map(evaluated);
    // A comparison with an absent side is false, whatever the other is.
    if (values.length === 2 && values.some(absent)) return false;
    if (values.includes(unknown)) return undefined;
    const [a, b] = values;
    switch (leaf.kind) {
      case "truth":
        return same(a, true);
      case "absent":
        return isRoot(leaf.of) ? !isStored(a) : absent(a);
      case "nonEmpty":
        return nonEmpty(a);
      default:
        return comparisons[comparisonHelper(leaf)](a, b);
    }
  }

  function rolesOf(roles: readonly Value[]): boolean | undefined {
    const values = roles.map(evaluated);
    const held = evaluated(heldRoles);
    if (held === unknown) return undefined;
    const { user } = world.context;
    if (hasRole(user, ...values.filter((value) => value !== unknown))) return true;
    return values.includes(unknown) && user !== undefined ? undefined : false;
  }

  function membershipOf({ helper, id, roles }: Membership): boolean | undefined {
    const place = evaluated(id);
    if (absent(place)) return false;
    const values = roles.map(evaluated);
    if (place === unknown || !isKnown(memberships)) return undefined;
    const certain = values.filter((value) => value !== unknown);
    if (membershipHelpers[helper].holds(world.context.memberships, place, ...certain)) return true;
    return values.includes(unknown) ? undefined : false;
  }

  function claimOf({ org, path, type }: Claim): unknown {
    const id = evaluated(org);
    if (absent(id)) return undefined;
    if (id === unknown || !isKnown(memberships)) return unknown;
    const claims = orgClaims(world.context.memberships, id);
    if (claims === undefined || path.length === 0) return claims;
    return isKnown({ root: "claims", path }) ? readers[readerHelper(type)](claims, ...path) : unknown;
  }

  function evaluated(value: Value): unknown {
    switch (value.kind) {
      case "null":
        return undefined;
      case "literal":
        return value.value;
      case "list":
        return value.items;
      case "now":
        return world.context.now;
      case "moment":
        return momentHelpers[value.helper](world.context.now, value.milliseconds);
      case "length":
        return known(evaluated(value.of), length);
      case "ends":
        return known(evaluated(value.of), (text) =>
          typeof text === "string" ? ends[value.op](text) : undefined,
        );
      case "condition":
        return conditionOf(value.of) ?? unknown;
      case "pick": {
        const when = conditionOf(value.when);
        return when === undefined ? unknown : evaluated(when ? value.yes : value.no);
      }
      case "claim":
        return claimOf(value);
      case "read":
        return isKnown(value) ? readOf(value) : unknown;
    }
  }

  function readOf({ root, path, type }: Read): unknown {
    const [name, ...rest] = path;
    if (root === "document" || root === "previous" || root === "data") return member(world[root], ...path);
    const { user, appConfig } = world.context;
    if (root === "appConfig") return readers[readerHelper(type)](appConfig, ...path);
    if (name === undefined) return user;
    const own = member({ ...user }, name);
    return rest.length === 0 ? own : readers[readerHelper(type)](own, ...rest);
  }
}

/** Stands for a value that is not known yet. */
const unknown: unique symbol = Symbol("unknown");

function known(value: unknown, change: (value: unknown) => unknown): unknown {
  return value === unknown ? unknown : change(value);
}

function negated(outcome: boolean | undefined): boolean | undefined {
  return outcome === undefined ? undefined : !outcome;
}

function isRoot(value: Value): boolean {
  return (
    value.kind === "read" &&
    (value.root === "document" || value.root === "previous") &&
    value.path.length === 0
  );
}

/** All that the caller is in organizations and teams, but for what these claim. */
const memberships: Asked = { root: "memberships", path: [] };
const ends = { startsWith: beginnings, endsWith: endings };

/** What `hasRole` reads. */
const heldRoles: Value & Read = {
  kind: "read",
  root: "user",
  path: ["roles"],
  type: { kinds: [], elements: ["text"] },
  at: { start: 0, end: 0 },
};
