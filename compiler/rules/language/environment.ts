/** What the analysis of one rule knows and reports to. */
import type { ts } from "@ts-morph/common";
import { alternatives, didYouMean } from "../../../runtime/suggest.ts";
import type { At, Root } from "../form/form.ts";
import type { ValueType } from "../form/types.ts";
import type { Flow } from "./flow.ts";
import type { Report } from "./report.ts";
import type { RuleScope } from "./scopes.ts";

/**
 * Names of the roles that `realm.yaml` declares, by where they are held; undefined in realms without organizations, `any` where
 * mistakes in it leave open which there are.
 */
export interface DeclaredRoles {
  readonly realm: readonly string[] | "any";
  readonly organization: readonly string[] | "any" | undefined;
  readonly team: readonly string[] | "any" | undefined;
}

export interface Environment {
  readonly scope: RuleScope;
  readonly types: Readonly<Record<Root, ValueType>>;
  readonly roles: DeclaredRoles;
  /** What is known where the part that is analysed is asked. */
  readonly flow: Flow;
  readonly at: (node: ts.Node) => At;
  readonly report: Report;
}

export function isDeclaredRole(
  role: string,
  heldIn: keyof DeclaredRoles,
  at: At,
  { roles, report }: Pick<Environment, "roles" | "report">,
): boolean {
  const names = roles[heldIn];
  // That there are no organizations is said of the helper.
  if (names === undefined || names === "any" || names.includes(role)) return true;
  const kind = roleKinds[heldIn];
  const others =
    names.length === 0 ? `realm.yaml declares no ${kind}s` : `${kind}s are ${alternatives(names)}`;
  report("rule-unknown-role", at, { kind, role }, didYouMean(role, names) ?? others);
  return false;
}

const roleKinds: Readonly<Record<keyof DeclaredRoles, string>> = {
  realm: "role",
  organization: "organization role",
  team: "team role",
};
