import type { Filter } from "../filter/algebra.ts";
import type { JsonObject } from "../json.ts";
import type { RuleUser } from "./caller.ts";
import type { Memberships } from "./memberships.ts";
import type { Seen } from "./seen.ts";

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
 * A rule in its compiled form, as emitted into `rules.ts`. `Document` and `Data` are what its collection's documents are
 * {@link Seen} as; without them, it is a rule of some collection, for which {@link holds} asks. The two forms agree on every
 * document and caller.
 */
export interface WriteRule<Document = never, Data = never> {
  /**
   * False when no document and no data could satisfy the rule for this caller (*constantly false*). Absent: it depends
   * on the document or data alone.
   */
  readonly possible?: (context: RuleContext) => boolean;
  /** `document` is absent on create, `data` where nothing is written. */
  readonly check: (context: RuleContext, document: Document, data: Data) => boolean;
}

/** A rule that also decides what lists show: `filter` has the caller's side evaluated; constantly false folds to FALSE. */
export interface ReadRule<Document = never> {
  /**
   * False when it is constantly false for this caller. Absent: when the filter is FALSE. Rules that ask for memberships
   * have it, since what a caller is in organizations makes lists empty and never refuses them.
   */
  readonly possible?: (context: RuleContext) => boolean;
  readonly filter: (context: RuleContext) => Filter;
  readonly check: (context: RuleContext, document: Document) => boolean;
}

/** A missing rule denies. A constant rule is one of `allowed` and `denied`. */
export interface Rules<Document = never, Data = never> {
  readonly create?: WriteRule<Document, Data>;
  readonly read?: ReadRule<Document>;
  readonly update?: WriteRule<Document, Data>;
  readonly delete?: WriteRule<Document, Data>;
  readonly restore?: ReadRule<Document>;
  readonly purge?: WriteRule<Document, Data>;
}

/** Decides in which documents a caller sees a field. */
export interface FieldReadRule<Document = never> {
  /**
   * True when every document satisfies the rule for this caller (*constantly true*): only then may queries name the
   * field. Absent: never.
   */
  readonly certain?: (context: RuleContext) => boolean;
  /**
   * What the rule reads besides the document: while it is equal as JSON, the rule says the same of every document.
   * Absent: nobody knows, so that it may be anything of the context.
   */
  readonly basis?: (context: RuleContext) => readonly unknown[];
  readonly check: (context: RuleContext, document: Document) => boolean;
}

/** Field-level rules of one path; the one not given is constantly true. */
export interface FieldRule<Document = never, Data = never> {
  /** Segments of the path; never through an array. */
  readonly path: readonly string[];
  readonly read?: FieldReadRule<Document>;
  readonly write?: WriteRule<Document | undefined, Data>;
}

/** A method, whose parameters TypeScript compares both ways: a document from the store is what the rule's module says it is. */
interface Asked {
  check(context: RuleContext, document: JsonObject, data: JsonObject): boolean;
}

/** What a rule says of a stored document and of what is written; where either is absent, of an object without members. */
export function holds(
  rule: Pick<WriteRule, "check">,
  context: RuleContext,
  document: JsonObject,
  data: JsonObject,
): boolean {
  const asked: Asked = rule;
  return asked.check(context, document, data);
}
