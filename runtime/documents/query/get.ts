import { queryNames, type RouteContract } from "../../contract/contract.ts";
import { traitsOf } from "../../contract/traits.ts";
import type { CollectionDefinition } from "../../realm/definition.ts";
import type { RealmInstance } from "../../realm/exchange.ts";
import {
  type AskedLinks,
  type Deleted,
  deletedOf,
  judgeDeleted,
  judgeLinks,
  linksOf,
  reader,
} from "./judges.ts";

export interface GetQuery {
  readonly deleted: Deleted | undefined;
  /** As it was sent: see `readExpand`. */
  readonly expand: string | undefined;
  readonly links: AskedLinks | undefined;
}

const plain: GetQuery = { deleted: undefined, expand: undefined, links: undefined };

/** @returns reads the query string of a GET of one document, or throws ApiError `invalid_query` */
export function getQuery(
  route: RouteContract,
  realm: RealmInstance,
  definition: CollectionDefinition,
): (search: string) => GetQuery {
  const judges = { ...judgeLinks(definition), deleted: judgeDeleted(definition) };
  const names = queryNames(route, traitsOf(realm.definition, [definition]));
  const read = reader(names, judges, ["expand"]);
  return (search) => {
    if (search === "") return plain;
    const values = read(search);
    return { deleted: deletedOf(values), expand: values.get("expand"), links: linksOf(values) };
  };
}
