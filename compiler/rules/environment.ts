/** What the analysis of one rule knows and reports to. */
import type { ts } from "ts-morph";
import { alternatives, didYouMean } from "../diagnostics/suggest.ts";
import type { At, Root } from "./form.ts";
import type { Report } from "./reporter.ts";
import type { RuleScope } from "./subset.ts";
import type { ValueType } from "./types.ts";

export interface Environment {
  readonly scope: RuleScope;
  readonly types: Readonly<Record<Root, ValueType>>;
  readonly roles: readonly string[];
  readonly at: (node: ts.Node) => At;
  readonly report: Report;
}

export function isDeclaredRole(
  role: string,
  at: At,
  { roles, report }: Pick<Environment, "roles" | "report">,
): boolean {
  if (roles.includes(role)) return true;
  const others = roles.length === 0 ? "realm.yaml declares no roles" : `roles are ${alternatives(roles)}`;
  report("rule-unknown-role", at, { role }, didYouMean(role, roles) ?? others);
  return false;
}
