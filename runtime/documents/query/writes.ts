import { queryNames, type RouteContract } from "../../contract/contract.ts";
import { traitsOf } from "../../contract/traits.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import { type Named, notAllowed, nowhere } from "../organizations.ts";
import { judgesOf, reader } from "./judges.ts";

/** @returns reads the query string of a write, or throws ApiError `invalid_query` */
export function writeQuery(
  route: RouteContract,
  { definition }: RealmInstance,
  collections: readonly CollectionDefinition[],
): (search: string) => ReadonlyMap<string, string> {
  const traits = traitsOf(definition, collections);
  // `expand` on a write is ignored (api-decisions, Documents and HTTP).
  return reader([...queryNames(route, traits), "expand"], judgesOf(route, traits));
}

/**
 * What the query of creates names: {@link nowhere} where that is nothing.
 * @param collections in which the request may create
 * @throws ApiError `org_not_allowed` | `team_not_allowed` where none of them has any
 */
export function namedIn(
  values: ReadonlyMap<string, string>,
  collections: readonly CollectionDefinition[],
): Named {
  const [org, team] = [values.get("org"), values.get("team")];
  if (org === undefined && team === undefined) return nowhere;
  if (org !== undefined && collections.every(({ organization }) => organization === undefined)) {
    throw notAllowed("org");
  }
  if (team !== undefined && collections.every(({ organization }) => organization?.teams === undefined)) {
    throw notAllowed("team");
  }
  return { org, team };
}
