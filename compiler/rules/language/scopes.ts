/** What rules can see, and when. */
import type { RuleName } from "../../model/model.ts";

export interface RuleScope {
  /** How messages call the rule. */
  readonly name: string;
  readonly document: boolean;
  readonly data: boolean;
  /** `data` is what a function is called with. */
  readonly isInput?: true;
  /** A trigger's, of what was written. */
  readonly previous?: true;
  /** Nobody calls. */
  readonly callerless?: true;
  /** What there is in the place of what there is not, for messages; default: what documents' rules have. */
  readonly instead?: string;
  /** A field's write rule, which also runs when there is no document yet. */
  readonly documentMayBeAbsent?: true;
  /** The text serves create, update and delete alike. */
  readonly underWrite?: boolean;
  /** Also compiled to a filter. */
  readonly filtered?: boolean;
  /** Also asked whether it holds for every document. */
  readonly certain?: true;
}

export function operationScope(name: RuleName, underWrite: boolean): RuleScope {
  return {
    name,
    document: name !== "create",
    data: name === "create" || name === "update",
    underWrite,
    filtered: name === "read" || name === "restore",
  };
}

export const fieldReadScope: RuleScope = { name: "field read", document: true, data: false, certain: true };

export const fieldWriteScope: RuleScope = {
  name: "field write",
  document: true,
  data: true,
  documentMayBeAbsent: true,
};

/** Of who calls a function; only of calls, which take JSON, there is `data`. */
export function invokeScope(mode: "webhook" | "call"): RuleScope {
  const data = mode === "call";
  return {
    name: "function's invoke",
    document: false,
    data,
    isInput: true,
    instead: data
      ? "there is no document; what the function is called with is data"
      : "what a webhook is called with is bytes; the caller is user",
  };
}

/** Of what runs a function. */
export const triggerScope: RuleScope = {
  name: "trigger",
  document: true,
  data: false,
  previous: true,
  callerless: true,
  instead: "nobody calls; what was written is document, and before that it was previous",
};

/** Of the documents that a step of a migration is done for. */
export const migrationScope: RuleScope = {
  name: "migration's",
  document: true,
  data: false,
  callerless: true,
  instead: "nobody calls; what is migrated is document",
};

/** Of rules in realm.yaml. */
export const realmScope: RuleScope = { name: "realm", document: false, data: false };
