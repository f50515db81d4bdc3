import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { RuleName } from "../model/model.ts";
import type { Condition, RuleForm } from "./form/form.ts";

/** What the `rules` stage says of one collection. */
export interface CompiledRules {
  readonly rules: Readonly<Partial<Record<RuleName, CompiledRule>>>;
  readonly fieldRules: readonly {
    readonly path: string;
    readonly read?: CompiledRule;
    readonly write?: CompiledRule;
  }[];
}

/** Where a rule stands in its collection's settings. */
export type RulePlace = RuleName | { readonly field: string; readonly of: "read" | "write" };

/** One rule as data: the form its emitted functions are printed from, and the facts derived from it. */
export interface CompiledRule {
  /** The rule's own text, for the comment above the emitted functions. */
  readonly text: string;
  /** `helpdesk/support/tickets/collection.yaml rules.read`: no line, which other changes would move. */
  readonly origin: string;
  /** As it is written: nothing folded yet. */
  readonly written: Condition;
  readonly form: RuleForm;
  readonly facts: RuleFacts;
}

export interface RuleFacts {
  /** The rule is literally, or folds to, one constant for every caller and document. */
  readonly constant: boolean | undefined;
  /** An anonymous caller may satisfy it for some document. */
  readonly anonymous: boolean;
  readonly readsClock: boolean;
  readonly readsAppConfig: boolean;
  /** It asks what the caller is in organizations and teams. */
  readonly memberships: boolean;
  /** Paths of `document` that it reads, sorted. */
  readonly documentFields: readonly string[];
}

/** What the `rules` stage says of one function. */
export interface CompiledFunction {
  readonly invoke?: CompiledRule;
  /** Of each trigger, in their order. */
  readonly whens: readonly (CompiledRule | undefined)[];
}

export interface RulesStage {
  /** By `<database>/<collection>`. */
  readonly collections: ReadonlyMap<string, CompiledRules>;
  /** By `<database>/<function>`. */
  readonly functions: ReadonlyMap<string, CompiledFunction>;
  /** Conditions of the steps of migrations, by the paths of their files. */
  readonly migrations: ReadonlyMap<string, readonly (CompiledRule | undefined)[]>;
  /** `organizations.create` of realm.yaml. */
  readonly createOrganization?: CompiledRule;
  readonly diagnostics: readonly Diagnostic[];
}
