/** What emitted `rules.ts` modules import, beside the filter algebra. */

export type { FieldReadRule, FieldRule, ReadRule, RuleContext, Rules, WriteRule } from "../realm/rule.ts";
export type { Seen } from "../realm/seen.ts";
export { claimsByOrg, ifSo, ownRolesByOrg, ownRolesByTeam, unlessSo, unordered } from "./basis.ts";
export * from "./caller.ts";
export { allowed, byCaller, type CallerRule, denied } from "./constant.ts";
export * from "./dates.ts";
export { beginnings, choose, endings } from "./filters.ts";
export { booleanAt, dateAt, listAt, numberAt, scalarAt, textAt } from "./known.ts";
export * from "./organizations.ts";
export {
  absent,
  atLeast,
  atMost,
  contains,
  endsWith,
  greater,
  includes,
  isStored,
  length,
  less,
  member,
  nonEmpty,
  present,
  same,
  startsWith,
} from "./values.ts";
