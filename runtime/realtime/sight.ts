import { createHash } from "node:crypto";
import { type Access, readFilter } from "../documents/access.ts";
import { mayHide } from "../documents/query/hidden.ts";
import type { Filter } from "../filter/algebra.ts";
import { canonicalKey } from "../filter/canonical.ts";
import { kept } from "../kept.ts";
import type { CollectionDefinition } from "../realm/definition.ts";
import type { FieldReadRule, RuleContext } from "../realm/rule.ts";

/** What a caller sees of a collection at a moment. */
export interface Sight {
  /** Of whom it is. */
  readonly access: Access;
  /** The documents that they may read. */
  readonly filter: Filter;
  /** The same as if no organization were withheld. */
  readonly own: Filter;
  /** The same text where documents are shown the same. */
  readonly view: string;
  /** The same text where the caller may read the same documents and sees the same of them, whatever is withheld. */
  readonly key: string;
  /** The same, also of what is withheld. */
  readonly exact: string;
}

/** Whoever may read nothing has FALSE. */
export function sightOf(definition: CollectionDefinition, access: Access): Sight {
  const rule = definition.rules?.read;
  const own = readFilter(definition, { ...access, withheld: undefined }, rule);
  const filter = readFilter(definition, access, rule);
  const view = viewOf(definition, access);
  const keyOf = (documents: Filter) =>
    view === "" ? canonical(documents) : `${canonical(documents)} ${view}`;
  const key = keyOf(own);
  return { access, filter, own, view, key, exact: filter === own ? key : keyOf(filter) };
}

/**
 * Documents look the same to all from whom nothing is hidden. What is hidden from others is decided by what the rules of
 * fields read of them, and by nothing else.
 */
function viewOf(definition: CollectionDefinition, access: Access): string {
  const { context } = access;
  if (context === undefined || !mayHide(definition, access)) return "";
  const { fieldRules = [] } = definition;
  const reads = fieldRules.flatMap(({ read }) => (read === undefined ? [] : [read]));
  const bases = reads.map((read) => (read.certain?.(context) === true ? seen : basisOf(read, context)));
  return bases.every((basis) => basis === seen) ? "" : digest(JSON.stringify(bases)).toString("base64url");
}

/** In the place of a rule's basis: it holds for every document. */
const seen = "seen";

function basisOf(read: FieldReadRule, context: RuleContext): unknown {
  return read.basis?.(context) ?? everythingOf(context);
}

/** All that rules know of a caller but the time, which is the same to everybody. */
function everythingOf({ user, appConfig, memberships }: RuleContext): unknown {
  const orgs = [...memberships.values()].map(({ org, roles, teams, teamRoles, claims }) => [
    org,
    [...roles].sort(),
    [...teams].sort(),
    [...teamRoles].map(([team, held]) => [team, [...held].sort()]).sort(),
    claims,
  ]);
  return [user, appConfig, orgs.sort()];
}

const canonicals = new WeakMap<Filter, string>();

function canonical(filter: Filter): string {
  return kept(canonicals, filter, () => canonicalKey(filter));
}

/** SHA-256. */
export function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/**
 * What decides who reads which documents of a collection, and what of them, for as long as the configuration stands: the
 * text of its rules.
 */
export function rulesKey({ fields, rules, fieldRules = [] }: CollectionDefinition): string {
  const reads = fieldRules.flatMap(({ path, read }) => (read === undefined ? [] : [{ path, read }]));
  return JSON.stringify([fields, rules?.read, reads], (_, value: unknown) =>
    typeof value === "function" ? String(value) : value,
  );
}
