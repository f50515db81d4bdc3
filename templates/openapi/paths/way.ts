import type { OpenAPIV3_1 } from "openapi-types";
import type { Realm, RuleName } from "../../../compiler/model/model.ts";
import type { CompiledRules } from "../../../compiler/rules/compiled.ts";
import type { ParameterName } from "../../../runtime/contract/parameters.ts";
import { capitalized } from "../../print/names.ts";
import { type Access, type Admission, accessBy, administrators, admitted } from "../security.ts";

/** A way to the documents of a realm; the operations on each are the same, for other callers. */
export interface Way {
  /** Before `/{database}`. */
  readonly base: string;
  /** Headers of every request. */
  readonly parameters: readonly ParameterName[];
  /** Whether anonymous reads may be cached by anyone. */
  readonly cached: boolean;
  /** The id of an operation that the collections' own way calls so. */
  id(own: string): string;
  tag(own: string): string;
  /** @param ownIds creates in a collection in which documents have the id of the user who makes them */
  admits(access: Access, ownIds?: boolean): Admission;
  /** Which rules an operation hangs on, in words. */
  decides(rules: CompiledRules["rules"], ...names: readonly RuleName[]): string | undefined;
}

/** The collections' own. */
export function clientWay(realm: Realm): Way {
  return {
    base: `/v1/${realm.name}`,
    parameters: realm.auth ? ["OnBehalfOf"] : [],
    cached: true,
    id: (own) => own,
    tag: (own) => own,
    // Anonymous callers have no id of their own to give.
    admits: (access, ownIds) => admitted(realm, ownIds && access === "anyone" ? "users" : access),
    decides: (rules, ...names) => (realm.auth ? decidedBy(rules, names) : undefined),
  };
}

function decidedBy(rules: CompiledRules["rules"], names: readonly RuleName[]): string {
  if (accessBy(...names.map((name) => rules[name])) === "keys")
    return "No rule allows it: for API keys only.";
  const listed = names.map((name) => `\`${name}\``).join(" and ");
  return `Decided by the ${names.length > 1 ? "rules" : "rule"} ${listed}; API keys pass.`;
}

export const dataTag: OpenAPIV3_1.TagObject = {
  name: "administration of documents",
  description:
    "All documents, past the access rules, for administrators of the area `data`; API keys stay within their scopes. Every write leaves an audit record.",
};

/** That of administrators. */
export function administratorWay(realm: Realm): Way {
  return {
    base: `/v1/${realm.name}/_admin/data`,
    parameters: [],
    cached: false,
    id: (own) => `adminData${capitalized(own)}`,
    tag: () => dataTag.name,
    admits: (_, ownIds) => {
      const { security, errors } = administrators(realm);
      return { security: ownIds ? security.filter((each) => !("api_key" in each)) : security, errors };
    },
    decides: () => undefined,
  };
}
