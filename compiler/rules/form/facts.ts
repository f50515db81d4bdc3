import type { RuleFacts } from "../compiled.ts";
import { asksMemberships, type Condition, type RuleForm, valuesIn } from "./form.ts";
import { anonymousMay, possible } from "./partial.ts";
import { constant, simplify } from "./simplify.ts";

/** The form that is printed: simplified, and constant where no caller can make it true, or false. */
export function ruleForm(analysed: Condition): RuleForm {
  const condition = simplify(analysed);
  const possibly = possible(condition);
  if (isConstant(possibly, false)) return { condition: constant(false, analysed.at), possible: possibly };
  if (isConstant(possible(condition, false), false))
    return { condition: constant(true, analysed.at), possible: possibly };
  return { condition, possible: possibly };
}

function isConstant(condition: Condition, holds: boolean): boolean {
  return condition.kind === "constant" && condition.holds === holds;
}

export function ruleFacts({ condition }: RuleForm): RuleFacts {
  const values = [...valuesIn(condition)];
  const paths = values.flatMap((value) =>
    value.kind === "read" && value.root === "document" && value.path.length > 0 ? [value.path.join(".")] : [],
  );
  return {
    constant: condition.kind === "constant" ? condition.holds : undefined,
    anonymous: anonymousMay(condition),
    readsClock: values.some((value) => value.kind === "now" || value.kind === "moment"),
    readsAppConfig: values.some((value) => value.kind === "read" && value.root === "appConfig"),
    memberships: asksMemberships(condition),
    documentFields: [...new Set(paths)].sort(),
  };
}
