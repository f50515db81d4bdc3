import type { Filter } from "../filter/algebra.ts";
import type { JsonObject } from "../json.ts";
import type { RuleUser } from "./caller.ts";
import type { Memberships } from "./memberships.ts";

/** The caller's side of a rule: everything known before a document is looked at. */
export interface RuleContext {
  /** Undefined for anonymous callers. */
  readonly user: RuleUser | undefined;
  /** RFC 3339, UTC, milliseconds; one instant for the whole request. */
  readonly now: string;
  readonly appConfig: JsonObject;
  /** None where no rule of the request asks for them. */
  readonly memberships: Memberships;
}

/**
 * A rule in its compiled form, as emitted into `rules.ts`. `Document` and `Data` declare the members that the rule reads
 * (emitted as type aliases; the runtime passes the whole object). The two forms agree on every document and caller.
 */
export interface WriteRule<Document = JsonObject, Data = JsonObject> {
  /**
   * False when no document and no data could satisfy the rule for this caller (*constantly false*). Absent: it depends
   * on the document or data alone.
   */
  possible?(context: RuleContext): boolean;
  /** `document` is absent on create, `data` where nothing is written. */
  check(context: RuleContext, document: Document, data: Data): boolean;
}

/** A rule that also decides what lists show: `filter` has the caller's side evaluated; constantly false folds to FALSE. */
export interface ReadRule<Document = JsonObject> {
  /**
   * False when it is constantly false for this caller. Absent: when the filter is FALSE. Rules that ask for memberships
   * have it, since what a caller is in organizations makes lists empty and never refuses them.
   */
  possible?(context: RuleContext): boolean;
  filter(context: RuleContext): Filter;
  check(context: RuleContext, document: Document): boolean;
}

/** A missing rule denies. A constant rule is one of `allowed` and `denied`. */
export interface Rules {
  readonly create?: WriteRule;
  readonly read?: ReadRule;
  readonly update?: WriteRule;
  readonly delete?: WriteRule;
  readonly restore?: ReadRule;
  readonly purge?: WriteRule;
}

/** Decides in which documents a caller sees a field. */
export interface FieldReadRule<Document = JsonObject> {
  /**
   * True when every document satisfies the rule for this caller (*constantly true*): only then may queries name the
   * field. Absent: never.
   */
  certain?(context: RuleContext): boolean;
  check(context: RuleContext, document: Document): boolean;
}

/** Field-level rules of one path; the one not given is constantly true. */
export interface FieldRule {
  /** Segments of the path; never through an array. */
  readonly path: readonly string[];
  readonly read?: FieldReadRule;
  readonly write?: WriteRule;
}
