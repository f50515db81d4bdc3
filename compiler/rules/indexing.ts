/** Which indexes a rule's filter is served by: judged as the engine judges the filters that it becomes. */
import { claimedOrgs } from "./claims.ts";
import { type At, type Condition, isKnown, type Leaf, type Value } from "./form.ts";
import { negated } from "./simplify.ts";

/** How the documents that satisfy a condition are found. */
export interface Service {
  /**
   * `caller`: the caller alone decides whether it is all of them or none. `index`: by indexes that are there. `scan`: by
   * looking at every document, until the `missing` indexes are there. `nothing`: by looking at every document, whatever
   * indexes there are.
   */
  readonly by: "caller" | "index" | "scan" | "nothing";
  readonly missing: readonly MissingIndex[];
  /** For some callers no index serves it even then: every document satisfies it, or what is left of it has none. */
  readonly idle: boolean;
  /** For some callers no document satisfies it. */
  readonly mayBeFalse: boolean;
}

export interface MissingIndex {
  /** Of the field that it begins with. */
  readonly path: string;
  /** The comparison that it would serve. */
  readonly at: At;
  /** The greater, the fewer documents the comparison is likely to find. */
  readonly selectivity: number;
}

/**
 * @param condition a lowered one
 * @param indexed paths of the fields whose values indexes find
 */
export function serviceOf(condition: Condition, indexed: ReadonlySet<string>): Service {
  if (isKnown(condition)) return service("caller", { mayBeFalse: true });
  const services = (terms: readonly Condition[]): Service[] => terms.map((term) => serviceOf(term, indexed));
  switch (condition.kind) {
    case "and":
      return conjunction(services(condition.of));
    case "or":
      return disjunction(services(condition.of));
    case "choice": {
      const { when, yes, no, at } = condition;
      return disjunction([
        conjunction(services([when, yes])),
        conjunction(services([negated(when, at), no])),
      ]);
    }
    case "constant":
    case "not":
      return service("nothing");
    default:
      return leafService(condition, indexed);
  }
}

function service(by: Service["by"], more: Partial<Service> = {}): Service {
  return { by, missing: [], idle: by === "caller" || by === "nothing", mayBeFalse: false, ...more };
}

/** One term that is served is enough, if it is for every caller. */
function conjunction(terms: readonly Service[]): Service {
  const mayBeFalse = terms.some((term) => term.mayBeFalse);
  const looking = terms.filter(({ by }) => by !== "caller");
  if (looking.length === 0) return service("caller", { mayBeFalse });
  const steady = looking.filter(({ idle }) => !idle);
  if (steady.some(({ by }) => by === "index")) return service("index", { mayBeFalse });
  const [best] = steady.sort((a, b) => a.missing.length - b.missing.length || leastOf(b) - leastOf(a));
  if (best !== undefined) return { ...best, mayBeFalse };
  return { ...together(looking), idle: true, mayBeFalse };
}

function leastOf({ missing }: Service): number {
  return Math.min(...missing.map(({ selectivity }) => selectivity));
}

/** Every term has to be served; one that no index serves spoils it for those callers for whom it is there. */
function disjunction(terms: readonly Service[]): Service {
  const idle = terms.some((term) => term.idle);
  const looking = terms.filter(({ by }) => by !== "caller");
  const mayBeFalse = looking.every((term) => term.mayBeFalse);
  if (looking.length === 0) return service("caller", { mayBeFalse });
  const isSpoilt = looking.some((term) => term.by === "nothing" && !term.mayBeFalse);
  return { ...(isSpoilt ? service("nothing") : together(looking)), idle, mayBeFalse };
}

/** All of them are to be served, except those that cannot be. */
function together(services: readonly Service[]): Service {
  const missing = services.flatMap((each) => each.missing);
  if (missing.length > 0) return service("scan", { missing });
  return service(services.some(({ by }) => by === "index") ? "index" : "nothing");
}

function leafService(leaf: Leaf, indexed: ReadonlySet<string>): Service {
  const looked = lookedUp(leaf);
  if (looked === undefined) return service("nothing");
  const missing = looked.flatMap(({ of, selectivity }) => {
    const path = of.kind === "read" ? of.path.join(".") : "";
    return indexed.has(path) ? [] : [{ path, at: leaf.at, selectivity }];
  });
  const idle = leaf.kind === "hasRole" && leaf.roles.some(isKnown);
  return service(missing.length > 0 ? "scan" : "index", { missing, idle });
}

interface LookedUp {
  readonly of: Value;
  readonly selectivity: number;
}

/** The fields whose values an index can find; `undefined` where it cannot. */
function lookedUp(leaf: Leaf): readonly LookedUp[] | undefined {
  const [claiming] = claimedOrgs(leaf);
  // The organizations whose claims satisfy it.
  if (claiming !== undefined && leaf.kind !== "absent") return [{ of: claiming, selectivity: 3 }];
  switch (leaf.kind) {
    case "truth":
      return [{ of: leaf.of, selectivity: 0 }];
    case "equal":
      return [isKnown(leaf.left) ? looked(leaf.right, leaf.left) : looked(leaf.left, leaf.right)];
    case "includes":
      return [isKnown(leaf.list) ? looked(leaf.item, leaf.list) : looked(leaf.list, leaf.item)];
    case "order":
      return [{ of: isKnown(leaf.left) ? leaf.right : leaf.left, selectivity: 1 }];
    case "text":
      return leaf.op === "startsWith" ? [{ of: leaf.text, selectivity: 1 }] : undefined;
    case "hasRole":
      return leaf.roles.filter((role) => !isKnown(role)).map((role) => ({ of: role, selectivity: 2 }));
    case "membership":
      return [leaf.id, ...leaf.roles]
        .filter((value) => !isKnown(value))
        .map((of) => ({ of, selectivity: 3 }));
    case "absent":
    case "nonEmpty":
      return undefined;
  }
}

/** A field equal to (one of) what is known. */
function looked(of: Value, known: Value): LookedUp {
  if (known.kind === "literal") return { of, selectivity: typeof known.value === "boolean" ? 0 : 2 };
  return { of, selectivity: known.kind === "list" ? 2 : 3 };
}
