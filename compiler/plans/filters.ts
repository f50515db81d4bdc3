/** What the filter function that is emitted for a rule makes of a caller: it is printed, and run as it stands. */

import type { Filter } from "../../runtime/filter/algebra.ts";
import * as algebra from "../../runtime/filter/algebra.ts";
import type { FieldTable } from "../../runtime/filter/fields.ts";
import type { RuleContext } from "../../runtime/realm/rule.ts";
import * as helpers from "../../runtime/rules/index.ts";
import { codeText } from "../../templates/print/code.ts";
import type { Condition } from "../rules/form/form.ts";
import { printFilter } from "../rules/print/filter.ts";

/** What emitted filters import from `realmc/runtime`. */
const runtime: Readonly<Record<string, unknown>> = { ...algebra, ...helpers };
const context = ["user", "now", "appConfig", "memberships"] as const;

/**
 * The filter of a read or restore rule, by the caller.
 * @param lowered the rule's `form.filter`
 * @param fields of the collection's documents
 */
export function filterOf(lowered: Condition, fields: FieldTable): (caller: RuleContext) => Filter {
  // How members of documents are read is nothing to a filter.
  const printed = codeText(printFilter(lowered, { document: none, data: none, documentMayBeAbsent: false }));
  const names = Object.keys(runtime);
  const made = new Function(...names, "fields", ...context, `"use strict"; return ${printed};`);
  const given = [...Object.values(runtime), fields];
  return (caller) => {
    const filter: Filter = Reflect.apply(made, undefined, [...given, ...context.map((name) => caller[name])]);
    return filter;
  };
}

const none = { kinds: [] };
