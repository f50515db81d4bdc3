import { and, type Filter, isIn, not } from "../filter/algebra.ts";
import { confinedTo } from "../filter/confined.ts";
import { organizationFields } from "../filter/fields.ts";
import type { JsonObject } from "../json.ts";
import { kept } from "../kept.ts";
import type { CollectionDefinition } from "../realm/definition.ts";

/**
 * Documents of deleted organizations: outside `_admin/data` they are as if they did not exist, to everybody
 * (api-decisions, Order of checks).
 */

export interface Withheld {
  /** Organizations whose documents are out of reach; undefined where nobody asked, and for administrators. */
  readonly withheld: ReadonlySet<string> | undefined;
}

const org = organizationFields["_meta.org"];

/** Whether documents of a collection may be withheld from anybody now. */
export function withholds({ organization }: CollectionDefinition, { withheld }: Withheld): boolean {
  return organization !== undefined && withheld !== undefined && withheld.size > 0;
}

/** @param meta the document's */
export function isWithheld(definition: CollectionDefinition, access: Withheld, meta: JsonObject): boolean {
  const { org: own } = meta;
  return typeof own === "string" && withholds(definition, access) && access.withheld?.has(own) === true;
}

/** Of the documents of a filter those that are not withheld: the same again for the same filter, as long as they are. */
export function notWithheld(definition: CollectionDefinition, access: Withheld, filter: Filter): Filter {
  const { withheld } = access;
  if (withheld === undefined || !withholds(definition, access)) return filter;
  const filters = kept(exclusions, withheld, () => new WeakMap<Filter, Filter>());
  return kept(filters, filter, () => excluding(filter, withheld));
}

const exclusions = new WeakMap<ReadonlySet<string>, WeakMap<Filter, Filter>>();

/** The condition is left out where the filter confines documents to organizations none of which is withheld. */
function excluding(filter: Filter, withheld: ReadonlySet<string>): Filter {
  const confined = confinedTo(filter, org);
  const leads = confined === undefined || [...confined].some((value) => withheld.has(String(value)));
  return leads ? and(filter, not(isIn(org, [...withheld]))) : filter;
}
