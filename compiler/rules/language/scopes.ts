/** What rules can see, and when. */
import type { RuleName } from "../../model/model.ts";

export interface RuleScope {
  /** How messages call the rule. */
  readonly name: string;
  readonly document: boolean;
  readonly data: boolean;
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

/** Of rules in realm.yaml. */
export const realmScope: RuleScope = { name: "realm", document: false, data: false };
