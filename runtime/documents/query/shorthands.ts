import { and, eq, FALSE, type Filter, TRUE } from "../../filter/algebra.ts";
import { type Field, organizationFields, teamFields } from "../../filter/fields.ts";
import { isId } from "../../ids.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { Judges } from "./judges.ts";

export const shorthandNames = ["org", "team"];

/** `org` and `team` of a list: short for conditions on `_meta.org` and `_meta.team` (spec: List query parameters). */
export function judgeShorthands({ organization }: CollectionDefinition): Judges {
  return {
    ...(organization === undefined && { org: () => "is not available: there are no organizations here" }),
    ...(organization?.teams === undefined && { team: () => "is not available: there are no teams here" }),
  };
}

/** What they ask for; they were judged before. */
export function shorthands(values: ReadonlyMap<string, string>): Filter {
  const org = values.get("org");
  const team = values.get("team");
  return and(is(organizationFields["_meta.org"], org), is(teamFields["_meta.team"], team));
}

/** What is no id is that of nothing. */
function is(field: Field, value: string | undefined): Filter {
  if (value === undefined) return TRUE;
  return isId(value) ? eq(field, value) : FALSE;
}
