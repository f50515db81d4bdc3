import { isWithin } from "../../filter/fields.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Access } from "../access.ts";

/**
 * Whether queries of this caller must not name a field: its read rule, or that of an object around it, is not constantly
 * true for them (configuration.md, collection.yaml). Whatever such a query answered would tell of values that they may
 * not see.
 */
export function isHidden({ fieldRules }: CollectionDefinition, access: Access, path: string): boolean {
  const { context } = access;
  if (fieldRules === undefined || context === undefined) return false;
  return fieldRules.some(
    (rule) =>
      rule.read !== undefined && isWithin(path, rule.path.join(".")) && rule.read.certain?.(context) !== true,
  );
}

/** Whether some fields may be hidden from this caller. */
export function mayHide({ fieldRules = [] }: CollectionDefinition, { context }: Access): boolean {
  return context !== undefined && fieldRules.some(({ read }) => read !== undefined);
}
